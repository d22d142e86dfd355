package image

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/kilnjit/kiln/internal/lz4"
)

// fuzzOpen seeds a target with the files that match, and checks everything that
// can be read of what the fuzzer makes of them.
func fuzzOpen(f *testing.F, patterns ...string) {
	for _, pattern := range patterns {
		for _, name := range imageNames(f, pattern) {
			f.Add(imageFile(f, name))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { readAll(t, b, Limits{Bytes: 1 << 22}) })
}

func FuzzProgram(f *testing.F)          { fuzzOpen(f, "elf/*") }
func FuzzBundle(f *testing.F)           { fuzzOpen(f, "bundle/plain*") }
func FuzzCompressedBundle(f *testing.F) { fuzzOpen(f, "bundle/zstd*") }
func FuzzOffloadBinary(f *testing.F)    { fuzzOpen(f, "offload/*") }
func FuzzFatBinary(f *testing.F)        { fuzzOpen(f, "nvidia/*.fatbin") }
func FuzzCubin(f *testing.F)            { fuzzOpen(f, "nvidia/*.cubin") }
func FuzzPTX(f *testing.F)              { fuzzOpen(f, "nvidia/*.ptx") }
func FuzzAMDGPU(f *testing.F)           { fuzzOpen(f, "amdgpu/*") }
func FuzzOpenBitcode(f *testing.F)      { fuzzOpen(f, "bitcode/*") }

// What LZ4 unpacks stays within the size it is said to have.
func FuzzLZ4(f *testing.F) {
	parts := mustOpen(f, imageFile(f, "nvidia/speed.fatbinary13.0.fatbin")).Parts
	for i := range parts {
		f.Add(parts[i].raw, uint32(parts[i].Unpacked))
	}
	f.Fuzz(func(t *testing.T, packed []byte, size uint32) {
		b, err := lz4.Unpack(packed, uint64(size%(1<<22)))
		if (b == nil) != (err != nil) || uint64(len(b)) > uint64(size) {
			t.Fatalf("%d bytes of %d with error %v", len(b), size, err)
		}
	})
}

func FuzzMessagePack(f *testing.F) {
	for _, name := range imageNames(f, "amdgpu/*") {
		e, err := readELF(imageFile(f, name))
		if err != nil {
			f.Fatal(err)
		}
		for note := range e.notes("AMDGPU", noteMetadata) {
			f.Add(note)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := packReader{b}
		v, err := r.next()
		if err == nil {
			err = r.skip(v, 0)
		}
		if err == nil && len(r.b) > len(b) {
			t.Fatal("the reader went backwards")
		}
		r = packReader{b}
		if v, err = r.next(); err == nil {
			k, _ := r.kernel(v)
			if len(k.Params) > len(b) {
				t.Fatalf("%d parameters out of %d bytes", len(k.Params), len(b))
			}
		}
	})
}

// What is written can be read back, whatever it is made of.
func FuzzWriters(f *testing.F) {
	f.Add([]byte("hip-amdgcn-amd-amdhsa--gfx900"), []byte("data"), uint8(3))
	f.Add([]byte("native/"), read(f, "tiny.llvm22.bc"), uint8(0))
	f.Fuzz(func(t *testing.T, text, data []byte, shift uint8) {
		id := string(text)
		plain, err := EncodeBundle([]BundleEntry{{ID: id, Data: data}, {ID: id + "2"}}, 1<<(shift%13))
		if (plain == nil) != (err != nil) {
			t.Fatalf("bundle %v with error %v", plain != nil, err)
		}
		if err == nil {
			checkBundle(t, plain, 1<<(shift%13), []BundleEntry{{ID: id, Data: data}, {ID: id + "2"}})
		}
		image := OffloadImage{Triple: id, Arch: "a", Model: "cuda", Properties: map[string]string{"p" + id: id}, Data: data}
		b, err := EncodeOffloadBinary([]OffloadImage{image, image})
		if (b == nil) != (err != nil) {
			t.Fatalf("offload binary %v with error %v", b != nil, err)
		}
		if err == nil {
			parts := mustOpen(t, b).Parts
			if len(parts) != 2 || !bytes.Equal(parts[1].raw, data) || parts[1].Label != id+" a" || parts[1].Properties["p"+id] != id {
				t.Fatalf("%+v", parts)
			}
		}
	})
}

// Sections that share their bytes multiply no work.
func TestOverlappingSectionsAreRefused(t *testing.T) {
	const sections = 100
	b := make([]byte, elfHeaderBytes+sections*elfSectionBytes)
	le := binary.LittleEndian
	copy(b, magicELF+"\x02\x01\x01")
	le.PutUint16(b[18:], machineCUDA)
	le.PutUint64(b[40:], elfHeaderBytes)
	le.PutUint16(b[58:], elfSectionBytes)
	le.PutUint16(b[60:], sections)
	for i := range sections {
		h := b[elfHeaderBytes+i*elfSectionBytes:]
		le.PutUint32(h[4:], 1)
		le.PutUint64(h[32:], uint64(len(b)))
	}
	if e, err := readELF(b); e != nil || err == nil {
		t.Errorf("%d sections, %v", sections, err)
	}
}
