package spmd

import (
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// sizes knows how many bytes the types of a module take, by the rules that the
// 64-bit hosts share: natural alignment, 16 bytes for i128.
type sizes struct {
	named map[string]string
}

func newSizes(m *irtext.Module) *sizes {
	s := &sizes{named: map[string]string{}}
	for _, e := range m.Types {
		if _, def, ok := strings.Cut(e.Line, " = type "); ok {
			s.named[e.Name] = def
		}
	}
	return s
}

// of returns the size from one element of an array to the next and the
// alignment in bytes; 0 where the type has none that is known.
func (s *sizes) of(typ string) (size, align int64) {
	switch typ {
	case "ptr", "double":
		return 8, 8
	case "float":
		return 4, 4
	case "half", "bfloat":
		return 2, 2
	}
	if bits := irtext.Bits(typ); bits > 0 {
		size = 1
		for size*8 < int64(bits) {
			size *= 2
		}
		align = min(size, 16)
		if bits > 128 {
			return 0, 0
		}
		return size, align
	}
	if n, elem := irtext.Vector(typ); n > 0 {
		bits := int64(irtext.Bits(elem))
		if bits == 0 {
			size, _ := s.of(elem)
			bits = size * 8
		}
		bytes := (int64(n)*bits + 7) / 8
		align = 1
		for align < bytes {
			align *= 2
		}
		return align, align
	}
	if def, ok := s.named[typ]; ok {
		return s.of(def)
	}
	if strings.HasPrefix(typ, "[") {
		count, elem, _ := strings.Cut(strings.TrimSuffix(typ[1:], "]"), " x ")
		n, err := strconv.ParseInt(count, 10, 64)
		size, align = s.of(elem)
		if err != nil || n > 1<<40 {
			return 0, 0
		}
		return n * size, align
	}
	if members := s.members(typ); members != nil {
		_, size, align = s.layout(typ, members, len(members))
		return size, align
	}
	return 0, 0
}

func (s *sizes) members(typ string) []string {
	if def, ok := s.named[typ]; ok {
		typ = def
	}
	return irtext.Members(typ)
}

// layout returns the offset of member n of a struct and the struct's size.
func (s *sizes) layout(typ string, members []string, n int) (offset, size, align int64) {
	if def, ok := s.named[typ]; ok {
		typ = def
	}
	packed := strings.HasPrefix(typ, "<{")
	align = 1
	for i, m := range members {
		msize, malign := s.of(m)
		if malign == 0 {
			return 0, 0, 0
		}
		if packed {
			malign = 1
		}
		size = (size + malign - 1) / malign * malign
		if i == n {
			offset = size
		}
		size += msize
		align = max(align, malign)
	}
	return offset, (size + align - 1) / align * align, align
}

// step is what one index of a getelementptr adds: scale bytes for each unit of
// the index, or, for a struct's member, a fixed offset.
type step struct {
	index  irtext.Operand
	scale  int64
	offset int64
	fixed  bool
}

// steps takes a getelementptr apart. It reports false for a type of unknown size.
func (s *sizes) steps(in *irtext.Instr) ([]step, bool) {
	typ := sourceType(in)
	var list []step
	for i, idx := range in.Args[1:] {
		if i == 0 {
			size, align := s.of(typ)
			if align == 0 {
				return nil, false
			}
			list = append(list, step{index: idx, scale: size})
			continue
		}
		if members := s.members(typ); members != nil {
			n, err := strconv.Atoi(idx.Text)
			if err != nil || n >= len(members) {
				return nil, false
			}
			offset, _, align := s.layout(typ, members, n)
			if align == 0 {
				return nil, false
			}
			list = append(list, step{offset: offset, fixed: true})
			typ = members[n]
			continue
		}
		if def, ok := s.named[typ]; ok {
			typ = def
		}
		_, elem, ok := strings.Cut(typ, " x ")
		if !ok {
			return nil, false
		}
		typ = elem[:len(elem)-1]
		size, align := s.of(typ)
		if align == 0 {
			return nil, false
		}
		list = append(list, step{index: idx, scale: size})
	}
	return list, true
}

// sourceType returns the element type that a getelementptr or alloca names.
func sourceType(in *irtext.Instr) string {
	i := 1
	for i < len(in.Head) && in.Head[i].Kind == irtext.Word {
		if t, _, err := irtext.Type(in.Head, i); err == nil {
			return t
		}
		i++
	}
	t, _, _ := irtext.Type(in.Head, i)
	return t
}
