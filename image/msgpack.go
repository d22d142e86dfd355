package image

import (
	"encoding/binary"
	"errors"
)

var errMessagePack = errors.New("the metadata is no valid MessagePack")

// packReader reads MessagePack in place. It knows what metadata of AMD code
// objects is made of: maps, lists, text, integers and booleans.
type packReader struct{ b []byte }

// The shapes of a value.
const (
	packOther = iota
	packInteger
	packText
	packList
	packMap
)

// packValue is one value, or the head of a list or map whose elements follow.
type packValue struct {
	shape  int
	number uint64 // of an integer, or the count of elements
	text   []byte
}

const maxPackDepth = 16

// next reads one value or head.
func (r *packReader) next() (packValue, error) {
	if len(r.b) == 0 {
		return packValue{}, errMessagePack
	}
	c := r.b[0]
	r.b = r.b[1:]
	switch {
	case c < 0x80:
		return packValue{shape: packInteger, number: uint64(c)}, nil
	case c < 0x90:
		return packValue{shape: packMap, number: uint64(c & 15)}, nil
	case c < 0xA0:
		return packValue{shape: packList, number: uint64(c & 15)}, nil
	case c < 0xC0:
		return r.text(uint64(c & 31))
	case c >= 0xE0:
		return packValue{shape: packInteger, number: uint64(int8(c))}, nil
	}
	switch c {
	case 0xC0:
		return packValue{}, nil
	case 0xC2, 0xC3:
		return packValue{shape: packInteger, number: uint64(c & 1)}, nil
	case 0xC4, 0xC5, 0xC6: // raw bytes
		n, err := r.number(1 << (c - 0xC4))
		if err != nil {
			return packValue{}, err
		}
		_, err = r.text(n)
		return packValue{}, err
	case 0xCA, 0xCB: // floating point
		_, err := r.number(4 << (c - 0xCA))
		return packValue{}, err
	case 0xCC, 0xCD, 0xCE, 0xCF:
		n, err := r.number(1 << (c - 0xCC))
		return packValue{shape: packInteger, number: n}, err
	case 0xD0, 0xD1, 0xD2, 0xD3:
		size := 1 << (c - 0xD0)
		n, err := r.number(size)
		shift := 64 - 8*size
		return packValue{shape: packInteger, number: uint64(int64(n<<shift) >> shift)}, err
	case 0xD9, 0xDA, 0xDB:
		n, err := r.number(1 << (c - 0xD9))
		if err != nil {
			return packValue{}, err
		}
		return r.text(n)
	case 0xDC, 0xDD:
		n, err := r.number(2 << (c - 0xDC))
		return packValue{shape: packList, number: n}, err
	case 0xDE, 0xDF:
		n, err := r.number(2 << (c - 0xDE))
		return packValue{shape: packMap, number: n}, err
	}
	return packValue{}, errMessagePack
}

// number reads a big-endian integer of 1, 2, 4 or 8 bytes.
func (r *packReader) number(size int) (uint64, error) {
	if size > len(r.b) {
		return 0, errMessagePack
	}
	var word [8]byte
	copy(word[8-size:], r.b)
	r.b = r.b[size:]
	return binary.BigEndian.Uint64(word[:]), nil
}

func (r *packReader) text(n uint64) (packValue, error) {
	if n > uint64(len(r.b)) {
		return packValue{}, errMessagePack
	}
	v := packValue{shape: packText, text: r.b[:n]}
	r.b = r.b[n:]
	return v, nil
}

// skip moves past what follows the head v.
func (r *packReader) skip(v packValue, depth int) error {
	elements := uint64(0)
	switch v.shape {
	case packList:
		elements = v.number
	case packMap:
		elements = 2 * v.number
	}
	if elements > 0 && depth == maxPackDepth {
		return errMessagePack
	}
	for range elements {
		inner, err := r.next()
		if err == nil {
			err = r.skip(inner, depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fields calls f with each name and value of the map whose head is v. What f
// does not read of a list or map, it must skip.
func (r *packReader) fields(v packValue, f func(name string, v packValue) error) error {
	if v.shape != packMap {
		return errMessagePack
	}
	for range v.number {
		name, err := r.next()
		if err != nil {
			return err
		}
		if name.shape != packText {
			return errMessagePack
		}
		value, err := r.next()
		if err != nil {
			return err
		}
		if err := f(string(name.text), value); err != nil {
			return err
		}
	}
	return nil
}

// elements calls f with the head of each element of the list whose head is v.
func (r *packReader) elements(v packValue, f func(v packValue) error) error {
	if v.shape != packList {
		return errMessagePack
	}
	for range v.number {
		element, err := r.next()
		if err == nil {
			err = f(element)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
