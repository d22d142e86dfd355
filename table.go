package kiln

import (
	"math/bits"
	"slices"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
)

// specialisation is one compiled and loaded form of a kernel. Immutable once published.
type specialisation struct {
	words    []uint64
	hash     uint64
	function device.Function
	library  device.Library
	image    *image.Image
}

// table finds specialisations by the words of their constants: open
// addressing, never changed once published, so that readers take no lock.
type table struct {
	slots []*specialisation
	used  int
}

func hashWords(words []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		hi, lo := bits.Mul64(h^w, 0xd6e8feb86659fd93)
		h = hi ^ lo
	}
	return h
}

func (t *table) find(words []uint64, hash uint64) *specialisation {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == nil {
			return nil
		}
		if s.hash == hash && slices.Equal(s.words, words) {
			return s
		}
	}
}

// with returns a table that also holds s.
func (t *table) with(s *specialisation) *table {
	n := &table{slots: make([]*specialisation, len(t.slots)), used: t.used + 1}
	if 2*n.used > len(n.slots) {
		n.slots = make([]*specialisation, max(8, 2*len(t.slots)))
	}
	for _, old := range t.slots {
		if old != nil {
			n.place(old)
		}
	}
	n.place(s)
	return n
}

func (t *table) place(s *specialisation) {
	mask := uint64(len(t.slots) - 1)
	i := s.hash & mask
	for t.slots[i] != nil {
		i = (i + 1) & mask
	}
	t.slots[i] = s
}

var emptyTable = &table{slots: make([]*specialisation, 1)}
