package image

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// Objects reach the fat binary through a symbol's relocation, shared objects
// through one relative to the load address; a part without a wrapper is not
// registered.
func TestWrappersMarkWhatIsRegistered(t *testing.T) {
	for pattern, want := range map[string]bool{
		"elf/cuda.*": true, "elf/hip.clang*.o": true, "elf/hip-compressed*": true, "elf/rdc.nvcc*": true,
		"elf/openmp*": false, "elf/llvmbc*": false, "elf/bundled*": false,
	} {
		for _, name := range imageNames(t, pattern) {
			for _, p := range mustOpen(t, imageFile(t, name)).Parts {
				if p.Registered != want {
					t.Errorf("%s: part %s is registered: %v; want %v", name, p.Label, p.Registered, want)
				}
			}
		}
	}
}

// A wrapper leads to a fat binary in a section of any name.
func TestWrapperLeadsToUnnamedSection(t *testing.T) {
	b := imageFile(t, "elf/cuda.nvcc13.0.so")
	want := mustOpen(t, b).Parts
	n := bytes.Index(b, []byte(".nv_fatbin\x00"))
	if n < 0 {
		t.Fatal("no section name")
	}
	b[n+1] = 'x'
	f := mustOpen(t, b)
	if len(f.Parts) != 1 || len(want) != 1 {
		t.Fatalf("%d parts; before %d", len(f.Parts), len(want))
	}
	p := f.Parts[0]
	if p.Label != ".xv_fatbin" || !p.Registered || p.Kind != FatBinary || p.Offset != want[0].Offset || p.Size != want[0].Size {
		t.Errorf("%+v; before %+v", p, want[0])
	}
}

// A program linked at a fixed address holds the pointer itself.
func TestWrapperWithoutRelocation(t *testing.T) {
	b := imageFile(t, "elf/cuda.nvcc13.0.so")
	e, err := readELF(b)
	if err != nil {
		t.Fatal(err)
	}
	section := e.section(".nvFatBinSegment")
	fat := e.section(".nv_fatbin")
	if section == nil || fat == nil {
		t.Fatal("sections are missing")
	}
	for i := range e.sections {
		if s := &e.sections[i]; s.kind == sectionRela {
			clear(b[s.offset : s.offset+s.size])
		}
	}
	binary.LittleEndian.PutUint64(b[section.offset+8:], 0)
	if f := mustOpen(t, b); f.Parts[0].Registered {
		t.Error("registered without a pointer")
	}
	binary.LittleEndian.PutUint64(b[section.offset+8:], fat.address)
	if f := mustOpen(t, b); !f.Parts[0].Registered {
		t.Error("the pointer does not lead to the fat binary")
	}
}
