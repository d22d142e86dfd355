package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

const (
	fatVersion      = 1
	fatHeaderBytes  = 16
	fatEntryVersion = 0x101
	fatEntryBytes   = 64
)

// The kinds of entries.
const (
	fatPTX   = 1
	fatELF   = 2
	fatLTOIR = 8
)

// The flags of entries.
const (
	fat64Bit       = 1 << 0
	fatLinux       = 1 << 4
	fatLZ4         = 1 << 13
	fatZstd        = 1 << 15
	fatScrambled   = 1 << 16
	fatArchOnly    = 1 << 20 // sm_90a
	fatFamilyOnly  = 1 << 21 // sm_100f
	fatHasCompat   = 1 << 24
	fatPackedFlags = fatLZ4 | fatZstd | fatScrambled
)

func fatBinaryExtent(b []byte) (uint64, error) {
	le := binary.LittleEndian
	if len(b) < fatHeaderBytes {
		return 0, errors.New("it ends within its header: truncated")
	}
	if version := le.Uint16(b[4:]); version != fatVersion {
		return 0, fmt.Errorf("it has version %d, kiln reads %d", version, fatVersion)
	}
	header, size := uint64(le.Uint16(b[6:])), le.Uint64(b[8:])
	if header < fatHeaderBytes || header > uint64(len(b)) || size > uint64(len(b))-header {
		return 0, fmt.Errorf("it says it has %d+%d bytes, %d are there: truncated or damaged", header, size, len(b))
	}
	return header + size, nil
}

// openFatBinary reads the entries of every fat binary of the file: a section cut
// out of a program has several.
func (f *File) openFatBinary() error {
	f.Version = strconv.Itoa(fatVersion)
	for at := uint64(0); at < uint64(len(f.data)); {
		rest := f.data[at:]
		if rest[0] == 0 {
			at += uint64(len(rest) - len(bytes.TrimLeft(rest, "\x00")))
			continue
		}
		if !hasPrefix(rest, magicFat) {
			return fmt.Errorf("no fat binary begins at byte %d: damaged", at)
		}
		n, err := fatBinaryExtent(rest)
		if err != nil {
			return fmt.Errorf("the one at byte %d: %w", at, err)
		}
		for entry := uint64(binary.LittleEndian.Uint16(rest[6:])); entry < n; {
			size, err := f.fatEntry(at+entry, rest[entry:n])
			if err != nil {
				return fmt.Errorf("the entry at byte %d: %w", at+entry, err)
			}
			entry += size
		}
		at += n
	}
	return nil
}

// fatEntry adds the entry that begins b, which lies at a byte of the file, and
// returns its size.
func (f *File) fatEntry(at uint64, b []byte) (uint64, error) {
	le := binary.LittleEndian
	if len(b) < fatEntryBytes {
		return 0, fmt.Errorf("its header has %d bytes, %d are left: truncated", fatEntryBytes, len(b))
	}
	header, size, packed := uint64(le.Uint32(b[4:])), le.Uint64(b[8:]), uint64(le.Uint32(b[16:]))
	if header < fatEntryBytes || header > uint64(len(b)) || size > uint64(len(b))-header {
		return 0, fmt.Errorf("it says it has %d+%d bytes, %d are left: truncated or damaged", header, size, len(b))
	}
	flags, unpacked := le.Uint64(b[40:]), le.Uint64(b[56:])
	stored := size
	if flags&fatPackedFlags != 0 && packed != 0 {
		if stored = packed; packed > size {
			return 0, fmt.Errorf("its packed data has %d bytes, its room %d: damaged", packed, size)
		}
	}
	p := f.part(at+header, stored)
	switch {
	case flags&fatScrambled != 0 && stored != 0:
		p.Packing, p.Unpacked = Scrambled, unpacked
	case flags&fatZstd != 0:
		p.Packing, p.Unpacked = Zstd, unpacked
	case flags&fatLZ4 != 0:
		p.Packing, p.Unpacked = LZ4, unpacked
	}
	switch kind := le.Uint16(b); kind {
	case fatPTX:
		p.Kind = PTXText
		if p.Packing == Stored {
			// The entry is padded; a text ends before its zeros.
			p.raw = bytes.TrimRight(p.raw, "\x00")
			p.Size, p.Unpacked = uint64(len(p.raw)), uint64(len(p.raw))
		}
	case fatELF:
		p.Kind = Cubin
	case fatLTOIR:
		p.Kind = LTOIR
	default:
		p.Properties = map[string]string{"kind": strconv.Itoa(int(kind))}
	}
	processor := "sm_" + strconv.Itoa(int(le.Uint32(b[28:])))
	switch {
	case flags&fatArchOnly != 0:
		processor += "a"
	case flags&fatFamilyOnly != 0:
		processor += "f"
	}
	p.Target, p.Label, p.Model = parseTarget("nvptx64-nvidia-cuda/"+processor), processor, "cuda"
	p.Name = fatText(b[:header], uint64(le.Uint32(b[32:])), uint64(le.Uint32(b[36:])))
	if table := uint64(le.Uint32(b[20:])); flags&fatHasCompat == 0 && table != 0 && table <= header && header-table >= 8 {
		p.Options = fatText(b[:header], uint64(le.Uint32(b[table:])), uint64(le.Uint32(b[table+4:])))
	}
	return header + size, f.add(p)
}

// fatText returns a text of an entry's header, empty where it is not within.
func fatText(header []byte, offset, size uint64) string {
	if offset > uint64(len(header)) || size > uint64(len(header))-offset {
		return ""
	}
	return string(bytes.TrimSpace(bytes.TrimRight(header[offset:offset+size], "\x00")))
}
