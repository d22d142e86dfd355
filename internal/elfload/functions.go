package elfload

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// lastPriority is that of functions without one; lower ones are constructed
// earlier and destroyed later.
const lastPriority = 65535

// readFunctionLists collects constructors and destructors in the order to run.
//
// Compilers write them in two ways. Arrays (.init_array, .fini_array) are
// constructed first to last, and the priority is the suffix of the section's
// name. Lists (.ctors, .dtors; LLVM's C API makes these) are constructed last
// to first, and the suffix counts down from the last priority.
func (o *Object) readFunctionLists(header) error {
	for i := range o.sections {
		s := &o.sections[i]
		if s.class == classNone {
			continue
		}
		kind, suffix, _ := strings.Cut(strings.TrimPrefix(s.name, "."), ".")
		list := kind == "ctors" || kind == "dtors"
		construct := kind == "ctors" || s.typ == shtInitArray || s.typ == shtPreinitArray
		destroy := kind == "dtors" || s.typ == shtFiniArray
		if !construct && !destroy {
			continue
		}
		if s.size%8 != 0 || !s.hasContents() {
			return damaged("section %s of %d bytes is no array of addresses", s.name, s.size)
		}
		l := funcList{zone: s.class, at: s.at, count: int(s.size / 8), priority: lastPriority, backwards: list == construct}
		if n, err := strconv.ParseUint(suffix, 10, 16); err == nil {
			l.priority = int(n)
			if list {
				l.priority = lastPriority - l.priority
			}
		}
		if s.typ == shtPreinitArray {
			l.priority = -1
		}
		// Sections of one priority run in file order, or against it.
		l.order = i
		if l.backwards {
			l.order = -i
		}
		if construct {
			o.constructors = append(o.constructors, l)
		} else {
			o.destructors = append(o.destructors, l)
		}
	}
	slices.SortFunc(o.constructors, func(a, b funcList) int {
		return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.order, b.order))
	})
	slices.SortFunc(o.destructors, func(a, b funcList) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.order, b.order))
	})
	return nil
}

// functions reads the addresses of lists from a relocated image. Empty entries
// and the marks that old tools put round such lists are left out.
func (o *Object) functions(mem *contents, b *binding, lists []funcList) ([]uint64, error) {
	base := b.base[classText]
	var addrs []uint64
	for _, l := range lists {
		for k := range l.count {
			if l.backwards {
				k = l.count - 1 - k
			}
			addr := le.Uint64(mem[l.zone][l.at+uint64(k)*8:])
			if addr == 0 || addr == ^uint64(0) {
				continue
			}
			if addr < base || addr-base >= o.layout.zones[classText].size {
				return nil, damaged("a constructor or destructor lies outside the object's text")
			}
			addrs = append(addrs, addr)
		}
	}
	return addrs, nil
}
