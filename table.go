package kiln

import (
	"math/bits"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
)

// specialisation is one compiled and loaded form of a kernel. Immutable once published.
type specialisation struct {
	function device.Function
	words    []uint64
	hash     uint64
	library  device.Library
	image    *image.Image
}

// is tells whether s is the form for these words.
func (s *specialisation) is(words []uint64) bool {
	if len(s.words) != len(words) {
		return false
	}
	for i, w := range s.words {
		if w != words[i] {
			return false
		}
	}
	return true
}

// table finds specialisations by the words of their constants: open
// addressing, never changed once published, so that readers take no lock.
type table struct {
	slots []*specialisation
	used  int
}

func hashWords(words []uint64) uint64 {
	const odd, other = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(len(words))
	for ; len(words) >= 2; words = words[2:] {
		hi, lo := bits.Mul64(words[0]^odd, words[1]^other)
		h = bits.RotateLeft64(h, 23) ^ hi ^ lo
	}
	if len(words) > 0 {
		hi, lo := bits.Mul64(words[0]^odd, other)
		h = bits.RotateLeft64(h, 23) ^ hi ^ lo
	}
	return h * odd >> 16
}

func (t *table) find(words []uint64, hash uint64) *specialisation {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == nil {
			return nil
		}
		if s.hash == hash && s.is(words) {
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
