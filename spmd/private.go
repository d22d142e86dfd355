package spmd

import (
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// privateArray is how the memory of an alloca is laid out for all lanes.
type privateArray struct {
	// bytes is what one lane needs, lane the distance from lane to lane.
	bytes, lane int64
	// soa tells that lanes lie side by side element by element, elements of
	// lane bytes each.
	soa bool
}

// maxPrivate bounds what private arrays take of a worker's stack for all lanes,
// in bytes; it is also what a near cache holds.
const maxPrivate = 64 << 10

// maxGroupPrivate bounds it where the arrays of all items of a group lie in the
// context memory.
const maxGroupPrivate = 1 << 20

// privateArrays decides the layouts. Memory that is only ever accessed by
// elements of one size goes side by side, so that lanes at the same index make
// one vector access; any other keeps each lane's bytes together.
func privateArrays(fn *irtext.Function, sz *sizes, lanes, most int64) (map[string]privateArray, error) {
	arrays := map[string]privateArray{}
	total := int64(0)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op != "alloca" {
				continue
			}
			size, align := sz.of(sourceType(in))
			count := int64(1)
			if len(in.Args) > 0 {
				n, ok := integer(in.Args[0].Text)
				if !ok || n < 1 || n > 1<<20 {
					return nil, refuse("it allocates memory of a size known at run time")
				}
				count = n
			}
			if b.Index != 0 || align == 0 || align > 64 || size*count > 1<<20 {
				return nil, refuse("it allocates memory that is not simple")
			}
			bytes := (size*count + align - 1) / align * align
			if total += bytes * lanes; total > most {
				return nil, refuse("its private arrays take more than %d bytes in %d lanes", most, lanes)
			}
			arrays[in.Name] = privateArray{bytes: bytes, lane: max(bytes, 1)}
			if elem := elementSize(fn, sz, in.Name); elem > 0 && bytes%elem == 0 {
				arrays[in.Name] = privateArray{bytes: bytes, lane: elem, soa: true}
			}
		}
	}
	return arrays, nil
}

// elementSize returns the one size by which memory at a pointer is accessed, or 0.
func elementSize(fn *irtext.Function, sz *sizes, pointer string) int64 {
	derived := map[string]bool{pointer: true}
	size := int64(0)
	access := func(typ string) bool {
		n, _ := sz.of(typ)
		if n == 0 || size != 0 && size != n || strings.HasPrefix(typ, "<") || strings.HasPrefix(typ, "i1") && n == 1 && typ == "i1" {
			return false
		}
		size = n
		return true
	}
	var addresses []*irtext.Instr
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if !derived[a.Text] {
					continue
				}
				switch {
				case in.Op == "load" && access(in.Type):
				case in.Op == "store" && i == 1 && access(in.Args[0].Type):
				case in.Op == "getelementptr" && i == 0:
					derived[in.Name] = true
					addresses = append(addresses, in)
				default:
					return 0
				}
			}
		}
	}
	for _, in := range addresses {
		list, ok := sz.steps(in)
		if !ok {
			return 0
		}
		for _, st := range list {
			by := st.scale
			if n, ok := integer(st.index.Text); ok {
				by *= n
			}
			if size == 0 || by%size != 0 || st.offset%size != 0 {
				return 0
			}
		}
	}
	return size
}
