package llvm

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
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

// What the ELF specification numbers.
const (
	elfShared = 3 // type of a file

	segmentLoad    = 1
	segmentDynamic = 2
	segmentNote    = 4

	dynamicStrings = 5
	dynamicSoname  = 14

	noteBuildID = 3

	programBytes = 56
)

// readIdentity reads the build id and the soname of a 64-bit little-endian
// shared library, with a few small reads, and the path without symbolic links.
func readIdentity(path string) (id fileIdentity, resolved string, err error) {
	f, err := openLibrary(path)
	if err != nil {
		return fileIdentity{}, "", err
	}
	defer syscall.Close(int(f))
	if resolved, err = f.path(); err != nil {
		if resolved, err = filepath.EvalSymlinks(path); err != nil {
			return fileIdentity{}, "", err
		}
	}
	id, err = parseIdentity(f)
	if err == nil && id.buildID == "" {
		id.buildID, err = f.identity()
	}
	return id, resolved, err
}

// libraryFile is a file descriptor. One of package os would set up the
// process's poller, which takes as long as all the rest.
type libraryFile int

func openLibrary(path string) (libraryFile, error) {
	for {
		// Without O_NONBLOCK a pipe in the way would hold up the caller for ever.
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
		switch err {
		case nil:
			return libraryFile(fd), nil
		case syscall.EINTR:
		default:
			return -1, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

// ReadAt implements [io.ReaderAt].
func (f libraryFile) ReadAt(b []byte, offset int64) (int, error) {
	n := 0
	for n < len(b) {
		part, err := syscall.Pread(int(f), b[n:], offset+int64(n))
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return n, err
		case part == 0:
			return n, io.EOF
		default:
			n += part
		}
	}
	return n, nil
}

// path asks the system which file is open: one call, where resolving the path
// link by link takes one for each folder.
func (f libraryFile) path() (string, error) {
	var b [4096]byte
	n, err := syscall.Readlink("/proc/self/fd/"+strconv.Itoa(int(f)), b[:])
	if err != nil || n == len(b) || n == 0 || b[0] != '/' {
		return "", errors.New("the system does not tell")
	}
	return string(b[:n]), nil
}

// identity stands in for a build id.
func (f libraryFile) identity() (string, error) {
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(f), &stat); err != nil {
		return "", err
	}
	return fmt.Sprintf("stat:%d-%d-%d", stat.Size, stat.Mtim.Nano(), stat.Ino), nil
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

type elfReader struct {
	file     io.ReaderAt
	head     [4096]byte
	headSize int
	programs []segment
}

// segment is a program header.
type segment struct {
	kind                         uint32
	offset, address, size, align uint64
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
	le := binary.LittleEndian
	if n < 64 || string(r.head[:6]) != "\x7fELF\x02\x01" || le.Uint16(r.head[16:]) != elfShared {
		return errNotLibrary
	}
	offset, size, count := le.Uint64(r.head[32:]), le.Uint16(r.head[54:]), int(le.Uint16(r.head[56:]))
	if size != programBytes || count > maxProgramHeaders {
		return errNotLibrary
	}
	b, err := r.at(offset, count*programBytes, maxProgramHeaders*programBytes)
	if err != nil {
		return err
	}
	for ; len(b) > 0; b = b[programBytes:] {
		r.programs = append(r.programs, segment{
			kind: le.Uint32(b), offset: le.Uint64(b[8:]), address: le.Uint64(b[16:]), size: le.Uint64(b[32:]), align: le.Uint64(b[48:]),
		})
	}
	return nil
}

// buildID returns the GNU build id in hex, "" if there is none.
func (r *elfReader) buildID() (string, error) {
	for _, p := range r.programs {
		if p.kind != segmentNote {
			continue
		}
		notes, err := r.at(p.offset, int(min(p.size, maxNotes+1)), maxNotes)
		if err != nil {
			return "", err
		}
		align := 4
		if p.align == 8 {
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
			if kind == noteBuildID && bytes.Equal(notes[12:12+nameSize], []byte("GNU\x00")) {
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
		if p.kind != segmentDynamic {
			continue
		}
		dynamic, err := r.at(p.offset, int(min(p.size, maxDynamic+1)), maxDynamic)
		if err != nil {
			return "", err
		}
		var table, name uint64
		named := false
		for ; len(dynamic) >= 16; dynamic = dynamic[16:] {
			value := binary.LittleEndian.Uint64(dynamic[8:])
			switch binary.LittleEndian.Uint64(dynamic) {
			case dynamicStrings:
				table = value
			case dynamicSoname:
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
		if p.kind != segmentLoad || address < p.address || address-p.address >= p.size {
			continue
		}
		within := address - p.address
		b, err := r.at(p.offset+within, int(min(maxSoname, p.size-within)), maxSoname)
		if err != nil {
			return "", err
		}
		if end := bytes.IndexByte(b, 0); end >= 0 {
			return string(b[:end]), nil
		}
	}
	return "", errNotLibrary
}
