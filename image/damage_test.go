package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// readAll reads all there is of a file and checks that each answer is nil if
// and only if there is an error, and within bounds.
func readAll(t *testing.T, b []byte, limits Limits) {
	t.Helper()
	f, err := OpenWithLimits(b, limits)
	if (f == nil) != (err != nil) || err != nil && !errors.Is(err, ErrFormat) {
		t.Fatalf("file %v with error %v", f != nil, err)
	}
	if f == nil {
		return
	}
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Offset > uint64(len(b)) || p.Size > uint64(len(b))-p.Offset {
			t.Fatalf("a part at %d+%d of %d bytes", p.Offset, p.Size, len(b))
		}
		data, err := p.Data()
		if err != nil && (data != nil || !errors.Is(err, ErrFormat)) || err == nil && uint64(len(data)) != p.Unpacked {
			t.Fatalf("%d bytes of a part of %d, %v", len(data), p.Unpacked, err)
		}
	}
	readCode(t, f)
	total := uint64(0)
	for found, err := range f.All() {
		if (found == nil) != (err != nil) || err != nil && !errors.Is(err, ErrFormat) {
			t.Fatalf("found %v with error %v", found != nil, err)
		}
		if found == nil || found.File == nil {
			continue
		}
		readCode(t, found.File)
		if found.Part.Packing != Stored {
			total += uint64(len(found.File.Bytes()))
		}
	}
	if total > limits.fill().Bytes {
		t.Fatalf("%d bytes unpacked, the limit is %d", total, limits.fill().Bytes)
	}
}

func readCode(t *testing.T, f *File) {
	t.Helper()
	kernels, err := f.Kernels()
	if err != nil && (kernels != nil || !errors.Is(err, ErrFormat)) {
		t.Fatalf("%d kernels with error %v", len(kernels), err)
	}
	entries, err := f.Entries()
	if err != nil && (entries != nil || !errors.Is(err, ErrFormat)) {
		t.Fatalf("%d entries with error %v", len(entries), err)
	}
}

// Every file cut at many lengths.
func TestTruncatedFiles(t *testing.T) {
	for _, name := range imageNames(t, "*/*") {
		b := imageFile(t, name)
		step := max(1, len(b)/100)
		for n := 0; n < len(b); n++ {
			if n > 100 {
				n += step - 1
			}
			readAll(t, b[:min(n, len(b)):min(n, len(b))], Limits{})
		}
	}
}

// A container that was cut says so, whatever it is.
func TestTruncatedContainersAreRefused(t *testing.T) {
	for _, name := range imageNames(t, "*/*") {
		b := imageFile(t, name)
		if ext := path.Ext(name); ext == ".ptx" || strings.HasPrefix(name, "bitcode/") {
			continue
		}
		for _, n := range []int{len(b) / 2, len(b) * 3 / 4, len(b) - 9} {
			f, err := Open(b[:n:n])
			if f != nil || !errors.Is(err, ErrFormat) {
				t.Errorf("%s cut after %d of %d bytes: %v", name, n, len(b), err)
			}
		}
	}
}

// Every file with bytes changed at random, headers more often than the rest.
func TestDamagedFiles(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 20
	}
	random := rand.New(rand.NewPCG(7, 11))
	values := []byte{0, 1, 2, 8, 0x7F, 0x80, 0xFE, 0xFF}
	for _, name := range imageNames(t, "*/*") {
		whole := imageFile(t, name)
		b := bytes.Clone(whole)
		for range rounds {
			copy(b, whole)
			for range 1 + random.IntN(4) {
				at := random.IntN(len(b))
				if random.IntN(2) == 0 {
					at = random.IntN(min(len(b), 160))
				}
				b[at] = values[random.IntN(len(values))]
			}
			readAll(t, b, Limits{Bytes: 1 << 22})
		}
	}
}

func TestBombsAreRefused(t *testing.T) {
	zeros, err := EncodeBundle([]BundleEntry{{ID: "host-", Data: make([]byte, 24<<20)}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, packing := range []Packing{Zlib, Zstd} {
		bomb, err := EncodeCompressedBundle(zeros, 2, packing)
		if err != nil {
			t.Fatal(err)
		}
		for _, tc := range []struct {
			limits Limits
			want   string
		}{
			{Limits{Bytes: 1 << 20}, "the limit is 1048576"},
			{Limits{Ratio: 100}, "above the ratio of 100"},
			{Limits{Ratio: 1 << 40}, ""},
		} {
			f, err := OpenWithLimits(bomb, tc.limits)
			if err != nil {
				t.Fatal(err)
			}
			data, err := f.Parts[0].Data()
			switch {
			case tc.want == "" && (err != nil || len(data) != len(zeros)):
				t.Errorf("%s: %d bytes, %v; want %d", packing, len(data), err, len(zeros))
			case tc.want != "" && (data != nil || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%s: %d bytes, %v; want %q", packing, len(data), err, tc.want)
			}
		}
		// A size that is understated costs no more than it says.
		binary.LittleEndian.PutUint32(bomb[12:], 1000)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		data, err := mustOpen(t, bomb).Parts[0].Data()
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; data != nil || err == nil || grown > 24<<20 {
			t.Errorf("%s: %d bytes, %v, %d bytes allocated", packing, len(data), err, grown)
		}
	}
}

// A frame may name a window far larger than its data.
func TestZstdWindowAboveTheData(t *testing.T) {
	const text = "// a short text"
	for _, window := range []int{1 << 10, 1 << 20, 8 << 20} {
		var packed bytes.Buffer
		w, err := zstd.NewWriter(&packed, zstd.WithWindowSize(window), zstd.WithSingleSegment(false))
		if err != nil {
			t.Fatal(err)
		}
		// Flushed before the end, the frame cannot say how long the data is.
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := unpack(packed.Bytes(), Zstd, uint64(len(text)), Limits{}.fill())
		if err != nil || string(got) != text {
			t.Errorf("window %d: %q, %v", window, got, err)
		}
	}
}

// The limit is for all parts of a walk together.
func TestWalkIsLimited(t *testing.T) {
	plain, err := EncodeBundle([]BundleEntry{{ID: "hip-amdgcn-amd-amdhsa--gfx900", Data: imageFile(t, "amdgpu/gfx900.v4.clang22.co")}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := EncodeCompressedBundle(plain, 3, Zstd)
	if err != nil {
		t.Fatal(err)
	}
	outer, err := EncodeBundle([]BundleEntry{{ID: "a-", Data: packed}, {ID: "b-", Data: packed}, {ID: "c-", Data: packed}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := OpenWithLimits(outer, Limits{Bytes: uint64(2*len(plain) + 10)})
	if err != nil {
		t.Fatal(err)
	}
	images, faults := 0, 0
	for _, err := range f.All() {
		if err != nil {
			faults++
		} else {
			images++
		}
	}
	if images != 2 || faults != 1 {
		t.Errorf("%d images and %d errors; want 2 and 1", images, faults)
	}
}

// Containers inside each other end at a depth, not with the stack.
func TestDepthIsLimited(t *testing.T) {
	b := imageFile(t, "amdgpu/gfx900.v4.clang22.co")
	for range maxDepth + 1 {
		var err error
		if b, err = EncodeBundle([]BundleEntry{{ID: "a-", Data: b}}, 1); err != nil {
			t.Fatal(err)
		}
	}
	var got error
	for found, err := range mustOpen(t, b).All() {
		if got = err; found != nil {
			t.Errorf("found %v", found.Path)
		}
	}
	if got == nil || !strings.Contains(got.Error(), "inside each other") {
		t.Errorf("%v", got)
	}
}

// One damaged part does not hide the others.
func TestWalkGoesOnBehindDamage(t *testing.T) {
	good := imageFile(t, "amdgpu/gfx900.v4.clang22.co")
	bad := bytes.Clone(good)
	binary.LittleEndian.PutUint64(bad[40:], 1<<40)
	b, err := EncodeBundle([]BundleEntry{{ID: "bad-", Data: bad}, {ID: "good-", Data: good}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var paths, faults []string
	for found, err := range mustOpen(t, b).All() {
		if err != nil {
			faults = append(faults, err.Error())
		} else {
			paths = append(paths, found.Path...)
		}
	}
	if len(faults) != 1 || !strings.Contains(faults[0], `"bad-"`) || !strings.Contains(faults[0], "section table") || len(paths) != 1 || paths[0] != "good-" {
		t.Errorf("paths %q, errors %q", paths, faults)
	}
	for range mustOpen(t, b).All() {
		break
	}
}

func TestOpenNamesWhatIsWrong(t *testing.T) {
	patched := func(name string, patch func([]byte)) []byte {
		b := imageFile(t, name)
		patch(b)
		return b
	}
	le := binary.LittleEndian
	for _, tc := range []struct {
		in   []byte
		want string
	}{
		{nil, "empty file"},
		{[]byte("\x7fELF\x01\x01\x01"), "shorter than the header"},
		{patched("elf/plain.gcc.o", func(b []byte) { b[4] = 1 }), "no 64-bit little-endian"},
		{patched("elf/plain.gcc.o", func(b []byte) { le.PutUint16(b[58:], 40) }), "section headers have 40 bytes"},
		{patched("elf/plain.gcc.o", func(b []byte) { le.PutUint16(b[60:], 999) }), "table of 999 entries"},
		{patched("bundle/plain.bundler22.hipfb", func(b []byte) { le.PutUint64(b[24:], 1<<60) }), "entries reaches behind the end"},
		{patched("bundle/plain.bundler22.hipfb", func(b []byte) { le.PutUint64(b[48:], 1<<60) }), "the ID of entry 0"},
		{patched("bundle/plain.bundler22.hipfb", func(b []byte) { le.PutUint64(b[32:], 1<<60) }), `entry "host-x86_64-unknown-linux-gnu-" lies at`},
		{patched("bundle/zstd.bundler22.hipfb", func(b []byte) { b[4] = 4 }), "version 4, kiln reads 1 to 3"},
		{patched("bundle/zstd.bundler22.hipfb", func(b []byte) { b[6] = 9 }), "method 9"},
		{patched("bundle/zstd.bundler22.hipfb", func(b []byte) { b[8]++ }), "truncated or damaged"},
		{patched("offload/packager22.bin", func(b []byte) { b[4] = 7 }), "version 7, kiln reads 1"},
		{patched("offload/packager22.bin", func(b []byte) { le.PutUint64(b[32+24:], 1<<50) }), "image lies at"},
		{patched("offload/packager22.bin", func(b []byte) { le.PutUint64(b[32+16:], 1<<50) }), "strings reaches behind"},
		{patched("nvidia/plain.fatbinary13.0.fatbin", func(b []byte) { b[4] = 3 }), "version 3, kiln reads 1"},
		{patched("nvidia/plain.fatbinary13.0.fatbin", func(b []byte) { le.PutUint64(b[24:], 1<<50) }), "entry at byte 16"},
		{patched("nvidia/speed.fatbinary13.0.fatbin", func(b []byte) { le.PutUint32(b[32:], 1<<30) }), "packed data has"},
		{[]byte(magicFatWrapper + "\x01\x00\x00\x00"), "open the program instead"},
		{[]byte(".version 8.0\n.func f() {}"), "no .target"},
	} {
		f, err := Open(tc.in)
		if f != nil || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v; want %q", err, tc.want)
		}
	}
}
