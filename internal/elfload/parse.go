package elfload

import "strings"

const (
	// maxImage bounds an image so that every reference inside it fits 32 bits,
	// the gaps that alignment makes between its zones included.
	maxImage = 1<<31 - 1<<24
	maxAlign = 1 << 21
)

// Parse reads a relocatable object, checks all that loading relies on and lays
// the image out. It keeps obj, which must not change while the Object is in
// use. Errors are of type [*Error]: ErrFormat for bytes that are damaged or of
// another kind, ErrUnsupported for what this package does not take. Parse does
// not notice damage to instructions or data; verify a digest of obj first.
func Parse(obj []byte) (*Object, error) {
	h, err := readHeader(obj)
	if err != nil {
		return nil, err
	}
	o := &Object{raw: obj, arch: archOf(h.machine)}
	if o.arch == nil {
		return nil, damaged("ELF machine %d: want x86-64 (%d) or AArch64 (%d)", h.machine, machineX8664, machineAArch64)
	}
	for _, step := range []func(*Object, header) error{
		(*Object).readSections,
		(*Object).readSymbols,
		(*Object).readGroups,
		(*Object).readRelocations,
		(*Object).layOut,
		(*Object).readFunctionLists,
		(*Object).readFrames,
	} {
		if err := step(o, h); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (o *Object) readSections(h header) error {
	o.sections = make([]section, h.shnum)
	var stored uint64
	for i := range o.sections {
		b := o.raw[h.shoff+uint64(i)*sectionSize:][:sectionSize]
		s := &o.sections[i]
		*s = section{
			typ:   le.Uint32(b[4:]),
			flags: le.Uint64(b[8:]),
			off:   le.Uint64(b[24:]),
			size:  le.Uint64(b[32:]),
			link:  le.Uint32(b[40:]),
			info:  le.Uint32(b[44:]),
			align: max(le.Uint64(b[48:]), 1),
		}
		if !s.hasContents() {
			continue
		}
		if s.off > uint64(len(o.raw)) || s.size > uint64(len(o.raw))-s.off {
			return damaged("section %d reaches past the end: %d bytes at offset %d of %d", i, s.size, s.off, len(o.raw))
		}
		// Sections that overlap would let a small file ask for any amount of work.
		if stored += s.size; stored > uint64(len(o.raw)) {
			return damaged("sections overlap")
		}
	}
	names, err := readStrings(o.contents(h.shstrndx))
	if err != nil {
		return err
	}
	o.names = names
	for i := range o.sections {
		b := o.raw[h.shoff+uint64(i)*sectionSize:]
		s := &o.sections[i]
		if !names.holds(le.Uint32(b)) {
			return damaged("section %d: name outside the name table", i)
		}
		s.name = names.at(le.Uint32(b))
		if err := s.classify(); err != nil {
			return err
		}
		if s.class != classNone && strings.HasPrefix(s.name, ".gcc_except_table") {
			o.unwinds = true
		}
	}
	return nil
}

// contents returns the bytes of section i, none for those without.
func (o *Object) contents(i int) []byte {
	s := &o.sections[i]
	if !s.hasContents() {
		return nil
	}
	return o.raw[s.off:][:s.size]
}

func (o *Object) readSymbols(h header) error {
	table := -1
	for i := range o.sections {
		if o.sections[i].typ != shtSymtab {
			continue
		}
		if table >= 0 {
			return damaged("two symbol tables")
		}
		table = i
	}
	if table < 0 {
		return damaged("no symbol table")
	}
	t := &o.sections[table]
	if t.size%symbolSize != 0 || uint64(t.link) >= uint64(len(o.sections)) {
		return damaged("symbol table of %d bytes with names in section %d of %d", t.size, t.link, len(o.sections))
	}
	if o.names == "" || int(t.link) != h.shstrndx {
		var err error
		if o.names, err = readStrings(o.contents(int(t.link))); err != nil {
			return err
		}
	}
	o.symbols = make([]symbol, t.size/symbolSize)
	entries := o.contents(table)
	for i := range o.symbols {
		b := entries[i*symbolSize:][:symbolSize]
		s := &o.symbols[i]
		*s = symbol{
			value: le.Uint64(b[8:]),
			size:  le.Uint64(b[16:]),
			name:  le.Uint32(b),
			slot:  -1,
			stub:  -1,
			shndx: le.Uint16(b[6:]),
			info:  b[4],
		}
		if !o.names.holds(s.name) {
			return damaged("symbol %d: name outside the string table", i)
		}
		if i == 0 {
			*s = symbol{slot: -1, stub: -1, place: placeAbsolute}
			continue
		}
		if err := o.locate(s, b[4]&15); err != nil {
			return err
		}
	}
	return nil
}

// locate decides where the value of s comes from.
func (o *Object) locate(s *symbol, typ uint8) error {
	switch typ {
	case symTLS:
		name := o.name(s)
		return &Error{Kind: ErrUnsupported, Symbol: name, Reason: "thread-local symbol " + name + ": " + tlsAdvice}
	case symIfunc:
		name := o.name(s)
		return &Error{Kind: ErrUnsupported, Symbol: name, Reason: "indirect function (IFUNC) " + name + ": compile one version for this processor"}
	}
	switch {
	case s.shndx == shnUndef && s.name == 0:
		return damaged("an undefined symbol has no name")
	case s.shndx == shnUndef:
		s.value, s.size = 0, 0
		switch o.name(s) {
		case "_GLOBAL_OFFSET_TABLE_":
			s.place = placeTable
		case "__dso_handle":
			s.place = placeHandle
			o.dsoHandle = true
		default:
			s.place = placeUndefined
			o.unwinds = o.unwinds || throws(o.name(s))
		}
	case s.shndx == shnAbs:
		s.place = placeAbsolute
	case s.shndx == shnCommon, s.shndx == shnLCommon:
		s.place = placeCommon
		if align := s.value; !powerOfTwo(align) || align > maxAlign || s.size > maxImage {
			return damaged("common symbol %s: %d bytes aligned to %d", o.name(s), s.size, align)
		}
	case s.shndx == shnXindex:
		return unsupported("extended section index of symbol %s: compile without -ffunction-sections and -fdata-sections", o.name(s))
	case s.shndx >= shnReserve:
		return unsupported("symbol %s in reserved section %#x", o.name(s), s.shndx)
	case int(s.shndx) >= len(o.sections):
		return damaged("symbol %s in section %d of %d", o.name(s), s.shndx, len(o.sections))
	default:
		home := &o.sections[s.shndx]
		if s.value > home.size {
			return damaged("symbol %s at %d of the %d bytes of section %s", o.name(s), s.value, home.size, home.name)
		}
		s.place = placeImage
		if home.class == classNone {
			s.place = placeUnloaded
		}
	}
	return nil
}

// readGroups checks COMDAT groups. Within one object each is the only one of
// its name, so all are kept.
func (o *Object) readGroups(header) error {
	var seen map[string]bool
	for i := range o.sections {
		s := &o.sections[i]
		if s.typ != shtGroup {
			continue
		}
		b := o.contents(i)
		if len(b) < 4 || len(b)%4 != 0 || uint64(s.info) >= uint64(len(o.symbols)) {
			return damaged("section group %d: %d bytes, signed by symbol %d of %d", i, len(b), s.info, len(o.symbols))
		}
		for k := 4; k < len(b); k += 4 {
			if m := le.Uint32(b[k:]); m == 0 || uint64(m) >= uint64(len(o.sections)) {
				return damaged("section group %d holds section %d of %d", i, m, len(o.sections))
			}
		}
		if le.Uint32(b)&groupComdat == 0 {
			continue
		}
		name := o.name(&o.symbols[s.info])
		if seen[name] {
			return unsupported("COMDAT group %s occurs twice: link the parts with \"ld -r\"", name)
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		seen[name] = true
	}
	return nil
}
