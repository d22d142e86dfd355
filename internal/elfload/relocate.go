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
	if width := uint64(row.field.shape().bytes); e.off > target.size || width > target.size-e.off {
		return damaged("%s against %q at %d of the %d bytes of section %s", row.name, o.name(s), e.off, target.size, target.name)
	}
	if s.place == placeUnloaded {
		return refuse("the symbol's section %s is not loaded", o.sections[s.shndx].name)
	}
	if row.form.slotted() && row.field.instruction() && e.addend != 0 {
		return refuse("addend %d to an address in the global offset table", e.addend)
	}
	if o.arch.low && row.form == formAbs && row.field == field32 && s.place != placeAbsolute {
		o.low = true
	}
	if row.field.near() && (row.form.slotted() || o.classOf(s) != target.class) {
		o.compact = true
	}
	outside := s.place == placeUndefined || s.place == placeAbsolute && e.sym != 0
	stub := outside && row.stubbed()
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

// stubbed tells whether a stub can take the place of a far symbol.
func (r *relocation) stubbed() bool {
	switch r.form {
	case formBranch, formPage:
		return true
	case formPC, formAbs:
		return r.field == field32 || r.field == fieldAdr || r.field.lowBits()
	}
	return false
}

// classOf returns the class of the zone that s lies in.
func (o *Object) classOf(s *symbol) class {
	switch s.place {
	case placeImage:
		return o.sections[s.shndx].class
	case placeCommon:
		return classData
	case placeTable:
		return classConst
	}
	return classNone
}

// binding is where an image lies and what its symbols are.
type binding struct {
	base   [classes]uint64 // of each zone
	frames bool            // unwind tables are part of the image
	addrs  []uint64        // one for each symbol
	// function tells whether name is a function of another library that starts
	// at addr, so that a stub may stand for it. It may be nil.
	function func(name string, addr uint64) bool
}

// contents are the bytes of an image's zones.
type contents [classes][]byte

// bind adds the addresses that follow from the bases; those of undefined
// symbols are in addrs already.
func (o *Object) bind(b *binding) {
	for i := range o.symbols {
		switch s := &o.symbols[i]; s.place {
		case placeAbsolute:
			b.addrs[i] = s.value
		case placeImage:
			home := &o.sections[s.shndx]
			b.addrs[i] = b.base[home.class] + home.at + s.value
		case placeCommon:
			b.addrs[i] = b.base[classData] + s.value
		case placeTable:
			b.addrs[i] = b.table(o)
		case placeHandle:
			b.addrs[i] = b.base[classText]
		}
	}
}

func (b *binding) table(o *Object) uint64 { return b.base[classConst] + o.layout.table }

// build fills mem, the zeroed bytes of an image that will run at b.base.
func (o *Object) build(mem *contents, b *binding) error {
	o.bind(b)
	for i := range o.sections {
		if s := &o.sections[i]; b.holds(s) && s.hasContents() {
			copy(mem[s.class][s.at:], o.contents(i))
		}
	}
	for i := range o.symbols {
		s := &o.symbols[i]
		if s.slot < 0 {
			continue
		}
		slot := o.slot(s)
		le.PutUint64(mem[classConst][slot:], b.addrs[i])
		if s.stub >= 0 {
			at := o.stub(s)
			o.arch.stub(mem[classText][at:at+o.arch.stubSize], b.base[classText]+at, b.base[classConst]+slot)
		}
	}
	for _, t := range o.tables {
		target := &o.sections[t.target]
		if !b.holds(target) {
			continue
		}
		for k := range t.count {
			if err := o.apply(mem, b, target, o.entry(t, k)); err != nil {
				return err
			}
		}
	}
	return nil
}

// holds tells whether s is part of the image.
func (b *binding) holds(s *section) bool {
	return s.class != classNone && (b.frames || !s.holdsFrames())
}

func (o *Object) slot(s *symbol) uint64 { return o.layout.table + uint64(s.slot)*8 }
func (o *Object) stub(s *symbol) uint64 { return o.layout.stubs + uint64(s.stub)*o.arch.stubSize }

func (o *Object) apply(mem *contents, b *binding, target *section, e rela) error {
	row := &o.arch.relocs[e.typ]
	if row.form == formIgnored {
		return nil
	}
	s := &o.symbols[e.sym]
	addr := b.addrs[e.sym]
	at := target.at + e.off
	t := terms{
		addend: uint64(e.addend),
		place:  b.base[target.class] + at,
		slot:   b.base[classConst] + o.slot(s),
		table:  b.table(o),
		size:   s.size,
	}
	stubbed := s.stub >= 0 && row.stubbed()
	if stubbed && row.form != formBranch && o.beyondReach(b, addr) && b.isFunction(o.name(s), addr) {
		addr = b.base[classText] + o.stub(s)
	}
	v := row.form.compute(addr, &t)
	if !row.field.fits(row.check, int64(v)) && stubbed && (row.form == formBranch || b.isFunction(o.name(s), addr)) {
		v = row.form.compute(b.base[classText]+o.stub(s), &t)
	}
	if !row.field.fits(row.check, int64(v)) {
		return o.outOfRange(row, s, target, e, v)
	}
	row.field.put(mem[target.class][at:], v)
	return nil
}

func (b *binding) isFunction(name string, addr uint64) bool {
	return b.function != nil && b.function(name, addr)
}

// beyondReach tells whether all references to addr must go to its stub.
func (o *Object) beyondReach(b *binding, addr uint64) bool {
	reach := o.arch.reach
	return reach != 0 && addr-b.base[classText]+reach >= 2*reach
}

func (o *Object) outOfRange(row *relocation, s *symbol, target *section, e rela, v uint64) error {
	err := &Error{Kind: ErrRange, Reloc: row.name, Symbol: o.name(s), Section: target.name}
	shape := row.field.shape()
	if shape.aligned && v&(1<<shape.low-1) != 0 {
		err.Reason = fmt.Sprintf("the value %#x at offset %d is no multiple of %d", v, e.off, 1<<shape.low)
		return err
	}
	err.Reason = fmt.Sprintf("the value does not fit the %d-byte field at offset %d", shape.bytes, e.off)
	if row.field.instruction() {
		err.Reason = fmt.Sprintf("the value does not fit the %d bits of the instruction at offset %d", shape.bits, e.off)
	}
	if s.place == placeUndefined {
		err.Reason += "; the symbol lies outside the object: compile with -fPIC"
	}
	return err
}
