package elfload

// field is where a relocation's value goes.
type field uint8

const (
	fieldNone field = iota
	field8
	field16
	field32
	field64
	// Fields of AArch64 instructions, by the name of the immediate and the bit
	// of the value that its lowest bit stands for.
	fieldAdr       // ADR
	fieldAdrPage   // ADRP
	fieldImm12     // ADD, and loads and stores of bytes
	fieldImm12By2  // loads and stores of 2 bytes
	fieldImm12By4  // of 4
	fieldImm12By8  // of 8
	fieldImm12By16 // of 16
	fieldOff15     // loads of 8 from the 32 KiB that start at a base
	fieldImm14     // TBZ, TBNZ
	fieldImm19     // B.cond, CBZ, CBNZ, loads from the place
	fieldImm26     // B, BL
	fieldMove0     // MOVZ, MOVK: bits 0 to 15
	fieldMove16
	fieldMove32
	fieldMove48
	fieldSigned0 // MOVN or MOVZ, as the value's sign wants it
	fieldSigned16
	fieldSigned32
)

// fieldShape says which bits of a value a field holds.
type fieldShape struct {
	bytes   uint8 // of the unit that holds the field
	low     uint8 // first bit of the value that is held
	bits    uint8 // how many
	at      uint8 // where they go in an instruction
	aligned bool  // bits below low must be zero
	split   bool  // ADR: the lowest two go to bit 29
	negate  bool  // negative values are inverted, and the opcode says so
}

var fieldShapes = [...]fieldShape{
	field8:         {bytes: 1, bits: 8},
	field16:        {bytes: 2, bits: 16},
	field32:        {bytes: 4, bits: 32},
	field64:        {bytes: 8, bits: 64},
	fieldAdr:       {bytes: 4, bits: 21, at: 5, split: true},
	fieldAdrPage:   {bytes: 4, low: 12, bits: 21, at: 5, split: true},
	fieldImm12:     {bytes: 4, bits: 12, at: 10},
	fieldImm12By2:  {bytes: 4, low: 1, bits: 11, at: 10, aligned: true},
	fieldImm12By4:  {bytes: 4, low: 2, bits: 10, at: 10, aligned: true},
	fieldImm12By8:  {bytes: 4, low: 3, bits: 9, at: 10, aligned: true},
	fieldImm12By16: {bytes: 4, low: 4, bits: 8, at: 10, aligned: true},
	fieldOff15:     {bytes: 4, low: 3, bits: 12, at: 10, aligned: true},
	fieldImm14:     {bytes: 4, low: 2, bits: 14, at: 5, aligned: true},
	fieldImm19:     {bytes: 4, low: 2, bits: 19, at: 5, aligned: true},
	fieldImm26:     {bytes: 4, low: 2, bits: 26, at: 0, aligned: true},
	fieldMove0:     {bytes: 4, low: 0, bits: 16, at: 5},
	fieldMove16:    {bytes: 4, low: 16, bits: 16, at: 5},
	fieldMove32:    {bytes: 4, low: 32, bits: 16, at: 5},
	fieldMove48:    {bytes: 4, low: 48, bits: 16, at: 5},
	fieldSigned0:   {bytes: 4, low: 0, bits: 16, at: 5, negate: true},
	fieldSigned16:  {bytes: 4, low: 16, bits: 16, at: 5, negate: true},
	fieldSigned32:  {bytes: 4, low: 32, bits: 16, at: 5, negate: true},
}

func (f field) shape() *fieldShape { return &fieldShapes[f] }

// instruction tells whether f is part of an instruction.
func (f field) instruction() bool { return f > field64 }

// near tells whether f holds what fits only a small distance from the place.
func (f field) near() bool { return f == fieldAdr || f == fieldImm19 || f == fieldImm14 }

// lowBits tells whether f holds the part of an address below 4 KiB.
func (f field) lowBits() bool { return f >= fieldImm12 && f <= fieldImm12By16 }

// fits tells whether f can hold v under c, and lose nothing of it.
func (f field) fits(c check, v int64) bool {
	s := f.shape()
	if s.aligned && v&(1<<s.low-1) != 0 {
		return false
	}
	// A field that is inverted for negative values has its sign elsewhere.
	bits := uint(s.low + s.bits)
	if s.negate {
		bits++
	}
	if c == checkNone || bits >= 64 {
		return true
	}
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

// put stores v in the field at the start of b.
func (f field) put(b []byte, v uint64) {
	switch f {
	case field8:
		b[0] = byte(v)
	case field16:
		le.PutUint16(b, uint16(v))
	case field32:
		le.PutUint32(b, uint32(v))
	case field64:
		le.PutUint64(b, v)
	default:
		le.PutUint32(b, f.shape().insert(le.Uint32(b), v))
	}
}

// insert returns the instruction with its field holding v.
func (s *fieldShape) insert(instruction uint32, v uint64) uint32 {
	if s.negate {
		const positive = 1 << 30 // MOVZ; without it MOVN
		if instruction |= positive; int64(v) < 0 {
			instruction &^= positive
			v = ^v
		}
	}
	mask := uint32(1)<<s.bits - 1
	x := uint32(v>>s.low) & mask
	if s.split {
		return instruction&^(3<<29|mask>>2<<5) | x&3<<29 | x>>2<<5
	}
	return instruction&^(mask<<s.at) | x<<s.at
}
