package elfload

import "fmt"

// readRelocations checks every relocation of the loaded sections and counts
// the table slots and call stubs they need.
func (o *Object) readRelocations(header) error {
	for i := range o.sections {
		r := &o.sections[i]
		if r.typ != shtRela {
			continue
		}
		if uint64(r.info) >= uint64(len(o.sections)) || r.size%relaSize != 0 {
			return damaged("relocation section %s: %d bytes for section %d of %d", r.name, r.size, r.info, len(o.sections))
		}
		target := &o.sections[r.info]
		if target.class == classNone {
			continue
		}
		if !target.hasContents() && r.size > 0 {
			return damaged("relocations against section %s, which has no contents", target.name)
		}
		t := relocTable{target: int(r.info), off: r.off, count: int(r.size / relaSize)}
		for k := range t.count {
			if err := o.checkRelocation(target, o.entry(t, k)); err != nil {
				return err
			}
		}
		o.tables = append(o.tables, t)
	}
	return nil
}

// rela is one relocation entry.
type rela struct {
	off    uint64
	typ    uint32
	sym    uint32
	addend int64
}

func (o *Object) entry(t relocTable, k int) rela {
	b := o.raw[t.off+uint64(k)*relaSize:][:relaSize]
	return rela{le.Uint64(b), le.Uint32(b[8:]), le.Uint32(b[12:]), int64(le.Uint64(b[16:]))}
}

func (o *Object) checkRelocation(target *section, e rela) error {
	row := o.arch.reloc(e.typ)
	if uint64(e.sym) >= uint64(len(o.symbols)) {
		return damaged("relocation in section %s names symbol %d of %d", target.name, e.sym, len(o.symbols))
	}
	s := &o.symbols[e.sym]
	refuse := func(format string, args ...any) error {
		return &Error{Kind: ErrUnsupported, Reloc: row.name, Symbol: o.name(s), Section: target.name, Reason: fmt.Sprintf(format, args...)}
	}
	switch row.form {
	case formIgnored:
		return nil
	case formUnknown:
		row.name = fmt.Sprintf("relocation type %d", e.typ)
		return refuse("not known for this machine")
	case formTLS:
		return refuse("thread-local storage: %s", tlsAdvice)
	case formDynamic:
		return refuse("belongs into linked files only")
	case formSize:
		if s.place == placeUndefined {
			return refuse("the size of an undefined symbol is not known")
		}
	}
	if width := uint64(row.width); e.off > target.size || width > target.size-e.off {
		return damaged("%s against %q at %d of the %d bytes of section %s", row.name, o.name(s), e.off, target.size, target.name)
	}
	if s.place == placeUnloaded {
		return refuse("the symbol's section %s is not loaded", o.sections[s.shndx].name)
	}
	if row.form == formAbs && row.width == 4 && s.place != placeAbsolute {
		o.low = true
	}
	outside := s.place == placeUndefined || s.place == placeAbsolute && e.sym != 0
	stub := outside && row.width == 4 && (row.form == formBranch || row.form == formPC || row.form == formAbs)
	if stub && s.stub < 0 {
		s.stub = int32(o.stubs)
		o.stubs++
	}
	if (stub || row.form.slotted()) && s.slot < 0 {
		s.slot = int32(o.slots)
		o.slots++
	}
	return nil
}

// binding is where an image lies and what its symbols are.
type binding struct {
	base  uint64
	addrs []uint64 // one for each symbol
	// function tells whether name is a function of another library that starts
	// at addr, so that a stub may stand for it. It may be nil.
	function func(name string, addr uint64) bool
}

// bind adds the addresses that follow from base; those of undefined symbols
// are in addrs already.
func (o *Object) bind(b *binding) {
	for i := range o.symbols {
		switch s := &o.symbols[i]; s.place {
		case placeAbsolute:
			b.addrs[i] = s.value
		case placeImage, placeCommon:
			b.addrs[i] = b.base + s.value
		case placeTable:
			b.addrs[i] = b.base + o.layout.table
		case placeHandle:
			b.addrs[i] = b.base
		}
	}
}

// build fills mem, the zeroed bytes of an image that will run at b.base.
func (o *Object) build(mem []byte, b *binding) error {
	o.bind(b)
	for i := range o.sections {
		if s := &o.sections[i]; s.class != classNone && s.hasContents() {
			copy(mem[s.at:], o.contents(i))
		}
	}
	for i := range o.symbols {
		s := &o.symbols[i]
		if s.slot < 0 {
			continue
		}
		slot := o.slot(s)
		le.PutUint64(mem[slot:], b.addrs[i])
		if s.stub >= 0 {
			at := o.stub(s)
			o.arch.stub(mem[at:at+o.arch.stubSize], b.base+at, b.base+slot)
		}
	}
	for _, t := range o.tables {
		for k := range t.count {
			if err := o.apply(mem, b, &o.sections[t.target], o.entry(t, k)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *Object) slot(s *symbol) uint64 { return o.layout.table + uint64(s.slot)*8 }
func (o *Object) stub(s *symbol) uint64 { return o.layout.stubs + uint64(s.stub)*o.arch.stubSize }

func (o *Object) apply(mem []byte, b *binding, target *section, e rela) error {
	row := &o.arch.relocs[e.typ]
	if row.form == formIgnored {
		return nil
	}
	s := &o.symbols[e.sym]
	var (
		addr  = b.addrs[e.sym]
		add   = uint64(e.addend)
		field = target.at + e.off
		at    = b.base + field
		table = b.base + o.layout.table
		v     uint64
	)
	switch row.form {
	case formAbs:
		v = addr + add
	case formPC, formBranch:
		v = addr + add - at
	case formSlotPC:
		v = b.base + o.slot(s) + add - at
	case formSlotOff:
		v = b.base + o.slot(s) + add - table
	case formOff:
		v = addr + add - table
	case formTablePC:
		v = table + add - at
	case formSize:
		v = s.size + add
	}
	if !row.check.fits(int64(v), row.width) && s.stub >= 0 &&
		(row.form == formBranch || b.function != nil && b.function(o.name(s), addr)) {
		v += b.base + o.stub(s) - addr
	}
	if !row.check.fits(int64(v), row.width) {
		return o.outOfRange(row, s, target, e)
	}
	switch row.width {
	case 1:
		mem[field] = byte(v)
	case 2:
		le.PutUint16(mem[field:], uint16(v))
	case 4:
		le.PutUint32(mem[field:], uint32(v))
	case 8:
		le.PutUint64(mem[field:], v)
	}
	return nil
}

func (o *Object) outOfRange(row *relocation, s *symbol, target *section, e rela) error {
	err := &Error{Kind: ErrRange, Reloc: row.name, Symbol: o.name(s), Section: target.name}
	err.Reason = fmt.Sprintf("the value does not fit the %d-byte field at offset %d", row.width, e.off)
	if s.place == placeUndefined {
		err.Reason += "; the symbol lies outside the object: compile with -fPIC"
	}
	return err
}
