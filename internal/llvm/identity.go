package llvm

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// fileIdentity is what a shared library's file says about itself.
type fileIdentity struct {
	buildID string
	soname  string
}

// Bounds on what is read of a file, in bytes.
const (
	maxProgramHeaders = 64
	maxNotes          = 64 << 10
	maxDynamic        = 64 << 10
	maxSoname         = 256
)

var errNotLibrary = errors.New("not a shared library for this machine's word size")

// readIdentity reads the build id and the soname of a 64-bit little-endian
// shared library, with a few small reads.
func readIdentity(path string) (fileIdentity, error) {
	f, err := os.Open(path)
	if err != nil {
		return fileIdentity{}, err
	}
	defer f.Close()
	id, err := parseIdentity(f)
	if err == nil && id.buildID == "" {
		id.buildID, err = statIdentity(f)
	}
	return id, err
}

func parseIdentity(file io.ReaderAt) (id fileIdentity, err error) {
	r := elfReader{file: file}
	if err := r.headers(); err != nil {
		return fileIdentity{}, err
	}
	if id.soname, err = r.soname(); err != nil {
		return fileIdentity{}, err
	}
	if id.buildID, err = r.buildID(); err != nil {
		return fileIdentity{}, err
	}
	return id, nil
}

// statIdentity stands in for a build id.
func statIdentity(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	inode := uint64(0)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = stat.Ino
	}
	return fmt.Sprintf("stat:%d-%d-%d", info.Size(), info.ModTime().UnixNano(), inode), nil
}

type elfReader struct {
	file     io.ReaderAt
	head     [4096]byte
	headSize int
	programs []elf.Prog64
}

// at reads size bytes at offset, from the first page without a system call.
func (r *elfReader) at(offset uint64, size, limit int) ([]byte, error) {
	if size < 0 || size > limit || offset > 1<<62 {
		return nil, errNotLibrary
	}
	if end := offset + uint64(size); end <= uint64(r.headSize) {
		return r.head[offset:end], nil
	}
	b := make([]byte, size)
	if _, err := r.file.ReadAt(b, int64(offset)); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotLibrary, err)
	}
	return b, nil
}

func (r *elfReader) headers() error {
	n, err := r.file.ReadAt(r.head[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	r.headSize = n
	var header elf.Header64
	if _, err := binary.Decode(r.head[:n], binary.LittleEndian, &header); err != nil {
		return errNotLibrary
	}
	if string(header.Ident[:4]) != elf.ELFMAG || elf.Class(header.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 ||
		elf.Data(header.Ident[elf.EI_DATA]) != elf.ELFDATA2LSB || elf.Type(header.Type) != elf.ET_DYN ||
		header.Phentsize != 56 || header.Phnum > maxProgramHeaders {
		return errNotLibrary
	}
	b, err := r.at(header.Phoff, int(header.Phnum)*56, maxProgramHeaders*56)
	if err != nil {
		return err
	}
	r.programs = make([]elf.Prog64, header.Phnum)
	_, err = binary.Decode(b, binary.LittleEndian, r.programs)
	return err
}

// buildID returns the GNU build id in hex, "" if there is none.
func (r *elfReader) buildID() (string, error) {
	const gnuBuildID = 3
	for _, p := range r.programs {
		if elf.ProgType(p.Type) != elf.PT_NOTE {
			continue
		}
		notes, err := r.at(p.Off, int(min(p.Filesz, maxNotes+1)), maxNotes)
		if err != nil {
			return "", err
		}
		align := 4
		if p.Align == 8 {
			align = 8
		}
		for len(notes) >= 12 {
			nameSize := int(binary.LittleEndian.Uint32(notes))
			descSize := int(binary.LittleEndian.Uint32(notes[4:]))
			kind := binary.LittleEndian.Uint32(notes[8:])
			desc := 12 + (nameSize+align-1)&^(align-1)
			next := desc + (descSize+align-1)&^(align-1)
			if desc > len(notes) || desc+descSize > len(notes) {
				break
			}
			if kind == gnuBuildID && bytes.Equal(notes[12:12+nameSize], []byte("GNU\x00")) {
				return hex.EncodeToString(notes[desc : desc+descSize]), nil
			}
			notes = notes[min(next, len(notes)):]
		}
	}
	return "", nil
}

// soname returns the name that the library gives itself, "" if it gives none.
func (r *elfReader) soname() (string, error) {
	for _, p := range r.programs {
		if elf.ProgType(p.Type) != elf.PT_DYNAMIC {
			continue
		}
		dynamic, err := r.at(p.Off, int(min(p.Filesz, maxDynamic+1)), maxDynamic)
		if err != nil {
			return "", err
		}
		var table, name uint64
		named := false
		for ; len(dynamic) >= 16; dynamic = dynamic[16:] {
			value := binary.LittleEndian.Uint64(dynamic[8:])
			switch elf.DynTag(binary.LittleEndian.Uint64(dynamic)) {
			case elf.DT_STRTAB:
				table = value
			case elf.DT_SONAME:
				name, named = value, true
			}
		}
		if !named {
			return "", nil
		}
		return r.text(table + name)
	}
	return "", errNotLibrary
}

// text returns the string at a virtual address.
func (r *elfReader) text(address uint64) (string, error) {
	for _, p := range r.programs {
		if elf.ProgType(p.Type) != elf.PT_LOAD || address < p.Vaddr || address-p.Vaddr >= p.Filesz {
			continue
		}
		within := address - p.Vaddr
		b, err := r.at(p.Off+within, int(min(maxSoname, p.Filesz-within)), maxSoname)
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return string(b[:end]), nil
		}
	}
	return "", errNotLibrary
}
