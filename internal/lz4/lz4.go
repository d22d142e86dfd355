// Package lz4 packs and unpacks single blocks of LZ4, without a frame: runs of
// literal bytes, each followed by a copy of bytes that came before, the last
// run without one.
package lz4

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// ErrDamaged is returned for bytes that are no block, or unpack to more than
// they should.
var ErrDamaged = errors.New("the LZ4 block is damaged")

// MaxRatio is more than a byte of a block can become.
const MaxRatio = 256

const (
	leastMatch  = 4
	mostOffset  = 1<<16 - 1
	lastLiteral = 5  // bytes at the end that no copy makes
	lastMatch   = 12 // bytes from the end where no copy begins
)

// Unpack returns what a block unpacks to, which is at most size bytes: more is
// an error, fewer are not. It reserves no memory that the block cannot fill.
func Unpack(packed []byte, size uint64) ([]byte, error) {
	out := make([]byte, min(size, uint64(len(packed))*MaxRatio))
	end := 0
	for i := 0; i < len(packed); {
		token := packed[i]
		i++
		literals, ok := length(packed, &i, int(token>>4))
		if !ok || literals > len(packed)-i || literals > len(out)-end {
			return nil, ErrDamaged
		}
		if literals <= 16 && len(packed)-i >= 16 && len(out)-end >= 16 {
			*(*[16]byte)(out[end:]) = [16]byte(packed[i:])
		} else {
			copy(out[end:], packed[i:i+literals])
		}
		i += literals
		end += literals
		if i == len(packed) {
			return out[:end:end], nil
		}
		if len(packed)-i < 2 {
			return nil, ErrDamaged
		}
		distance := int(packed[i]) | int(packed[i+1])<<8
		i += 2
		match, ok := length(packed, &i, int(token&15))
		match += leastMatch
		if !ok || distance == 0 || distance > end || match > len(out)-end {
			return nil, ErrDamaged
		}
		if match <= 16 && distance >= 16 && len(out)-end >= 16 {
			*(*[16]byte)(out[end:]) = [16]byte(out[end-distance:])
			end += match
			continue
		}
		// A copy may reach into what it makes itself: it repeats what is there.
		for stop := end + match; end < stop; distance *= 2 {
			end += copy(out[end:min(stop, end+distance)], out[end-distance:])
		}
	}
	return nil, ErrDamaged
}

// length reads the bytes that continue a length of 15.
func length(packed []byte, at *int, n int) (int, bool) {
	if n < 15 {
		return n, true
	}
	for *at < len(packed) {
		c := packed[*at]
		*at++
		n += int(c)
		if c != 255 {
			return n, true
		}
	}
	return 0, false
}

const hashBits = 14

func hash(four uint32) uint32 { return four * 2654435761 >> (32 - hashBits) }

// Pack appends data as one block to out. data has less than 2 GiB.
func Pack(out, data []byte) []byte {
	var table [1 << hashBits]int32 // positions, plus 1, by the hash of the bytes there
	le := binary.LittleEndian
	begun := 0 // of the literals not written yet
	for i, missed := 0, 0; i < len(data)-lastMatch; {
		four := le.Uint32(data[i:])
		slot := &table[hash(four)]
		from := int(*slot) - 1
		*slot = int32(i + 1)
		if from < 0 || i-from > mostOffset || le.Uint32(data[from:]) != four {
			// The longer nothing matches, the larger the steps.
			i += 1 + missed>>6
			missed++
			continue
		}
		missed = 0
		for i > begun && from > 0 && data[i-1] == data[from-1] {
			i--
			from--
		}
		n := leastMatch + common(data[from+leastMatch:], data[i+leastMatch:len(data)-lastLiteral])
		out = sequence(out, data[begun:i], n-leastMatch)
		out = appendOffset(out, i-from, n-leastMatch)
		i += n
		begun = i
	}
	return sequence(out, data[begun:], 0)
}

// common returns how many bytes a and b, the shorter one, begin with in common.
func common(a, b []byte) int {
	n := 0
	for len(b)-n >= 8 {
		if differ := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); differ != 0 {
			return n + bits.TrailingZeros64(differ)/8
		}
		n += 8
	}
	for n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// sequence appends a token for literals and a copy of so many bytes more than
// the least, and the literals.
func sequence(out, literals []byte, match int) []byte {
	out = append(out, byte(min(len(literals), 15)<<4|min(match, 15)))
	out = appendLength(out, len(literals))
	return append(out, literals...)
}

func appendOffset(out []byte, offset, match int) []byte {
	return appendLength(append(out, byte(offset), byte(offset>>8)), match)
}

// appendLength appends what of n does not fit into the token.
func appendLength(out []byte, n int) []byte {
	if n < 15 {
		return out
	}
	for n -= 15; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(out, byte(n))
}
