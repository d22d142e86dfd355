package image

import (
	"encoding/binary"
	"fmt"
)

// The encoding: seven bytes of magic and one of version, the length of the
// head in four bytes, the head, then the payload. All integers are little
// endian, strings and lists carry a four-byte count. Each value has exactly one
// encoding, so equal bytes mean equal values.
const (
	magicImage   = "kilnimg"
	magicSummary = "kilnsum"

	// codecVersion changes with any change of the encoding or of what it means.
	codecVersion = 3

	prefixBytes = len(magicImage) + 1 + 4
)

// coder walks a value's fields in one order for both directions, so that what
// is written and what is read cannot drift apart. When reading, strings share
// the memory of in, which is a single copy of the head.
type coder struct {
	writing bool
	out     []byte
	in      string
	bad     string
}

func (c *coder) fail(what string) {
	if c.bad == "" {
		c.bad = what
	}
	c.in = ""
}

// take returns the next n bytes, or nothing once the input is bad.
func (c *coder) take(n int) string {
	if n < 0 || n > len(c.in) {
		c.fail("a field reaches past the end")
		return ""
	}
	s := c.in[:n]
	c.in = c.in[n:]
	return s
}

func (c *coder) u8(p *uint8) {
	if c.writing {
		c.out = append(c.out, *p)
	} else if s := c.take(1); s != "" {
		*p = s[0]
	}
}

func (c *coder) u32(p *uint32) {
	if c.writing {
		c.out = binary.LittleEndian.AppendUint32(c.out, *p)
	} else if s := c.take(4); s != "" {
		*p = uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
	}
}

func (c *coder) u64(p *uint64) {
	low, high := uint32(*p), uint32(*p>>32)
	c.u32(&low)
	c.u32(&high)
	if !c.writing {
		*p = uint64(high)<<32 | uint64(low)
	}
}

func (c *coder) boolean(p *bool) {
	var v uint8
	if *p {
		v = 1
	}
	c.u8(&v)
	if v > 1 {
		c.fail("a flag is neither 0 nor 1")
	}
	if !c.writing {
		*p = v == 1
	}
}

func (c *coder) dim(p *[3]uint32) {
	for i := range p {
		c.u32(&p[i])
	}
}

func (c *coder) text(p *string) {
	n := uint32(len(*p))
	c.u32(&n)
	if c.writing {
		c.out = append(c.out, *p...)
	} else {
		*p = c.take(int(n))
	}
}

// enum carries a value of one byte that lies in [least, most].
func enum[T ~uint8](c *coder, p *T, least, most T) {
	v := uint8(*p)
	c.u8(&v)
	if c.writing {
		return
	}
	if *p = T(v); *p < least || *p > most {
		c.fail(fmt.Sprintf("%T has no value %d", *p, v))
	}
}

// list carries a slice whose elements take no less than least bytes each, which
// bounds what a damaged count can make it allocate.
func list[T any](c *coder, p *[]T, least int, each func(*coder, *T)) {
	n := uint32(len(*p))
	c.u32(&n)
	if !c.writing {
		if uint64(n)*uint64(least) > uint64(len(c.in)) {
			c.fail("a list is longer than what holds it")
			return
		}
		if n == 0 {
			*p = nil
			return
		}
		*p = make([]T, n)
	}
	for i := range *p {
		each(c, &(*p)[i])
	}
}

// marshal writes magic, version, the head that fields walks, and payload.
func marshal(magic string, sizeHint int, fields func(*coder), payload []byte) []byte {
	c := coder{writing: true, out: make([]byte, 0, prefixBytes+sizeHint+len(payload))}
	c.out = append(c.out, magic...)
	c.out = append(c.out, codecVersion, 0, 0, 0, 0)
	fields(&c)
	binary.LittleEndian.PutUint32(c.out[prefixBytes-4:], uint32(len(c.out)-prefixBytes))
	return append(c.out, payload...)
}

// openHead checks the prefix of b and splits what follows.
func openHead(b []byte, magic, what string) (head string, payload []byte, err error) {
	switch {
	case len(b) < prefixBytes:
		return "", nil, fmt.Errorf("decoding %s: %d bytes are shorter than the prefix of %d: %w", what, len(b), prefixBytes, ErrFormat)
	case !hasPrefix(b, magic):
		return "", nil, fmt.Errorf("decoding %s: it begins %q, not %q: %w", what, b[:len(magic)], magic, ErrFormat)
	case b[len(magic)] != codecVersion:
		return "", nil, fmt.Errorf("decoding %s: it has format version %d, this reader version %d: %w", what, b[len(magic)], codecVersion, ErrFormat)
	}
	n := binary.LittleEndian.Uint32(b[prefixBytes-4:])
	rest := b[prefixBytes:]
	if uint64(n) > uint64(len(rest)) {
		return "", nil, fmt.Errorf("decoding %s: its head has %d bytes, %d are there: %w", what, n, len(rest), ErrFormat)
	}
	return string(rest[:n]), rest[n:], nil
}

// close returns the error of a finished reading: a bad field, or bytes left over.
func (c *coder) close(what string) error {
	if c.bad == "" && len(c.in) > 0 {
		c.bad = fmt.Sprintf("%d bytes too many in its head", len(c.in))
	}
	if c.bad != "" {
		return fmt.Errorf("decoding %s: %s: %w", what, c.bad, ErrFormat)
	}
	return nil
}
