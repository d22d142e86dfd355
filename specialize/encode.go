package specialize

import "encoding/binary"

// AppendEncoding appends the canonical encoding of s to b and returns the
// extended slice. Two specs have the same encoding exactly when they fix the
// same things: a nil and an empty list of constants are alike, everything else
// counts, the order of the constants included (see [Spec.Validate]). The
// encoding is part of every cache key made from a spec.
func (s *Spec) AppendEncoding(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s.Constants)))
	for _, c := range s.Constants {
		b = binary.LittleEndian.AppendUint64(b, uint64(c.Index))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(c.Bytes)))
		b = append(b, c.Bytes...)
	}
	for _, dims := range [2][3]uint32{s.Block, s.Grid} {
		for _, n := range dims {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
	}
	b = binary.LittleEndian.AppendUint32(b, s.MaxBlock)
	return binary.LittleEndian.AppendUint32(b, s.MinBlocks)
}

// IsZero tells that s fixes nothing.
func (s *Spec) IsZero() bool {
	return len(s.Constants) == 0 && s.Block == [3]uint32{} && s.Grid == [3]uint32{} && s.MaxBlock == 0 && s.MinBlocks == 0
}

// Constant returns the bytes fixed for the argument at index, and whether it
// is fixed. The bytes are the spec's own.
func (s *Spec) Constant(index int) ([]byte, bool) {
	for _, c := range s.Constants {
		if c.Index == index {
			return c.Bytes, true
		}
	}
	return nil, false
}
