package elfload

import "strings"

const tlsAdvice = "compile with -femulated-tls"

// class is the protection a section's pages get.
type class uint8

const (
	classNone  class = iota // not loaded
	classText               // read, execute
	classConst              // read
	classData               // read, write
)

// layout holds offsets in the image. Ranges start on page boundaries:
// [0, constants) text and stubs, [constants, data) constants and the global
// offset table, [data, size) data, zeroed data and COMMON.
type layout struct {
	align     uint64
	stubs     uint64
	textEnd   uint64
	constants uint64
	table     uint64
	data      uint64
	size      uint64
}

// classify decides how s is loaded and refuses what cannot be.
func (s *section) classify() error {
	switch s.typ {
	case shtSymtabShndx:
		return unsupported("extended section indexes: compile without -ffunction-sections and -fdata-sections")
	case shtRel, shtRelr, shtCrel:
		return unsupported("relocation section %s of type %#x: want SHT_RELA", s.name, s.typ)
	case shtNull:
		return nil
	}
	if s.flags&shfAlloc == 0 || s.flags&shfExclude != 0 {
		return nil
	}
	switch {
	case s.flags&shfTLS != 0:
		return &Error{Kind: ErrUnsupported, Section: s.name, Reason: "thread-local section " + s.name + ": " + tlsAdvice}
	case s.flags&shfCompressed != 0:
		return unsupported("section %s is compressed", s.name)
	case s.flags&(shfWrite|shfExec) == shfWrite|shfExec:
		return unsupported("section %s is writable and executable", s.name)
	case !powerOfTwo(s.align) || s.align > maxAlign:
		return damaged("section %s is aligned to %d bytes: want a power of two up to %d", s.name, s.align, maxAlign)
	case s.size > maxImage:
		return unsupported("section %s of %d bytes: the limit is %d for the whole image", s.name, s.size, maxImage)
	case s.flags&shfExec != 0:
		s.class = classText
	case s.flags&shfWrite == 0 || s.writtenByRelocationOnly():
		s.class = classConst
	default:
		s.class = classData
	}
	return nil
}

// writtenByRelocationOnly tells whether a writable section can be sealed once
// it is relocated.
func (s *section) writtenByRelocationOnly() bool {
	switch s.typ {
	case shtInitArray, shtFiniArray, shtPreinitArray, shtX8664Unwind:
		return true
	}
	for _, p := range []string{".data.rel.ro", ".ldata.rel.ro", ".ctors", ".dtors", ".eh_frame", ".gcc_except_table"} {
		if strings.HasPrefix(s.name, p) {
			return true
		}
	}
	return false
}

func (s *section) holdsFrames() bool {
	return s.class == classConst && s.size > 0 && (s.typ == shtX8664Unwind || s.name == ".eh_frame")
}

// frameEnd is the zero word that ends an unwind table.
const frameEnd = 4

// layOut gives every loaded section and COMMON symbol its offset.
func (o *Object) layOut(header) error {
	l := &o.layout
	page := o.arch.page
	l.align = page
	var at uint64
	put := func(size, align uint64) uint64 {
		l.align = max(l.align, align)
		start := alignUp(at, align)
		at = start + size
		return start
	}
	// Each addend is below 2^31 and there are below 2^16 sections and 2^32
	// symbols, so sums cannot wrap before the limit is looked at.
	sections := func(c class, contents bool) {
		for i := range o.sections {
			s := &o.sections[i]
			if s.class != c || s.hasContents() != contents {
				continue
			}
			size := s.size
			if s.holdsFrames() {
				size += frameEnd
			}
			s.at = put(size, s.align)
		}
	}
	sections(classText, true)
	sections(classText, false)
	l.stubs = put(uint64(o.stubs)*o.arch.stubSize, o.arch.stubSize)
	l.textEnd = at
	l.constants = put(0, page)
	sections(classConst, true)
	sections(classConst, false)
	l.table = put(uint64(o.slots)*8, 8)
	l.data = put(0, page)
	sections(classData, true)
	sections(classData, false)
	for i := range o.symbols {
		if s := &o.symbols[i]; s.place == placeCommon {
			s.value = put(s.size, s.value)
		}
	}
	l.size = max(alignUp(at, page), page)
	if l.size > maxImage {
		return unsupported("image of %d bytes: the limit is %d", l.size, maxImage)
	}
	for i := range o.symbols {
		if s := &o.symbols[i]; s.place == placeImage {
			s.value += o.sections[s.shndx].at
		}
	}
	return nil
}
