package spmd

import (
	"math/bits"
	"slices"
)

// set is a set of small numbers.
type set []uint64

func newSet(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int)   { s[i/64] &^= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s set) fill(n int) {
	for i := range n {
		s.add(i)
	}
}

func (s set) and(o set) {
	for i := range s {
		s[i] &= o[i]
	}
}

// or adds the set o and reports whether that changed anything.
func (s set) or(o set) bool {
	changed := false
	for i := range s {
		if o[i]&^s[i] != 0 {
			s[i] |= o[i]
			changed = true
		}
	}
	return changed
}

func (s set) equal(o set) bool { return slices.Equal(s, o) }

func (s set) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// first returns the least member, or -1.
func (s set) first() int {
	for i, w := range s {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

func (s set) clone() set { return slices.Clone(s) }
