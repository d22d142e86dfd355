package elfload

import "slices"

// Object is a parsed relocatable object, laid out but bound to no address.
// It is immutable: any number of goroutines may load it at once.
type Object struct {
	raw      []byte
	arch     *arch
	sections []section
	names    stringTable // of symbols
	symbols  []symbol
	tables   []relocTable

	slots, stubs int
	low          bool // must lie below 2 GiB
	compact      bool // its zones must lie next to each other
	unwinds      bool // exceptions are thrown in it or pass through it
	dsoHandle    bool // names __dso_handle
	layout       layout
	frames       []uint64   // offsets of unwind tables in the constants
	constructors []funcList // in the order to run
	destructors  []funcList // in the order to run
}

// section is one section header; class is classNone for what is not loaded.
type section struct {
	name       string
	typ        uint32
	flags      uint64
	off, size  uint64
	link, info uint32
	align      uint64
	class      class
	at         uint64 // offset in the zone of its class
}

func (s *section) hasContents() bool { return s.typ != shtNobits && s.typ != shtNull }

// place is where a symbol's value comes from.
type place uint8

const (
	placeUndefined place = iota
	placeAbsolute        // value is the address
	placeImage           // value is the offset in its section
	placeCommon          // value is the offset in the data, once laid out
	placeTable           // start of the global offset table
	placeHandle          // __dso_handle: an address that is this image's own
	placeUnloaded        // in a section that is not loaded
)

// symbol holds no pointers, so that a table of them costs the garbage
// collector nothing.
type symbol struct {
	value uint64 // what place says; before layout, COMMON's alignment
	size  uint64
	name  uint32 // offset in the object's names
	slot  int32  // index in the global offset table, or -1
	stub  int32  // index of the call stub, or -1
	shndx uint16
	info  uint8 // binding and type, as in the file
	place place
}

func (s *symbol) bind() uint8      { return s.info >> 4 }
func (s *symbol) isFunction() bool { return s.info&15 == symFunc }

// name returns the name of s; section symbols go by their section's.
func (o *Object) name(s *symbol) string {
	if name := o.names.at(s.name); name != "" || s.bind() != bindLocal || s.shndx == shnUndef || int(s.shndx) >= len(o.sections) {
		return name
	}
	return o.sections[s.shndx].name
}

// relocTable is one section of relocations of a loaded section.
type relocTable struct {
	target int // section index
	off    uint64
	count  int
}

// funcList is an array of function addresses.
type funcList struct {
	zone      class
	at        uint64 // offset in the zone
	count     int
	backwards bool
	priority  int
	order     int // among lists of one priority
}

// Size returns the bytes that an image of o takes, in whole pages of 4 KiB and
// with its unwind tables.
func (o *Object) Size() int {
	size := uint64(0)
	for _, z := range o.layout.zones {
		size += alignUp(z.size, smallestPage)
	}
	return int(size)
}

// Undefined returns the sorted names of the symbols that loading will look
// up outside the object, weak ones included.
func (o *Object) Undefined() []string {
	var names []string
	for i := range o.symbols {
		if s := &o.symbols[i]; s.place == placeUndefined {
			names = append(names, o.name(s))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Defined returns the sorted names of the global and weak symbols that images
// of o define.
func (o *Object) Defined() []string {
	var names []string
	for i := range o.symbols {
		if s := &o.symbols[i]; s.exported() {
			names = append(names, o.name(s))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (s *symbol) exported() bool {
	if s.bind() == bindLocal || s.name == 0 {
		return false
	}
	return s.place == placeImage || s.place == placeCommon || s.place == placeAbsolute
}
