package tool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

var errNotELF = errors.New("not a 64-bit ELF file of this machine's byte order")

const (
	elfHeaderBytes  = 64
	elfSectionBytes = 64
	// mostSection bounds what is read of a section: names and notes.
	mostSection = 16 << 20
)

// readSection returns the contents of a section of a 64-bit little-endian ELF
// file with a few small reads, nil where there is none of that name.
func readSection(f io.ReaderAt, name string) ([]byte, error) {
	le := binary.LittleEndian
	head := make([]byte, elfHeaderBytes)
	if _, err := f.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, []byte("\x7fELF\x02\x01")) {
		return nil, errNotELF
	}
	at, size, count, names := le.Uint64(head[40:]), le.Uint16(head[58:]), le.Uint16(head[60:]), le.Uint16(head[62:])
	if size != elfSectionBytes || names >= count || at > 1<<62 {
		return nil, errNotELF
	}
	table := make([]byte, int(count)*elfSectionBytes)
	if _, err := f.ReadAt(table, int64(at)); err != nil {
		return nil, errNotELF
	}
	read := func(i uint16) ([]byte, error) {
		h := table[int(i)*elfSectionBytes:]
		offset, size := le.Uint64(h[24:]), le.Uint64(h[32:])
		if size > mostSection || offset > 1<<62 {
			return nil, errNotELF
		}
		b := make([]byte, size)
		if _, err := f.ReadAt(b, int64(offset)); err != nil {
			return nil, errNotELF
		}
		return b, nil
	}
	texts, err := read(names)
	if err != nil {
		return nil, err
	}
	for i := range count {
		start := uint64(le.Uint32(table[int(i)*elfSectionBytes:]))
		if start >= uint64(len(texts)) {
			continue
		}
		text, _, _ := bytes.Cut(texts[start:], []byte{0})
		if string(text) == name {
			return read(i)
		}
	}
	return nil, nil
}
