package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// FatEntry is one image of a CUDA fat binary to be written.
type FatEntry struct {
	// Processor is what the image is for, "sm_90a". Empty means what the image
	// says of itself.
	Processor string
	// Name and Options are the source's name and the options of ptxas, for
	// people and tools; either may be empty.
	Name, Options string
	// Data is a cubin or PTX text.
	Data []byte
}

// EncodeFatBinary writes a CUDA fat binary whose entries are stored as they are,
// in the order given: the driver takes the first cubin that fits its device,
// else the best PTX. An entry that is neither cubin nor PTX, or is not for the
// processor it is said to be for, is an error.
func EncodeFatBinary(entries []FatEntry) ([]byte, error) {
	le := binary.LittleEndian
	out := append([]byte(nil), magicFat...)
	out = le.AppendUint16(out, fatVersion)
	out = le.AppendUint16(out, fatHeaderBytes)
	out = le.AppendUint64(out, 0)
	for i := range entries {
		entry, err := entries[i].encode()
		if err != nil {
			return nil, fmt.Errorf("writing entry %d of a CUDA fat binary: %w", i, err)
		}
		out = append(out, entry...)
	}
	le.PutUint64(out[8:], uint64(len(out)-fatHeaderBytes))
	return out, nil
}

func (e *FatEntry) encode() ([]byte, error) {
	f, err := Open(e.Data)
	if err != nil {
		return nil, err
	}
	var kind, major, minor uint16
	var compat []byte
	flags := uint64(fat64Bit | fatLinux)
	switch f.Kind {
	case Cubin:
		kind, major, minor = fatELF, 1, uint16(f.elf.abiVersion)
		if s := f.elf.section(".nv.compat"); s != nil {
			compat, flags = s.data, flags|fatHasCompat
		}
	case PTXText:
		kind = fatPTX
		if major, minor, err = ptxVersion(f.Version); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("%s is no content of a fat binary, only cubins and PTX text are", f.Kind)
	}
	processor := f.Target.Processor
	if e.Processor != "" && e.Processor != processor {
		// A cubin's header has no room for the letter behind the number.
		if f.Kind != Cubin || strings.TrimRight(e.Processor, "af") != strings.TrimRight(processor, "af") {
			return nil, fmt.Errorf("this %s is for %s, not for %s", f.Kind, processor, e.Processor)
		}
		processor = e.Processor
	}
	number := strings.TrimPrefix(processor, "sm_")
	switch {
	case strings.HasSuffix(number, "a"):
		flags |= fatArchOnly
	case strings.HasSuffix(number, "f"):
		flags |= fatFamilyOnly
	}
	arch, err := strconv.ParseUint(strings.TrimRight(number, "af"), 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%q is no NVIDIA processor: write sm_ and a number", processor)
	}
	if uint64(len(e.Name)) > math.MaxUint16 || uint64(len(e.Options)) > math.MaxUint16 {
		return nil, errors.New("its name or its options are longer than 64 KiB")
	}
	return e.layOut(kind, major, minor, uint32(arch), flags, compat), nil
}

// layOut writes header, name, the table of options and data, each padded to 8.
func (e *FatEntry) layOut(kind, major, minor uint16, arch uint32, flags uint64, compat []byte) []byte {
	le := binary.LittleEndian
	out := make([]byte, fatEntryBytes, fatEntryBytes+len(e.Data)+128)
	le.PutUint16(out, kind)
	le.PutUint16(out[2:], fatEntryVersion)
	le.PutUint16(out[24:], minor)
	le.PutUint16(out[26:], major)
	le.PutUint32(out[28:], arch)
	le.PutUint64(out[40:], flags)
	if e.Name != "" {
		le.PutUint32(out[32:], fatEntryBytes)
		le.PutUint32(out[36:], uint32(len(e.Name)))
		out = pad8(append(append(out, e.Name...), 0))
	}
	if kind == fatPTX || compat != nil {
		table := uint32(len(out))
		le.PutUint32(out[20:], table)
		size := len(e.Options)
		if compat != nil {
			size = len(compat)
		}
		out = le.AppendUint32(out, table+8)
		out = le.AppendUint32(out, uint32(size))
		if compat == nil {
			out = append(out, e.Options...)
		}
		// What a cubin demands of its device follows the end of empty options.
		out = append(append(out, 0), compat...)
		out = pad8(out)
	}
	le.PutUint32(out[4:], uint32(len(out)))
	size := alignUp(uint64(len(e.Data)), 8)
	if kind == fatPTX {
		// A text needs the zero that ends it.
		size = alignUp(uint64(len(e.Data))+1, 8)
	}
	le.PutUint64(out[8:], size)
	out = append(out, e.Data...)
	return append(out, make([]byte, size-uint64(len(e.Data)))...)
}

func pad8(b []byte) []byte {
	return append(b, make([]byte, alignUp(uint64(len(b)), 8)-uint64(len(b)))...)
}

func ptxVersion(s string) (major, minor uint16, err error) {
	high, low, _ := strings.Cut(s, ".")
	a, errHigh := strconv.ParseUint(high, 10, 16)
	b, errLow := strconv.ParseUint(low, 10, 16)
	if errHigh != nil || errLow != nil {
		return 0, 0, fmt.Errorf("its PTX version %q is no number", s)
	}
	return uint16(a), uint16(b), nil
}
