package worker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A message is its length in four bytes and the fields of one value, in the
// order that its method walks them in: numbers as varints, texts and lists with
// their count before them. Only two ends of the same protocol and the same
// revision of the engine talk, so there is nothing else to say. Package
// encoding/gob would cost every program that starts a quarter of a millisecond,
// whether it compiles or not.

var (
	errMessage = errors.New("a message that makes no sense")
	errTooLong = errors.New("a message of 4 GiB or more")
)

// value is what can be sent and received.
type value interface{ fields(*wire) }

func send(out io.Writer, v value) error {
	w := wire{writing: true, bytes: make([]byte, 4, 512)}
	v.fields(&w)
	n := len(w.bytes) - 4
	if n > math.MaxUint32 {
		return errTooLong
	}
	binary.LittleEndian.PutUint32(w.bytes, uint32(n))
	_, err := out.Write(w.bytes)
	return err
}

// receive fills v, which must be zero, from the next message.
func receive(in io.Reader, v value) error {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return err
	}
	// Memory grows with what comes: the other end may be any program.
	n := int64(binary.LittleEndian.Uint32(head[:]))
	body, err := io.ReadAll(io.LimitReader(in, n))
	if err != nil {
		return err
	}
	if int64(len(body)) < n {
		return io.ErrUnexpectedEOF
	}
	w := wire{bytes: body}
	if v.fields(&w); w.bad || len(w.bytes) > 0 {
		return fmt.Errorf("%w: %d bytes", errMessage, n)
	}
	return nil
}

// wire walks fields for both directions, so that what is written and what is
// read cannot drift apart. What was read shares the memory of bytes.
type wire struct {
	writing bool
	bad     bool
	bytes   []byte // written, or still to be read
}

func (w *wire) fail() { w.bad, w.bytes = true, nil }

func number[T ~int | ~int32 | ~int64 | ~uint8 | ~uint32](w *wire, p *T) {
	if w.writing {
		w.bytes = binary.AppendVarint(w.bytes, int64(*p))
		return
	}
	v, n := binary.Varint(w.bytes)
	if n <= 0 || int64(T(v)) != v {
		w.fail()
		return
	}
	*p, w.bytes = T(v), w.bytes[n:]
}

// take returns the next bytes, counted.
func (w *wire) take() []byte {
	var n int
	if number(w, &n); n < 0 || n > len(w.bytes) {
		w.fail()
		return nil
	}
	b := w.bytes[:n:n]
	w.bytes = w.bytes[n:]
	return b
}

func text[T ~string](w *wire, p *T) {
	if n := len(*p); w.writing {
		number(w, &n)
		w.bytes = append(w.bytes, *p...)
		return
	}
	*p = T(w.take())
}

// blob carries bytes; none come as nil.
func (w *wire) blob(p *[]byte) {
	if n := len(*p); w.writing {
		number(w, &n)
		w.bytes = append(w.bytes, *p...)
	} else if b := w.take(); len(b) > 0 {
		*p = b
	}
}

// array carries as many bytes as p has.
func (w *wire) array(p []byte) {
	switch {
	case w.writing:
		w.bytes = append(w.bytes, p...)
	case len(w.bytes) < len(p):
		w.fail()
	default:
		w.bytes = w.bytes[copy(p, w.bytes):]
	}
}

func (w *wire) flag(p *bool) {
	var n uint8
	if *p {
		n = 1
	}
	number(w, &n)
	*p = n != 0
}

// list carries a slice; each element takes a byte or more.
func list[T any](w *wire, p *[]T, each func(*wire, *T)) {
	n := len(*p)
	number(w, &n)
	if !w.writing {
		switch {
		case n < 0 || n > len(w.bytes):
			w.fail()
			return
		case n == 0:
			return
		}
		*p = make([]T, n)
	}
	for i := range *p {
		each(w, &(*p)[i])
	}
}

// optional carries a pointer that may be nil.
func optional[T any](w *wire, p **T, each func(*T, *wire)) {
	there := *p != nil
	w.flag(&there)
	if !there {
		return
	}
	if !w.writing {
		*p = new(T)
	}
	each(*p, w)
}
