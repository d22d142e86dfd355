package elfload

// form is what a relocation computes. In the notation of the psABIs: S is the
// symbol's address, A the addend, P the place, L the symbol's address or that
// of its stub, G the address of the symbol's slot in the global offset table,
// GOT that table's start, Z the symbol's size, Page(x) the start of the 4 KiB
// that hold x.
type form uint8

const (
	formUnknown   form = iota // no such relocation
	formIgnored               // nothing to do
	formAbs                   // S + A
	formPC                    // S + A - P
	formBranch                // L + A - P
	formPage                  // Page(S + A) - Page(P)
	formOff                   // S + A - GOT
	formSize                  // Z + A
	formTablePC               // GOT + A - P
	formSlot                  // G + A
	formSlotPC                // G + A - P
	formSlotPage              // Page(G + A) - Page(P)
	formSlotOff               // G + A - GOT
	formSlotTable             // G + A - Page(GOT)
	formTLS                   // thread-local storage: refused
	formDynamic               // only in linked files: refused
)

// slotted tells whether the form needs a slot in the global offset table.
func (f form) slotted() bool { return f >= formSlot && f <= formSlotTable }

// compute returns the value of the form for a symbol at addr.
func (f form) compute(addr uint64, t *terms) uint64 {
	const page = 1<<12 - 1
	switch f {
	case formAbs:
		return addr + t.addend
	case formPC, formBranch:
		return addr + t.addend - t.place
	case formPage:
		return (addr+t.addend)&^page - t.place&^page
	case formOff:
		return addr + t.addend - t.table
	case formSize:
		return t.size + t.addend
	case formTablePC:
		return t.table + t.addend - t.place
	case formSlot:
		return t.slot + t.addend
	case formSlotPC:
		return t.slot + t.addend - t.place
	case formSlotPage:
		return (t.slot+t.addend)&^page - t.place&^page
	case formSlotOff:
		return t.slot + t.addend - t.table
	case formSlotTable:
		return t.slot + t.addend - t.table&^page
	}
	return 0
}

// terms is what forms are computed from, but for the symbol's address.
type terms struct{ addend, place, slot, table, size uint64 }

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
	field field
	check check
}

// arch is all that loading knows about one machine.
type arch struct {
	goarch  string
	machine uint16
	relocs  []relocation
	// low tells that code may be compiled to lie below 2 GiB, with addresses of
	// 32 bits.
	low bool
	// reach is how far from an image a symbol may lie for all the references to
	// its address to work, in bytes, where several instructions make up a
	// reference and must agree whether a stub stands for it. 0 where each
	// relocation decides for itself.
	reach uint64
	// stubSize is the size of a call stub, a multiple of its alignment.
	stubSize uint64
	// stub writes code at address at that jumps to the address in slot.
	stub func(code []byte, at, slot uint64)
}

// smallestPage is the smallest page size of the machines, bytes.
const smallestPage = 4096

func (a *arch) reloc(typ uint32) relocation {
	if uint64(typ) < uint64(len(a.relocs)) {
		return a.relocs[typ]
	}
	return relocation{}
}

func archOf(machine uint16) *arch {
	switch machine {
	case machineX8664:
		return &x8664
	case machineAArch64:
		return &aarch64
	}
	return nil
}
