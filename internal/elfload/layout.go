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

// classes is the number of classes. Sections of one class make up one of an
// image's zones.
const classes = classData + 1

// layout is what the zones of an image hold besides sections.
type layout struct {
	zones [classes]zone // the one of classNone is empty
	stubs uint64        // offset in the text
	table uint64        // offset of the global offset table in the constants
	// frames is the offset of the unwind tables in the constants. They come last:
	// an image that has no use for them goes without.
	frames uint64
}

// zone is the extent of one class, bytes.
type zone struct{ size, align uint64 }

// put makes room for size bytes and returns their offset.
func (z *zone) put(size, align uint64) uint64 {
	at := alignUp(z.size, align)
	z.size = at + size
	z.align = max(z.align, align)
	return at
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
	for i := range l.zones {
		l.zones[i].align = 1
	}
	// Each addend is below 2^31 and there are below 2^16 sections and 2^32
	// symbols, so sums cannot wrap before the limit is looked at.
	sections := func(c class, contents bool) {
		for i := range o.sections {
			s := &o.sections[i]
			if s.class == c && s.hasContents() == contents && !s.holdsFrames() {
				s.at = l.zones[c].put(s.size, s.align)
			}
		}
	}
	for c := classText; c < classes; c++ {
		sections(c, true)
		sections(c, false)
	}
	text, constants, data := &l.zones[classText], &l.zones[classConst], &l.zones[classData]
	l.stubs = text.put(uint64(o.stubs)*o.arch.stubSize, o.arch.stubSize)
	// Never empty, so that its address is the image's alone.
	text.size = max(text.size, 1)
	l.table = constants.put(uint64(o.slots)*8, 8)
	l.frames = constants.size
	for i := range o.sections {
		if s := &o.sections[i]; s.holdsFrames() {
			s.at = constants.put(s.size+frameEnd, max(s.align, 8))
		}
	}
	for i := range o.symbols {
		if s := &o.symbols[i]; s.place == placeCommon {
			s.value = data.put(s.size, s.value)
		}
	}
	size := uint64(0)
	for _, z := range l.zones {
		size += alignUp(z.size, smallestPage)
	}
	if size > maxImage {
		return unsupported("image of %d bytes: the limit is %d", size, maxImage)
	}
	return nil
}
