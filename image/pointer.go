package image

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Relocations that put an address into a word, by machine: through a symbol,
// and by the place the file is loaded at.
const (
	relX86_64Word      = 1
	relX86_64Relative  = 8
	relAArch64Word     = 257
	relAArch64Relative = 1027

	firstReservedSection = 0xFF00
)

// place is somewhere in a file: a section and an offset in it.
type place struct {
	section int
	offset  uint64
}

// pointers resolves the addresses that sections hold.
type pointers struct {
	elf *elfFile
	// rela are the relocations in order of what they touch: in a relocatable
	// file a place in a section, in others an address, with section 0.
	rela []rela
}

type rela struct {
	to           place
	addend       uint64
	kind, symbol uint32
	symbols      int
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(a.offset, b.offset))
}

// pointers reads the relocations of the file.
func (e *elfFile) pointers() *pointers {
	p := &pointers{elf: e}
	le := binary.LittleEndian
	for i := range e.sections {
		t := &e.sections[i]
		if t.kind != sectionRela {
			continue
		}
		for b := t.data; len(b) >= elfRelaBytes; b = b[elfRelaBytes:] {
			r := rela{
				to: place{offset: le.Uint64(b)}, addend: le.Uint64(b[16:]),
				kind: le.Uint32(b[8:]), symbol: le.Uint32(b[12:]), symbols: int(t.link),
			}
			if e.kind == elfRelocatable {
				r.to.section = int(t.info)
			}
			p.rela = append(p.rela, r)
		}
	}
	slices.SortStableFunc(p.rela, func(a, b rela) int { return comparePlaces(a.to, b.to) })
	return p
}

// at returns where the word at an offset of a section points.
func (p *pointers) at(section int, offset uint64) (place, bool) {
	e, s := p.elf, &p.elf.sections[section]
	if offset+8 > uint64(len(s.data)) {
		return place{}, false
	}
	from := place{section, offset}
	if e.kind != elfRelocatable {
		from = place{0, s.address + offset}
	}
	i, found := slices.BinarySearchFunc(p.rela, from, func(r rela, to place) int { return comparePlaces(r.to, to) })
	if !found {
		if e.kind == elfRelocatable {
			return place{}, false
		}
		return e.locate(binary.LittleEndian.Uint64(s.data[offset:]))
	}
	switch r := p.rela[i]; r.kind {
	case relX86_64Relative, relAArch64Relative:
		return e.locate(r.addend)
	case relX86_64Word, relAArch64Word:
		if r.symbols >= len(e.sections) {
			return place{}, false
		}
		symbol, ok := e.symbol(r.symbols, r.symbol)
		if !ok || symbol.section == 0 || symbol.section >= firstReservedSection || int(symbol.section) >= len(e.sections) {
			return place{}, false
		}
		if e.kind != elfRelocatable {
			return e.locate(symbol.value + r.addend)
		}
		return place{int(symbol.section), symbol.value + r.addend}, true
	}
	return place{}, false
}

// locate finds the section that an address lies in.
func (e *elfFile) locate(address uint64) (place, bool) {
	for i := range e.sections {
		s := &e.sections[i]
		if s.address != 0 && address >= s.address && address-s.address < uint64(len(s.data)) {
			return place{i, address - s.address}, true
		}
	}
	return place{}, false
}

// text returns the zero-terminated text at a place.
func (e *elfFile) text(at place) string {
	return string(textAt(e.sections[at.section].data, at.offset))
}
