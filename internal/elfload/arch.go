package elfload

// form is what a relocation computes. In the notation of the psABIs: S is the
// symbol's address, A the addend, P the place, L the symbol's address or that
// of its stub, G the address of the symbol's slot in the global offset table,
// GOT that table's start, Z the symbol's size.
type form uint8

const (
	formUnknown form = iota // no such relocation
	formIgnored             // nothing to do
	formAbs                 // S + A
	formPC                  // S + A - P
	formBranch              // L + A - P
	formSlotPC              // G + A - P
	formSlotOff             // G + A - GOT
	formOff                 // S + A - GOT
	formTablePC             // GOT + A - P
	formSize                // Z + A
	formTLS                 // thread-local storage: refused
	formDynamic             // only in linked files: refused
)

// slotted tells whether the form needs a slot in the global offset table.
func (f form) slotted() bool { return f == formSlotPC || f == formSlotOff }

// check is the range a value must lie in to fit its field.
type check uint8

const (
	checkNone     check = iota
	checkSigned         // sign-extended when used
	checkUnsigned       // zero-extended when used
	checkEither         // either reading
)

// relocation is one row of an architecture's table.
type relocation struct {
	name  string
	form  form
	width uint8 // bytes of the field
	check check
}

// arch is all that loading knows about one machine.
type arch struct {
	goarch  string
	machine uint16
	page    uint64 // largest page size the machine's systems use, bytes
	relocs  []relocation
	// stubSize is the size of a call stub, a multiple of its alignment.
	stubSize uint64
	// stub writes code at address at that jumps to the address in slot.
	stub func(code []byte, at, slot uint64)
}

func (a *arch) reloc(typ uint32) relocation {
	if uint64(typ) < uint64(len(a.relocs)) {
		return a.relocs[typ]
	}
	return relocation{}
}

func archOf(machine uint16) *arch {
	if machine == machineX8664 {
		return &x8664
	}
	return nil
}

// fits tells whether v can be stored in width bytes under c.
func (c check) fits(v int64, width uint8) bool {
	if width == 8 || c == checkNone {
		return true
	}
	bits := 8 * uint(width)
	signed := v >= -1<<(bits-1) && v < 1<<(bits-1)
	unsigned := v >= 0 && v < 1<<bits
	switch c {
	case checkSigned:
		return signed
	case checkUnsigned:
		return unsigned
	}
	return signed || unsigned
}
