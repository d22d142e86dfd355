package elfload

import (
	"encoding/binary"
	"strings"
)

// Sizes and constants of the 64-bit little-endian ELF format.
const (
	headerSize  = 64
	sectionSize = 64
	symbolSize  = 24
	relaSize    = 24

	typeRelocatable = 1
	machineX8664    = 62
	machineAArch64  = 183

	shtNull         = 0
	shtProgbits     = 1
	shtSymtab       = 2
	shtStrtab       = 3
	shtRela         = 4
	shtNobits       = 8
	shtRel          = 9
	shtInitArray    = 14
	shtFiniArray    = 15
	shtPreinitArray = 16
	shtGroup        = 17
	shtSymtabShndx  = 18
	shtRelr         = 19
	shtCrel         = 0x40000014
	shtX8664Unwind  = 0x70000001

	shfWrite      = 1 << 0
	shfAlloc      = 1 << 1
	shfExec       = 1 << 2
	shfTLS        = 1 << 10
	shfCompressed = 1 << 11
	shfExclude    = 1 << 31

	shnUndef   = 0
	shnReserve = 0xff00
	shnLCommon = 0xff02 // x86-64: COMMON of the large data area
	shnAbs     = 0xfff1
	shnCommon  = 0xfff2
	shnXindex  = 0xffff

	bindLocal = 0
	bindWeak  = 2

	symFunc  = 2
	symTLS   = 6
	symIfunc = 10

	groupComdat = 1
)

var le = binary.LittleEndian

// header is what the ELF header says about the section table.
type header struct {
	machine         uint16
	shoff           uint64
	shnum, shstrndx int
}

func readHeader(b []byte) (header, error) {
	if len(b) < headerSize || string(b[:4]) != "\x7fELF" {
		return header{}, damaged("no ELF header")
	}
	if b[4] != 2 || b[5] != 1 {
		return header{}, damaged("ELF class %d, data encoding %d: want 64-bit little-endian (2, 1)", b[4], b[5])
	}
	if t := le.Uint16(b[16:]); t != typeRelocatable {
		return header{}, damaged("ELF type %d: want a relocatable object (1)", t)
	}
	h := header{
		machine:  le.Uint16(b[18:]),
		shoff:    le.Uint64(b[40:]),
		shnum:    int(le.Uint16(b[60:])),
		shstrndx: int(le.Uint16(b[62:])),
	}
	if h.shoff != 0 && h.shnum == 0 || h.shstrndx == shnXindex {
		return header{}, unsupported("extended section numbering (more than 65,279 sections): compile without -ffunction-sections and -fdata-sections")
	}
	if size := le.Uint16(b[58:]); h.shnum == 0 || size != sectionSize {
		return header{}, damaged("%d section headers of %d bytes", h.shnum, size)
	}
	if h.shoff > uint64(len(b)) || uint64(h.shnum)*sectionSize > uint64(len(b))-h.shoff {
		return header{}, damaged("section headers reach past the end: %d at offset %d of %d bytes", h.shnum, h.shoff, len(b))
	}
	if h.shstrndx >= h.shnum {
		return header{}, damaged("section name table is section %d of %d", h.shstrndx, h.shnum)
	}
	return h, nil
}

// stringTable is a checked string table: it is empty, or starts and ends with
// a zero byte.
type stringTable string

func readStrings(b []byte) (stringTable, error) {
	if len(b) > 0 && (b[0] != 0 || b[len(b)-1] != 0) {
		return "", damaged("string table does not start and end with a zero byte")
	}
	return stringTable(b), nil
}

// holds tells whether a string starts at off. An empty table still holds the
// empty string at 0.
func (t stringTable) holds(off uint32) bool { return uint64(off) < uint64(len(t)) || off == 0 }

// at returns the string that starts at off, which t must hold.
func (t stringTable) at(off uint32) string {
	s := string(t[off:])
	if i := strings.IndexByte(s, 0); i >= 0 {
		return s[:i]
	}
	return ""
}

// alignUp rounds x up to a multiple of a, a power of two.
func alignUp(x, a uint64) uint64 { return (x + a - 1) &^ (a - 1) }

func powerOfTwo(x uint64) bool { return x != 0 && x&(x-1) == 0 }
