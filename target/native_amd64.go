//go:build linux

package target

import "strings"

func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xgetbv returns the low half of XCR0. Only where CPUID says OSXSAVE.
func xgetbv() (eax uint32)

// The registers CPUID answers in.
const (
	eax = iota
	ebx
	ecx
	edx
)

// The answers that features are read from.
const (
	leaf1 = iota
	leaf7
	leaf7sub1
	leafDsub1
	leaf14
	leaf19
	leaf1Esub1
	leafExt1
	leafExt8
	// leafAVX10 is no answer of its own: bit n of its eax is set where AVX10
	// has version n or higher.
	leafAVX10
	leafCount
)

// state is a set of register files that the operating system saves.
type state uint8

const (
	stateAVX state = 1 << iota
	stateAVX512
	stateAMX
	stateAPX
)

// machine is what the processor says of itself.
type machine struct {
	vendor        string
	family, model uint32
	answers       [leafCount][4]uint32
	saved         state
}

func (m *machine) bit(leaf, register, bit uint8) bool {
	return m.answers[leaf][register]>>bit&1 == 1
}

// ask reads the answers from the processor.
func ask() machine {
	var m machine
	most, b, c, d := cpuid(0, 0)
	m.vendor = fourChars(b) + fourChars(d) + fourChars(c)
	mostExtended, _, _, _ := cpuid(0x80000000, 0)
	into := func(answer int, leaf, subleaf uint32) {
		if leaf <= most || leaf >= 0x80000000 && leaf <= mostExtended {
			a := &m.answers[answer]
			a[eax], a[ebx], a[ecx], a[edx] = cpuid(leaf, subleaf)
		}
	}
	into(leaf1, 1, 0)
	into(leaf7, 7, 0)
	into(leafExt1, 0x80000001, 0)
	into(leafExt8, 0x80000008, 0)
	if m.answers[leaf7][eax] >= 1 {
		into(leaf7sub1, 7, 1)
	}
	// A hypervisor takes microseconds to answer each question, so the leaves of
	// one extension are asked only where that extension is there.
	const xsave, processorTrace, keyLocker, amxTile, avx10 = 26, 25, 23, 24, 19
	if m.bit(leaf1, ecx, xsave) {
		into(leafDsub1, 0xD, 1)
	}
	if m.bit(leaf7, ebx, processorTrace) {
		into(leaf14, 0x14, 0)
	}
	if m.bit(leaf7, ecx, keyLocker) {
		into(leaf19, 0x19, 0)
	}
	if m.bit(leaf7, edx, amxTile) {
		into(leaf1Esub1, 0x1E, 1)
	}
	if m.bit(leaf7sub1, edx, avx10) && most >= 0x24 {
		_, b, _, _ := cpuid(0x24, 0)
		m.answers[leafAVX10][eax] = versionBits(b & 0xFF)
	}
	m.family, m.model = familyModel(m.answers[leaf1][eax])
	const osxsave = 27
	if m.bit(leaf1, ecx, osxsave) {
		m.saved = savedState(xgetbv(), m.answers[leaf1][ecx])
	}
	return m
}

// versionBits sets the bits 1 to version, of which there are 30 at most.
func versionBits(version uint32) uint32 { return 2<<min(version, 30) - 2 }

func fourChars(v uint32) string {
	return string([]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)})
}

// familyModel joins the base and extended parts that leaf 1 gives in eax.
func familyModel(a uint32) (family, model uint32) {
	family, model = a>>8&0xF, a>>4&0xF
	if family == 6 || family == 15 {
		model |= a >> 16 & 0xF << 4
	}
	if family == 15 {
		family += a >> 20 & 0xFF
	}
	return family, model
}

// savedState reads what the system saves from XCR0.
func savedState(xcr0, leaf1ecx uint32) state {
	var s state
	const avx = 1 << 28
	if xcr0&0x6 == 0x6 && leaf1ecx&avx != 0 {
		s |= stateAVX
		if xcr0&0xE0 == 0xE0 {
			s |= stateAVX512
		}
	}
	if xcr0&0x60000 == 0x60000 {
		s |= stateAMX
	}
	if xcr0&0x80000 != 0 {
		s |= stateAPX
	}
	return s
}

func detect() (Target, error) {
	m := ask()
	return m.target(), nil
}

func (m *machine) target() Target {
	var features strings.Builder
	features.Grow(1280)
	for i := range x86Bits {
		f := &x86Bits[i]
		switch {
		case i > 0 && m.has(f):
			features.WriteString(",+")
		case m.has(f):
			features.WriteByte('+')
		case i > 0:
			features.WriteString(",-")
		default:
			features.WriteByte('-')
		}
		features.WriteString(f.name)
	}
	return Target{Triple: tripleX86_64, Processor: m.processor(), Features: features.String()}
}

func (m *machine) has(f *x86Bit) bool {
	return m.bit(f.leaf, f.register, f.bit) && m.saved&f.needs == f.needs
}

func (m *machine) hasNamed(name string) bool {
	for i := range x86Bits {
		if x86Bits[i].name == name {
			return m.has(&x86Bits[i])
		}
	}
	return false
}
