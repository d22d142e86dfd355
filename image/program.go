package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/target"
)

// deviceSections are the sections that tools put device code into, one image or
// container after the other.
var deviceSections = [...]string{
	".llvm.offloading",
	".llvm.offloading.relocatable",
	".nv_fatbin",
	"__nv_relfatbin",
	".hip_fatbin",
	".llvmbc",
	".llvm.lto",
}

// bundleSection is what begins the names of sections that clang-offload-bundler
// adds to an object; the entry ID follows.
const bundleSection = "__CLANG_OFFLOAD_BUNDLE__"

// openProgram reads an ELF file of a CPU: an object, a shared object or an
// executable, with the images it embeds.
func (f *File) openProgram() error {
	e, err := readELF(f.data)
	if err != nil {
		return err
	}
	f.elf, f.Producer = e, e.comment()
	switch e.machine {
	case machineX86_64:
		f.Target = parseTarget("x86_64-unknown-linux-gnu")
	case machineAArch64:
		f.Target = parseTarget("aarch64-unknown-linux-gnu")
	}
	return f.embedded()
}

// embedded collects the parts of an ELF file.
func (f *File) embedded() error {
	for i := range f.elf.sections {
		s := &f.elf.sections[i]
		name := string(s.name)
		switch id, bundled := strings.CutPrefix(name, bundleSection); {
		case len(s.data) == 0:
		case bundled:
			p := f.part(s.offset, s.size)
			p.Label, p.Name = id, name
			p.Kind = kindOf(p.raw)
			p.Model, p.Target = parseEntryID(id)
			if err := f.add(p); err != nil {
				return err
			}
		case isDeviceSection(name):
			if err := f.sequence(s); err != nil {
				return fmt.Errorf("section %s: %w", name, err)
			}
		}
	}
	if err := f.namedBitcode(); err != nil {
		return err
	}
	return f.wrapped()
}

func isDeviceSection(name string) bool {
	for _, s := range &deviceSections {
		if s == name {
			return true
		}
	}
	// Proteus puts the bitcode of each translation unit into one of its own.
	return strings.HasPrefix(name, ".jit.bitcode")
}

// sequence splits a section into the images that lie in it one after the
// other, with zeros between them.
func (f *File) sequence(s *elfSection) error {
	for at := uint64(0); at < s.size; {
		rest := s.data[at:]
		if rest[0] == 0 {
			at += uint64(len(rest) - len(bytes.TrimLeft(rest, "\x00")))
			continue
		}
		kind := recogniseBinary(rest)
		n, err := extent(kind, rest)
		if err != nil {
			return fmt.Errorf("the %s at byte %d: %w", kind, at, err)
		}
		p := f.part(s.offset+at, n)
		p.Kind, p.Label = kind, string(s.name)
		if err := f.add(p); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// extent returns how many of the bytes belong to the image that begins there:
// all of them for kinds that do not say.
func extent(kind Kind, b []byte) (uint64, error) {
	switch kind {
	case FatBinary:
		return fatBinaryExtent(b)
	case Bundle:
		return bundleExtent(b)
	case CompressedBundle:
		h, err := readCompressedHeader(b)
		return h.total, err
	case OffloadBinary:
		return offloadExtent(b)
	case Bitcode:
		return bitcodeExtent(b), nil
	case WrappedBitcode:
		if _, err := unwrapBitcode(b); err != nil {
			return 0, err
		}
		le := binary.LittleEndian
		end := uint64(le.Uint32(b[8:])) + uint64(le.Uint32(b[12:]))
		return min(alignUp(end, 16), uint64(len(b))), nil
	}
	return uint64(len(b)), nil
}

// bitcodeExtent walks the outermost blocks of bitcode: the next module of a
// section that the linker put together begins where no block does.
func bitcodeExtent(b []byte) uint64 {
	c := bitCursor{b: b, bit: uint64(len(magicBitcode)) * 8}
	end := c.bit / 8
	for c.rest() > 8 {
		if _, err := c.enter(); err != nil {
			break
		}
		end = c.bit / 8
	}
	return end
}

// namedBitcode adds the variables whose value is bitcode: the way modules are
// carried into machine code whose sections the linker names.
func (f *File) namedBitcode() error {
	const most = 4096
	met := 0
	for _, s := range f.elf.symbols {
		if s.kind() != symbolObject {
			continue
		}
		b, offset := f.elf.contents(s)
		kind := recogniseBinary(b)
		if kind != Bitcode && kind != WrappedBitcode {
			continue
		}
		if met++; met > most {
			return fmt.Errorf("more than %d variables hold bitcode", most)
		}
		if f.covered(offset) {
			continue
		}
		p := f.part(offset, uint64(len(b)))
		p.Kind, p.Label = kind, string(s.name)
		if err := f.add(p); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) covered(offset uint64) bool {
	for i := range f.Parts {
		if p := &f.Parts[i]; offset >= p.Offset && offset-p.Offset < p.Size {
			return true
		}
	}
	return false
}

// fatWrapperBytes is the size of a wrapper: magic, version, a pointer to the
// fat binary and one that the version gives its meaning.
const fatWrapperBytes = 24

// wrapped marks the parts that the program registers through a wrapper, and
// adds those that lie in no section known by name.
func (f *File) wrapped() error {
	known := map[uint64]int{}
	for i := range f.Parts {
		known[f.Parts[i].Offset] = i
	}
	var pointers *pointers
	for i := range f.elf.sections {
		s := &f.elf.sections[i]
		if name := string(s.name); name != ".nvFatBinSegment" && name != ".hipFatBinSegment" {
			continue
		}
		if pointers == nil {
			pointers = f.elf.pointers()
		}
		for at := uint64(0); at+fatWrapperBytes <= uint64(len(s.data)); at += fatWrapperBytes {
			if w := s.data[at:]; !hasPrefix(w, magicFatWrapper) && !hasPrefix(w, magicHIPWrapper) {
				break
			}
			to, ok := pointers.at(i, at+8)
			if !ok {
				continue
			}
			offset := f.elf.sections[to.section].offset + to.offset
			if n, ok := known[offset]; ok {
				f.Parts[n].Registered = true
				continue
			}
			known[offset] = len(f.Parts)
			if err := f.addWrapped(to); err != nil {
				return err
			}
		}
	}
	return nil
}

// addWrapped adds what a wrapper points to where that is a container.
func (f *File) addWrapped(to place) error {
	s := &f.elf.sections[to.section]
	if to.offset >= uint64(len(s.data)) {
		return nil
	}
	rest := s.data[to.offset:]
	kind := recogniseBinary(rest)
	if !kind.IsContainer() {
		return nil
	}
	n, err := extent(kind, rest)
	if err != nil {
		return fmt.Errorf("section %s: the %s at byte %d: %w", s.name, kind, to.offset, err)
	}
	p := f.part(s.offset+to.offset, n)
	p.Kind, p.Label, p.Registered = kind, string(s.name), true
	return f.add(p)
}

// parseTarget is target.Parse for text out of files: zero for what kiln does
// not know.
func parseTarget(s string) target.Target {
	if s == "native" {
		return target.Target{}
	}
	t, err := target.Parse(s)
	if err != nil {
		return target.Target{}
	}
	return t
}
