package tool

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// release stands before its version in every file of NVIDIA's compilers.
const release = "Cuda compilation tools, release "

// readProgram identifies a program by all its bytes, and finds what it says
// of its release among them.
func readProgram(path string) func(*content) error {
	return func(c *content) error {
		if id := buildID(path); id != "" {
			c.identity.Digest = "build:" + id
			return nil
		}
		return c.hash(path)
	}
}

// readAssembler is readProgram for a program whose release matters.
func readAssembler(path string) func(*content) error {
	return func(c *content) error { return c.hash(path) }
}

func (c *content) hash(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	// A piece is searched together with the end of the one before it.
	const overlap = 64
	piece := make([]byte, overlap+1<<20)
	kept := 0
	for {
		n, err := io.ReadFull(f, piece[kept:])
		hash.Write(piece[kept : kept+n])
		have := piece[:kept+n]
		if c.major == 0 {
			c.release(have)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return err
		}
		kept = copy(piece, have[len(have)-overlap:])
	}
	c.identity.Digest = "sha256:" + hex.EncodeToString(hash.Sum(nil))
	return nil
}

// release reads "release 12.9," where it stands in b whole.
func (c *content) release(b []byte) {
	for {
		_, rest, found := bytes.Cut(b, []byte(release))
		if !found {
			return
		}
		text, _, ended := bytes.Cut(rest[:min(len(rest), 16)], []byte(","))
		major, minor, _ := strings.Cut(string(text), ".")
		x, errX := strconv.Atoi(major)
		y, errY := strconv.Atoi(minor)
		if ended && errX == nil && errY == nil && x > 0 {
			c.setRelease(x, y)
			return
		}
		b = rest
	}
}

func (c *content) setRelease(major, minor int) {
	c.major, c.minor = major, minor
	c.identity.Version = fmt.Sprintf("%d.%d", major, minor)
}

// readNVJitLink identifies the library by its build id, and its release by the
// newest of its functions, which carry theirs in their names.
func readNVJitLink(path string) func(*content) error {
	return func(c *content) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		names, err := readSection(f, ".dynstr")
		if err != nil {
			return err
		}
		for name := range bytes.SplitSeq(names, []byte{0}) {
			version, ok := strings.CutPrefix(string(name), "__nvJitLinkCreate_")
			major, minor, _ := strings.Cut(version, "_")
			x, errX := strconv.Atoi(major)
			y, errY := strconv.Atoi(minor)
			if ok && errX == nil && errY == nil && (x > c.major || x == c.major && y > c.minor) {
				c.setRelease(x, y)
			}
		}
		if c.major == 0 {
			return errors.New("it is no libnvJitLink: it has no function __nvJitLinkCreate_*")
		}
		if id := buildID(path); id != "" {
			c.identity.Digest = "build:" + id
			return nil
		}
		return c.hash(path)
	}
}

// buildID returns a file's GNU build id in hex, empty where it has none.
func buildID(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	note, err := readSection(f, ".note.gnu.build-id")
	const head = 16
	if err != nil || len(note) <= head {
		return ""
	}
	n := binary.LittleEndian.Uint32(note[4:])
	if uint64(n) > uint64(len(note)-head) {
		return ""
	}
	return hex.EncodeToString(note[head : head+n])
}

// readLibrary reads the files of a device library. The digest is over names
// and contents.
func readLibrary(paths ...string) func(*content) error {
	return func(c *content) error {
		hash := sha256.New()
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name := path[strings.LastIndexByte(path, '/')+1:]
			fmt.Fprintf(hash, "%s %d\n", name, len(data))
			hash.Write(data)
			c.files = append(c.files, File{name, data})
		}
		c.identity.Digest = "sha256:" + hex.EncodeToString(hash.Sum(nil))
		return nil
	}
}
