package image

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

const (
	elfHeaderBytes  = 64
	elfSectionBytes = 64
	elfSymbolBytes  = 24
	elfRelaBytes    = 24

	machineX86_64  = 62
	machineAArch64 = 183
	machineCUDA    = 190
	machineAMDGPU  = 224

	elfRelocatable = 1

	sectionSymbols        = 2
	sectionRela           = 4
	sectionNote           = 7
	sectionNoBits         = 8
	sectionDynamicSymbols = 11

	symbolObject = 1
	symbolFunc   = 2
)

// elfKind tells GPU code from other ELF files by the machine in the header.
func elfKind(b []byte) Kind {
	if len(b) < 20 || b[5] != 1 {
		return ELF
	}
	switch binary.LittleEndian.Uint16(b[18:]) {
	case machineCUDA:
		return Cubin
	case machineAMDGPU:
		return AMDGPUObject
	}
	return ELF
}

// elfFile is the section table of a 64-bit little-endian ELF file.
type elfFile struct {
	osABI, abiVersion uint8
	kind, machine     uint16
	flags             uint32
	data              []byte
	sections          []elfSection
}

type elfSection struct {
	// name aliases the file, as a symbol's does: damaged tables can give the
	// same bytes to thousands of entries.
	name         []byte
	kind         uint32
	address      uint64
	offset, size uint64
	link, info   uint32
	// data is empty where the section takes no room in the file.
	data []byte
}

type elfSymbol struct {
	name        []byte
	info, other uint8
	section     uint16
	value, size uint64
}

func (s *elfSymbol) kind() uint8 { return s.info & 15 }

// readELF reads the header and the section table. Everything it returns lies
// within b.
func readELF(b []byte) (*elfFile, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < elfHeaderBytes:
		return nil, fmt.Errorf("its %d bytes are shorter than the header of %d", len(b), elfHeaderBytes)
	case b[4] != 2 || b[5] != 1:
		return nil, errors.New("it is no 64-bit little-endian file, and kiln opens no other")
	}
	e := &elfFile{
		osABI: b[7], abiVersion: b[8], kind: le.Uint16(b[16:]), machine: le.Uint16(b[18:]), flags: le.Uint32(b[48:]), data: b,
	}
	table, count, names := le.Uint64(b[40:]), uint64(le.Uint16(b[60:])), uint32(le.Uint16(b[62:]))
	segments, segmentBytes := le.Uint64(b[32:]), uint64(le.Uint16(b[54:]))*uint64(le.Uint16(b[56:]))
	if segmentBytes > 0 && (segments > uint64(len(b)) || segmentBytes > uint64(len(b))-segments) {
		return nil, fmt.Errorf("its program headers at byte %d reach behind the end at %d: truncated", segments, len(b))
	}
	if table == 0 {
		return e, nil
	}
	if table > uint64(len(b)) || uint64(len(b))-table < elfSectionBytes {
		return nil, fmt.Errorf("its section table at byte %d lies behind the end at %d: truncated", table, len(b))
	}
	if size := le.Uint16(b[58:]); size != elfSectionBytes {
		return nil, fmt.Errorf("its section headers have %d bytes, not %d", size, elfSectionBytes)
	}
	if count == 0 {
		count = le.Uint64(b[table+32:])
	}
	if names == 0xFFFF {
		names = le.Uint32(b[table+40:])
	}
	if count > (uint64(len(b))-table)/elfSectionBytes {
		return nil, fmt.Errorf("its section table of %d entries reaches behind the end: truncated", count)
	}
	e.sections = make([]elfSection, count)
	nameOffsets := make([]uint32, count)
	total := uint64(0)
	for i := range e.sections {
		h, s := b[table+uint64(i)*elfSectionBytes:], &e.sections[i]
		nameOffsets[i], s.kind = le.Uint32(h), le.Uint32(h[4:])
		s.address, s.offset, s.size = le.Uint64(h[16:]), le.Uint64(h[24:]), le.Uint64(h[32:])
		s.link, s.info = le.Uint32(h[40:]), le.Uint32(h[44:])
		if s.kind == sectionNoBits || s.kind == 0 {
			continue
		}
		if s.offset > uint64(len(b)) || s.size > uint64(len(b))-s.offset {
			return nil, fmt.Errorf("its section %d lies at %d+%d, the file has %d bytes: truncated or damaged", i, s.offset, s.size, len(b))
		}
		s.data = b[s.offset : s.offset+s.size : s.offset+s.size]
		// Sections that share their bytes would multiply the work of reading a file.
		if total += s.size; total/2 > uint64(len(b)) {
			return nil, errors.New("its sections overlap: damaged")
		}
	}
	if uint64(names) < count {
		for i := range e.sections {
			e.sections[i].name = textAt(e.sections[names].data, uint64(nameOffsets[i]))
		}
	}
	return e, nil
}

// maxName bounds the search for a name's end in damaged tables.
const maxName = 16 << 10

// textAt returns the zero-terminated text at an offset, empty where there is none.
func textAt(b []byte, offset uint64) []byte {
	if offset >= uint64(len(b)) {
		return nil
	}
	b = b[offset:]
	n := bytes.IndexByte(b[:min(len(b), maxName)], 0)
	return b[:max(n, 0)]
}

// section returns the first section of that name, nil where there is none.
func (e *elfFile) section(name string) *elfSection {
	for i := range e.sections {
		if string(e.sections[i].name) == name {
			return &e.sections[i]
		}
	}
	return nil
}

// symbols yields the symbols of the full table, or of the dynamic one where
// the full one was stripped, with their index.
func (e *elfFile) symbols(yield func(int, elfSymbol) bool) {
	kind := uint32(sectionDynamicSymbols)
	for i := range e.sections {
		if e.sections[i].kind == sectionSymbols {
			kind = sectionSymbols
		}
	}
	for i := range e.sections {
		if e.sections[i].kind != kind {
			continue
		}
		for n := range len(e.sections[i].data) / elfSymbolBytes {
			s, ok := e.symbol(i, uint32(n))
			if ok && !yield(n, s) {
				return
			}
		}
	}
}

func (e *elfFile) symbol(table int, n uint32) (elfSymbol, bool) {
	t := &e.sections[table]
	at := uint64(n) * elfSymbolBytes
	if at+elfSymbolBytes > uint64(len(t.data)) || uint64(t.link) >= uint64(len(e.sections)) {
		return elfSymbol{}, false
	}
	b := t.data[at:]
	le := binary.LittleEndian
	return elfSymbol{
		name: textAt(e.sections[t.link].data, uint64(le.Uint32(b))), info: b[4], other: b[5], section: le.Uint16(b[6:]),
		value: le.Uint64(b[8:]), size: le.Uint64(b[16:]),
	}, true
}

// contents returns what a symbol names and where it lies in the file: nothing
// where that is not in the file.
func (e *elfFile) contents(s elfSymbol) (b []byte, offset uint64) {
	if int(s.section) >= len(e.sections) {
		return nil, 0
	}
	section := &e.sections[s.section]
	at := s.value
	if e.kind != elfRelocatable {
		at -= section.address
	}
	if at > uint64(len(section.data)) || s.size > uint64(len(section.data))-at {
		return nil, 0
	}
	return section.data[at : at+s.size], section.offset + at
}

// note yields the descriptors of the notes of one owner and type.
func (e *elfFile) notes(owner string, kind uint32) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for i := range e.sections {
			if e.sections[i].kind != sectionNote {
				continue
			}
			for b := e.sections[i].data; len(b) >= 12; {
				le := binary.LittleEndian
				name, size, is := uint64(le.Uint32(b)), uint64(le.Uint32(b[4:])), le.Uint32(b[8:])
				start := alignUp(12+name, 4)
				if start+size > uint64(len(b)) {
					break
				}
				if is == kind && strings.TrimRight(string(b[12:12+name]), "\x00") == owner && !yield(b[start:start+size]) {
					return
				}
				b = b[min(alignUp(start+size, 4), uint64(len(b))):]
			}
		}
	}
}

// comment returns what .comment says of the compiler, or else of the linker.
func (e *elfFile) comment() string {
	s := e.section(".comment")
	if s == nil {
		return ""
	}
	first := ""
	for text := range strings.SplitSeq(string(s.data[:min(len(s.data), math.MaxUint16)]), "\x00") {
		if text != "" && !strings.HasPrefix(text, "Linker:") {
			return text
		}
		first = cmp.Or(first, text)
	}
	return first
}
