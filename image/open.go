package image

import (
	"errors"
	"fmt"

	"github.com/kilnjit/kiln/target"
)

// Limits bounds what packed parts may grow to, against files made to exhaust
// memory. The zero value is fit for files from anywhere.
type Limits struct {
	// Bytes is the most that one part may unpack to, and that all parts met in
	// one walk of [File.All] may unpack to together. 0 means 1 GiB.
	Bytes uint64
	// Ratio is the most bytes that one packed byte may become where a part
	// unpacks to more than 16 MiB. 0 means 1024.
	Ratio uint64
}

const (
	defaultUnpacked = 1 << 30
	defaultRatio    = 1024
	// unratedBytes is what a part may unpack to whatever its ratio.
	unratedBytes = 16 << 20
)

func (l Limits) fill() Limits {
	if l.Bytes == 0 {
		l.Bytes = defaultUnpacked
	}
	if l.Ratio == 0 {
		l.Ratio = defaultRatio
	}
	return l
}

// File is one file of device code: what it says of itself in its headers, and
// the parts it holds. Nothing is unpacked yet. It keeps the bytes it was opened
// with, which must not change. A File is not modified once made and is safe for
// concurrent use.
type File struct {
	Kind Kind
	// Version is the format's own: "8.0" of PTX, "5" of an AMD code object, "2"
	// of a compressed bundle. Empty where the kind has none.
	Version string
	// Target is what the file was made for, zero where it does not say or names
	// a machine kiln does not know. Bitcode says so only inside, where LLVM reads it.
	Target target.Target
	// Producer is the tool that wrote the file, in its own words, where it says.
	Producer string
	// Parts are the images inside, in the file's order.
	Parts []Part

	data   []byte
	limits Limits
	elf    *elfFile
}

// Open reads the headers of any kind that [Recognise] knows. The file is nil if
// and only if there is an error; the error matches [ErrFormat] and says what is
// wrong.
func Open(b []byte) (*File, error) { return OpenWithLimits(b, Limits{}) }

// OpenWithLimits is [Open] with bounds of the caller's.
func OpenWithLimits(b []byte, limits Limits) (*File, error) {
	kind, err := Recognise(b)
	if err != nil {
		return nil, err
	}
	return openAs(kind, b, limits.fill())
}

func openAs(kind Kind, b []byte, limits Limits) (*File, error) {
	f := &File{Kind: kind, data: b, limits: limits}
	var err error
	switch kind {
	case Bitcode, WrappedBitcode:
		var id Identity
		if id, err = Identify(b); err == nil {
			f.Producer = id.Producer
		}
	case ELF:
		err = f.openProgram()
	case Cubin:
		err = f.openCubin()
	case AMDGPUObject:
		err = f.openAMDGPU()
	case PTXText:
		err = f.openPTX()
	case FatBinary:
		err = f.openFatBinary()
	case FatBinaryWrapper:
		err = errors.New("it is a pointer into the program it was cut from; open the program instead")
	case Bundle:
		err = f.openBundles()
	case CompressedBundle:
		err = f.openCompressed()
	case OffloadBinary:
		err = f.openOffload()
	}
	switch {
	case errors.Is(err, ErrFormat):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%s: %w: %w", kind, err, ErrFormat)
	}
	return f, nil
}

// Bytes returns the bytes the file was opened with. They must not be modified.
func (f *File) Bytes() []byte { return f.data }

// Packing is how a part's bytes are packed.
type Packing uint8

const (
	// Stored bytes are as they are.
	Stored Packing = iota
	// Zlib is RFC 1950.
	Zlib
	// Zstd is RFC 8878.
	Zstd
	// LZ4 is one block of LZ4 without a frame.
	LZ4
	// Scrambled bytes can be read by their vendor's tools alone.
	Scrambled
)

// String returns the packing's name, such as "zstd".
func (p Packing) String() string {
	switch p {
	case Stored:
		return "stored"
	case Zlib:
		return "zlib"
	case Zstd:
		return "zstd"
	case LZ4:
		return "LZ4"
	case Scrambled:
		return "scrambled"
	}
	return fmt.Sprintf("Packing(%d)", uint8(p))
}

// MarshalText gives JSON the packing's name.
func (p Packing) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// Part is one image inside a file.
type Part struct {
	// Kind is what the part's bytes are, 0 where they are nothing kiln knows
	// or there are none.
	Kind Kind
	// Target is what the file says the part is for; zero where it does not say
	// or names a machine kiln does not know.
	Target target.Target
	// Label is the file's own name for the part: the entry ID of a bundle, the
	// section of an ELF file, triple and architecture of an offload binary.
	Label string
	// Model is who launches the part: "host", "openmp", "cuda", "hip", "hipv4"
	// or "sycl", empty where the file does not say.
	Model string
	// Name and Options are the source's name and the compiler's options, where recorded.
	Name, Options string
	// Offset and Size are where the part's bytes lie in the file, in bytes.
	Offset, Size uint64
	Packing      Packing
	// Unpacked is the size of the part's data in bytes. It is Size for a stored
	// part, and 0 for a packed one that does not say.
	Unpacked uint64
	// Registered tells that the program around the part hands it to its run
	// time by itself, through a wrapper that points here.
	Registered bool
	// Properties are further pairs of name and value, where the format has them.
	Properties map[string]string

	raw    []byte
	check  func([]byte) error
	limits Limits
}

// part makes a stored part of b[offset:offset+size], whose bounds the caller
// checked. It has no kind yet.
func (f *File) part(offset, size uint64) Part {
	raw := f.data[offset : offset+size : offset+size]
	return Part{Offset: offset, Size: size, Unpacked: size, raw: raw, limits: f.limits}
}

// maxParts is several times what the largest libraries hold.
const maxParts = 1 << 16

func (f *File) add(p Part) error {
	if len(f.Parts) == maxParts {
		return fmt.Errorf("it holds more than %d parts", maxParts)
	}
	f.Parts = append(f.Parts, p)
	return nil
}

// kindOf is [Recognise] for what may as well be none. Of text it reads the
// first 64 KiB.
func kindOf(b []byte) Kind {
	if kind := recogniseBinary(b); kind != 0 {
		return kind
	}
	head := b[:min(len(b), 64<<10)]
	switch {
	case len(b) == 0 || !isText(head):
		return 0
	case isTextIR(head):
		return TextIR
	case isPTX(head):
		return PTXText
	}
	return 0
}

// Data returns the part's bytes: of a stored part those of the file, which must
// not be modified, of a packed one a new slice each time. Errors match
// [ErrFormat].
func (p *Part) Data() ([]byte, error) {
	if p.Packing == Stored {
		return p.raw, nil
	}
	b, err := unpack(p.raw, p.Packing, p.Unpacked, p.limits)
	if err == nil && p.check != nil {
		err = p.check(b)
	}
	if err != nil {
		return nil, fmt.Errorf("unpacking %s: %w: %w", p.describe(), err, ErrFormat)
	}
	return b, nil
}

// Open opens the part as a file of its own. Errors match [ErrFormat].
func (p *Part) Open() (*File, error) {
	b, err := p.Data()
	if err != nil {
		return nil, err
	}
	kind := p.Kind
	if kind == 0 || p.Packing != Stored {
		if kind, err = Recognise(b); err != nil {
			return nil, fmt.Errorf("%s: %w", p.describe(), err)
		}
	}
	f, err := openAs(kind, b, p.limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.describe(), err)
	}
	return f, nil
}

func (p *Part) describe() string {
	if p.Label == "" {
		return fmt.Sprintf("the part at byte %d", p.Offset)
	}
	return fmt.Sprintf("part %q at byte %d", p.Label, p.Offset)
}
