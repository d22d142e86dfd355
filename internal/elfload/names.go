package elfload

import (
	"bytes"
	"cmp"
	"slices"
)

// Function is a function of an image, as profilers and debuggers name code.
type Function struct {
	// Name is the symbol's, "" never. Local functions have names too.
	Name string
	// Address is where its code starts. The code is good until the image is
	// closed, and must not be written to.
	Address uintptr
	Code    []byte
}

// Functions returns the functions of im, an image of o, by address. Of several
// names for one address it has the first global one. Functions whose size the
// object does not tell, as those of assembly, reach to the next.
func (o *Object) Functions(im *Image) []Function {
	text := im.memory.zones[classText]
	base, end := im.TextRange()
	type found struct {
		Function
		size uint64
		bind uint8
	}
	var list []found
	for i := range o.symbols {
		s := &o.symbols[i]
		if !s.isFunction() || s.place != placeImage || s.name == 0 || o.classOf(s) != classText {
			continue
		}
		at := base + uintptr(o.sections[s.shndx].at+s.value)
		if at < end {
			list = append(list, found{Function{Name: o.name(s), Address: at}, s.size, s.bind()})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(b.bind, a.bind))
	})
	list = slices.CompactFunc(list, func(a, b found) bool { return a.Address == b.Address })
	functions := make([]Function, len(list))
	for i, f := range list {
		limit := end
		if i+1 < len(list) {
			limit = list[i+1].Address
		}
		size := limit - f.Address
		if f.size > 0 {
			size = min(size, uintptr(f.size))
		}
		at := f.Address - base
		f.Code = text[at : at+size : at+size]
		functions[i] = f.Function
	}
	return functions
}

// Located returns a copy of the object in which each section says at which
// address im, an image of o, has it. It is what gdb's interface for compilers
// in the process takes.
func (o *Object) Located(im *Image) []byte {
	b := bytes.Clone(o.raw)
	shoff := le.Uint64(b[40:])
	for i := range o.sections {
		s := &o.sections[i]
		if zone := im.memory.zones[s.class]; s.class != classNone && s.at+s.size <= uint64(len(zone)) {
			le.PutUint64(b[shoff+uint64(i)*sectionSize+16:], uint64(addressOf(zone))+s.at)
		}
	}
	return b
}
