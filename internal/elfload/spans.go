package elfload

import "slices"

// spans are free ranges, sorted and apart.
type spans []span

type span struct{ lo, hi uintptr }

// take removes size bytes aligned to align, the lowest there are.
func (s *spans) take(size, align uintptr) (uintptr, bool) {
	for i, f := range *s {
		at := uintptr(alignUp(uint64(f.lo), uint64(align)))
		if at < f.lo || at > f.hi || f.hi-at < size {
			continue
		}
		end := at + size
		switch {
		case at == f.lo && end == f.hi:
			*s = slices.Delete(*s, i, i+1)
		case at == f.lo:
			(*s)[i].lo = end
		case end == f.hi:
			(*s)[i].hi = at
		default:
			(*s)[i].hi = at
			*s = slices.Insert(*s, i+1, span{end, f.hi})
		}
		return at, true
	}
	return 0, false
}

// give puts back what take returned.
func (s *spans) give(at, size uintptr) {
	end := at + size
	i, _ := slices.BinarySearchFunc(*s, at, func(f span, at uintptr) int {
		if f.lo < at {
			return -1
		}
		return 1
	})
	before := i > 0 && (*s)[i-1].hi == at
	after := i < len(*s) && (*s)[i].lo == end
	switch {
	case before && after:
		(*s)[i-1].hi = (*s)[i].hi
		*s = slices.Delete(*s, i, i+1)
	case before:
		(*s)[i-1].hi = end
	case after:
		(*s)[i].lo = at
	default:
		*s = slices.Insert(*s, i, span{at, end})
	}
}
