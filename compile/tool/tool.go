// Package tool finds what vendors give to make code for their GPUs, beside
// LLVM: assemblers, linkers and libraries of device code. What is found is
// identified by reading it, and run only to do its work.
package tool

import (
	"fmt"
	"sync"

	"github.com/kilnjit/kiln/target"
)

// Identity says which tool or library it is, wherever it lies. The zero value
// is none. Two that compare equal do the same.
type Identity struct {
	// Name is "nvjitlink", "ptxas", "lld", "nvdisasm", "libdevice" or "rocm-device-libs".
	Name string
	// Version is the tool's own, "12.9", empty where its file does not say.
	Version string
	// Digest is the file's GNU build id ("build:…"), or the SHA-256 of all its
	// bytes ("sha256:…").
	Digest string
}

// IsZero tells that nothing is identified.
func (i Identity) IsZero() bool { return i == Identity{} }

// String returns name, version and digest, such as "ptxas 12.9 (sha256:…)".
func (i Identity) String() string {
	if i.IsZero() {
		return "none"
	}
	s := i.Name
	if i.Version != "" {
		s += " " + i.Version
	}
	return s + " (" + i.Digest + ")"
}

// The names of what can be found.
const (
	NVJitLink = "nvjitlink"
	PTXAS     = "ptxas"
	LLD       = "lld"
	NVDisasm  = "nvdisasm"
	Libdevice = "libdevice"
	ROCm      = "rocm-device-libs"
)

// Tool is something that was found. It is safe for concurrent use.
type Tool struct {
	// Name is one of the names above.
	Name string
	// Path is its file, of device libraries with several files their folder.
	Path string

	// real is the file that Path leads to.
	real string
	read func(*content) error
	once sync.Once
	content
	err error
}

// content is what a tool's file says.
type content struct {
	identity     Identity
	major, minor int
	files        []File
}

// File is a file of a device library.
type File struct {
	Name string
	Data []byte
}

func (t *Tool) load() error {
	t.once.Do(func() {
		if t.err = t.read(&t.content); t.err != nil {
			t.err = fmt.Errorf("identifying %s: %w", t.Path, t.err)
		}
		t.content.identity.Name = t.Name
	})
	return t.err
}

// Identity reads the tool's file, once, and says which it is. That takes less
// than a millisecond where the file has a build id, else about one for each
// MB. Errors are those of reading it.
func (t *Tool) Identity() (Identity, error) {
	if err := t.load(); err != nil {
		return Identity{}, err
	}
	return t.content.identity, nil
}

// Files returns the contents of a device library; they must not be modified.
func (t *Tool) Files() ([]File, error) {
	if err := t.load(); err != nil {
		return nil, err
	}
	return t.content.files, nil
}

// PTX returns the newest PTX that an assembler takes, 0 where its file does
// not say which release it is of.
func (t *Tool) PTX() (target.PTXVersion, error) {
	if err := t.load(); err != nil || t.content.major == 0 {
		return 0, err
	}
	return target.PTXOfCUDA(t.content.major, t.content.minor), nil
}

// Takes tells whether an assembler makes code for an NVIDIA processor. One
// whose file says no release is taken to.
func (t *Tool) Takes(processor string) (bool, error) {
	newest, err := t.PTX()
	if err != nil || newest == 0 {
		return err == nil, err
	}
	return newest >= target.LeastPTX(processor) && target.SM(processor) >= target.OldestSM(t.content.major), nil
}
