package elfload

import "slices"

// asmSection, asmSymbol and asmReloc describe an object for assemble.
type asmSection struct {
	name   string
	typ    uint32
	flags  uint64
	data   []byte
	size   uint64 // of NOBITS sections
	align  uint64
	info   uint32
	relocs []asmReloc
}

type asmSymbol struct {
	name  string
	bind  uint8
	typ   uint8
	shndx uint16 // a section's index counts from 1 in the order given
	value uint64
	size  uint64
}

type asmReloc struct {
	off    uint64
	typ    uint32
	sym    uint32 // index counts from 1 in the order given
	addend int64
}

// bound returns zeroed contents for an image of o whose zones follow each
// other from base on, unwind tables included.
func bound(o *Object, base uint64) (*contents, *binding) {
	mem, b := &contents{}, &binding{frames: true, addrs: make([]uint64, len(o.symbols))}
	for c := classText; c < classes; c++ {
		z := o.layout.zones[c]
		base = alignUp(base, max(smallestPage, z.align))
		b.base[c], mem[c] = base, make([]byte, z.size)
		base += z.size
	}
	return mem, b
}

// assemble writes a relocatable x86-64 object.
func assemble(sections []asmSection, symbols []asmSymbol) []byte {
	return assembleFor(machineX8664, sections, symbols)
}

func assembleFor(machine uint16, sections []asmSection, symbols []asmSymbol) []byte {
	names := []byte{0}
	name := func(s string) uint32 {
		if s == "" {
			return 0
		}
		at := len(names)
		names = append(append(names, s...), 0)
		return uint32(at)
	}
	strtab := len(sections) + 1
	symtab := strtab + 1
	out := make([]byte, headerSize)
	type placed struct {
		asmSection
		name       uint32
		off, size  uint64
		link, info uint32
	}
	table := []placed{{}}
	put := func(s asmSection, link, info uint32) {
		p := placed{s, name(s.name), uint64(len(out)), uint64(len(s.data)), link, info}
		if s.typ == shtNobits {
			p.size = s.size
		}
		out = append(out, s.data...)
		table = append(table, p)
	}
	for _, s := range sections {
		put(s, uint32(symtab), s.info)
	}
	table = append(table, placed{}) // the names, written last
	syms := make([]byte, symbolSize)
	for _, s := range symbols {
		syms = le.AppendUint32(syms, name(s.name))
		syms = append(syms, s.bind<<4|s.typ, 0)
		syms = le.AppendUint16(syms, s.shndx)
		syms = le.AppendUint64(syms, s.value)
		syms = le.AppendUint64(syms, s.size)
	}
	put(asmSection{name: ".symtab", typ: shtSymtab, data: syms}, uint32(strtab), 1)
	for i, s := range sections {
		if s.relocs == nil {
			continue
		}
		var b []byte
		for _, r := range s.relocs {
			b = le.AppendUint64(b, r.off)
			b = le.AppendUint64(b, uint64(r.sym)<<32|uint64(r.typ))
			b = le.AppendUint64(b, uint64(r.addend))
		}
		put(asmSection{name: ".rela" + s.name, typ: shtRela, data: b}, uint32(symtab), uint32(i+1))
	}
	n := name(".strtab")
	table[strtab] = placed{asmSection{typ: shtStrtab}, n, uint64(len(out)), uint64(len(names)), 0, 0}
	out = append(out, names...)

	copy(out, "\x7fELF\x02\x01\x01")
	le.PutUint16(out[16:], typeRelocatable)
	le.PutUint16(out[18:], machine)
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[40:], uint64(len(out)))
	le.PutUint16(out[52:], headerSize)
	le.PutUint16(out[58:], sectionSize)
	le.PutUint16(out[60:], uint16(len(table)))
	le.PutUint16(out[62:], uint16(strtab))
	for _, s := range table {
		out = le.AppendUint32(out, s.name)
		out = le.AppendUint32(out, s.typ)
		out = le.AppendUint64(out, s.flags)
		out = le.AppendUint64(out, 0)
		out = le.AppendUint64(out, s.off)
		out = le.AppendUint64(out, s.size)
		out = le.AppendUint32(out, s.link)
		out = le.AppendUint32(out, s.info)
		out = le.AppendUint64(out, s.align)
		out = le.AppendUint64(out, 0)
	}
	return out
}

// text and data are the sections most tests need.
func text(data []byte, relocs ...asmReloc) asmSection {
	return asmSection{name: ".text", typ: shtProgbits, flags: shfAlloc | shfExec, data: slices.Clone(data), align: 16, relocs: relocs}
}

func data(data []byte, relocs ...asmReloc) asmSection {
	return asmSection{name: ".data", typ: shtProgbits, flags: shfAlloc | shfWrite, data: slices.Clone(data), align: 8, relocs: relocs}
}
