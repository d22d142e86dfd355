package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIdentify(t *testing.T) {
	bc := read(t, "tiny.llvm22.bc")
	for _, tc := range []struct {
		name     string
		in       []byte
		producer string
	}{
		{"22", bc, "LLVM22.1.8"},
		{"19", read(t, "tiny.llvm19.bc"), "LLVM19.1.7"},
		{"wrapped", wrap(bc), "LLVM22.1.8"},
		{"text", read(t, "tiny.llvm22.ll"), ""},
		{"padded", append(bytes.Clone(bc), 0, 0, 0, 0), "LLVM22.1.8"},
	} {
		got, err := Identify(tc.in)
		if err != nil || got != (Identity{Producer: tc.producer}) {
			t.Errorf("%s: %+v, %v; want producer %q", tc.name, got, err, tc.producer)
		}
	}
}

// The kernels of the repository come from two compilers: all of them must say so.
func TestIdentifyRealModules(t *testing.T) {
	files, err := filepath.Glob("../testdata/*/*.bc")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bitcode in testdata: %v", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		id, err := Identify(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if major, ok := id.Major(); !ok || major < 14 || major > 22 || id.Epoch != 0 {
			t.Errorf("%s: %+v, major %d", name, id, major)
		}
	}
}

func TestIdentifyTruncated(t *testing.T) {
	bc := read(t, "tiny.llvm22.bc")
	// Where a module is whole and only the string table behind it is missing,
	// a cut can fall between two blocks: that is for LLVM to notice.
	ends := map[int]bool{}
	for c := (bitCursor{b: bc, bit: 32}); c.rest() > 8; {
		blk, err := c.enter()
		if err != nil {
			t.Fatal(err)
		}
		if blk.id != blockIdentification {
			for i := range 9 {
				ends[int(c.bit/8)+i] = true
			}
		}
	}
	named := 0
	for n := range len(bc) {
		id, err := Identify(bc[:n])
		if ends[n] {
			continue
		}
		if id != (Identity{}) || !errors.Is(err, ErrFormat) {
			t.Fatalf("first %d of %d bytes: %+v, %v", n, len(bc), id, err)
		}
		if strings.Contains(err.Error(), "LLVM22.1.8 is truncated") {
			named++
		}
	}
	if named < len(bc)/2 {
		t.Errorf("only %d of %d truncations name the producer", named, len(bc))
	}
	_, err := Identify(bc[:len(bc)/2])
	if want := "bitcode made by LLVM22.1.8 is truncated: block 8 at byte 32 has 2236 bytes, the file ends after 1192 of them"; !strings.Contains(err.Error(), want) {
		t.Errorf("error %q; want %q", err, want)
	}
}

func TestIdentifyDamaged(t *testing.T) {
	bc := read(t, "tiny.llvm22.bc")
	for name, tc := range map[string]struct {
		patch func([]byte) []byte
		want  string
	}{
		"no block":           {func(b []byte) []byte { b[4] = 0; return b }, "no block begins at byte 4"},
		"unreadable strings": {func(b []byte) []byte { b[12], b[13], b[14] = 0xFF, 0xFF, 0xFF; return b }, "identification block is unreadable"},
		"huge block":         {func(b []byte) []byte { binary.LittleEndian.PutUint32(b[8:], 0xFFFFFFFF); return b }, "is truncated"},
		"no module":          {func(b []byte) []byte { return b[:32] }, "made by LLVM22.1.8 is truncated: it ends before a module"},
		"ELF":                {func([]byte) []byte { return []byte(magicELF + "\x02\x01\x01") }, "this is ELF"},
		"C":                  {func([]byte) []byte { return []byte("int x;") }, "C source"},
	} {
		id, err := Identify(tc.patch(bytes.Clone(bc)))
		if id != (Identity{}) || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %+v, %v; want %q", name, id, err, tc.want)
		}
	}
}

// bitWriter builds streams that no compiler of today writes.
type bitWriter struct {
	b   []byte
	bit int
}

func (w *bitWriter) put(v uint64, n int) {
	for i := range n {
		if w.bit%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.bit/8] |= byte(v>>i&1) << (w.bit % 8)
		w.bit++
	}
}

func (w *bitWriter) vbr(v uint64, n int) {
	for ; v >= 1<<(n-1); v >>= n - 1 {
		w.put(v&(1<<(n-1)-1)|1<<(n-1), n)
	}
	w.put(v, n)
}

func (w *bitWriter) align() {
	for w.bit%32 != 0 {
		w.put(0, 1)
	}
}

// stream returns bitcode with an identification block of the given body, of
// abbreviation width 5, and an empty module.
func stream(body func(*bitWriter)) []byte {
	w := &bitWriter{}
	for _, c := range []byte(magicBitcode) {
		w.put(uint64(c), 8)
	}
	header := func(id uint64, body []byte) {
		w.put(enterSubblock, 2)
		w.vbr(id, 8)
		w.vbr(5, 4)
		w.align()
		w.put(uint64(len(body)/4), 32)
		for _, c := range body {
			w.put(uint64(c), 8)
		}
	}
	in := &bitWriter{}
	body(in)
	in.align()
	header(blockIdentification, in.b)
	header(blockModule, make([]byte, 16))
	return w.b
}

func TestIdentifyOtherForms(t *testing.T) {
	unabbreviated := func(w *bitWriter, code uint64, ops ...uint64) {
		w.put(3, 5)
		w.vbr(code, 6)
		w.vbr(uint64(len(ops)), 6)
		for _, v := range ops {
			w.vbr(v, 6)
		}
	}
	for name, tc := range map[string]struct {
		body func(*bitWriter)
		want Identity
		bad  bool
	}{
		"unabbreviated, epoch 7": {func(w *bitWriter) {
			unabbreviated(w, recordProducer, 'L', 'L', 'V', 'M', '2', '3')
			unabbreviated(w, recordEpoch, 7)
			unabbreviated(w, 99, 1, 2)
			w.put(0, 5)
		}, Identity{"LLVM23", 7}, false},
		"array of 8 bits": {func(w *bitWriter) {
			w.put(2, 5)
			w.vbr(3, 5)
			w.put(1, 1)
			w.vbr(recordProducer, 8)
			w.put(0, 1)
			w.put(encArray, 3)
			w.put(0, 1)
			w.put(encFixed, 3)
			w.vbr(8, 5)
			w.put(4, 5)
			w.vbr(3, 6)
			for _, c := range "a+b" {
				w.put(uint64(c), 8)
			}
			w.put(0, 5)
		}, Identity{"a+b", 0}, false},
		"empty":            {func(w *bitWriter) { w.put(0, 5) }, Identity{}, false},
		"unprintable name": {func(w *bitWriter) { unabbreviated(w, recordProducer, 'a', 7); w.put(0, 5) }, Identity{}, true},
		"huge record": {func(w *bitWriter) {
			w.put(3, 5)
			w.vbr(recordProducer, 6)
			w.vbr(1<<40, 6)
		}, Identity{}, true},
		"unknown abbreviation": {func(w *bitWriter) { w.put(9, 5) }, Identity{}, true},
		"nested block":         {func(w *bitWriter) { w.put(1, 5) }, Identity{}, true},
		"no end":               {func(w *bitWriter) { unabbreviated(w, recordEpoch, 0); w.put(3, 5) }, Identity{}, true},
		"endless integer":      {func(w *bitWriter) { w.put(3, 5); w.put(^uint64(0), 64); w.put(^uint64(0), 64) }, Identity{}, true},
	} {
		got, err := Identify(stream(tc.body))
		if got != tc.want || (err != nil) != tc.bad || err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %+v, %v; want %+v, error %v", name, got, err, tc.want, tc.bad)
		}
	}
}

func TestMajor(t *testing.T) {
	for producer, want := range map[string]int{
		"LLVM22.1.8": 22, "LLVM23.0.0git": 23, "LLVM3.9.1": 3, "LLVM16.0.0-rust-1.71.0-stable": 16,
		"": -1, "APPLE_1_1300.0.29.30_0": -1, "LLVM": -1, "LLVMx": -1, "LLVM99999999999999999999.1": -1,
	} {
		got, ok := Identity{Producer: producer}.Major()
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v; want %d", producer, got, ok, want)
		}
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add(read(f, "tiny.llvm22.bc"))
	f.Add(wrap(read(f, "tiny.llvm19.bc")))
	f.Add(stream(func(w *bitWriter) { w.put(0, 5) }))
	f.Fuzz(func(t *testing.T, b []byte) {
		id, err := Identify(b)
		if err != nil && (id != (Identity{}) || !errors.Is(err, ErrFormat)) {
			t.Fatalf("%+v with error %v", id, err)
		}
		if len(id.Producer) > maxRecord {
			t.Fatalf("a producer of %d bytes", len(id.Producer))
		}
		if err == nil {
			if _, err := Recognise(b); err != nil {
				t.Fatalf("identified, yet: %v", err)
			}
		}
	})
}

func BenchmarkIdentify(b *testing.B) {
	bc := read(b, "tiny.llvm22.bc")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Identify(bc); err != nil {
			b.Fatal(err)
		}
	}
}
