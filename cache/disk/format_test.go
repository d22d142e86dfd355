package disk

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden pins the format: a file written by an earlier kiln of this format
// version must stay readable, and the same entry must give the same bytes.
func TestGolden(t *testing.T) {
	const path = "testdata/entry.v2.kiln"
	item := cache.Item{Value: []byte("\x7fELF and so on"), Label: "image saxpy x86-64/znver4", Detail: "kernel: \"saxpy\"\nopt: O3\n"}
	got := encoded(t, testKey, item)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the format has changed without a new version:\ngot  %x\nwant %x", got, want)
	}
	back, f := decode(want, testKey)
	if f != nil {
		t.Fatal(f.reason, f.err)
	}
	if d := cmp.Diff(item, back); d != "" {
		t.Error(d)
	}
	if want := fmt.Sprintf("%x", want[:12]); want != "8b6b696c6e0d0a1a02000000" {
		t.Errorf("magic and version are %s", want)
	}
}

// TestGoldenPacked holds that a compressed entry stays readable. What the
// compressor makes of the same bytes may change.
func TestGoldenPacked(t *testing.T) {
	const path = "testdata/entry.v2.lz4.kiln"
	item := cache.Item{Value: bytes.Repeat([]byte("kernel code "), 10_000), Label: "image big", Detail: "kernel: big"}
	if *update {
		if err := os.WriteFile(path, encoded(t, testKey, item), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(file) > 1000 {
		t.Errorf("%d bytes are not compressed: the file has %d", len(item.Value), len(file))
	}
	back, f := decode(file, testKey)
	if f != nil {
		t.Fatal(f.reason, f.err)
	}
	if d := cmp.Diff(item, back); d != "" {
		t.Error(d)
	}
}

// llvm/llvm-project#62745: what an older version wrote is a miss that
// says so, and is written over.
func TestOlderFormatLLVM62745(t *testing.T) {
	file, err := os.ReadFile("testdata/entry.v1.kiln")
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, Options{Dir: "/cache", FS: fsxtest.NewMem()})
	plant(t, s, file)
	if _, err := s.Get(t.Context(), testKey); err == nil || !strings.Contains(err.Error(), "other format: format 1, this kiln reads 2") {
		t.Errorf("Get = %v", err)
	}
	for _, list := range []func(context.Context) iter.Seq2[cache.Info, error]{s.List, s.Verify} {
		if why := cache.MissReason(lastError(list(t.Context()))); why != cache.OtherFormat {
			t.Errorf("listed for the reason %q", why)
		}
	}
	wantReplaced(t, s)
}

// Values around the length from which they are compressed, that compress well,
// a little and not at all.
func TestPack(t *testing.T) {
	s := open(t, Options{Dir: "/cache", FS: fsxtest.NewMem()})
	noise := cachetest.Item(1, 2*packAbove).Value
	for name, c := range map[string]struct {
		value  []byte
		packed bool
	}{
		"short":         {make([]byte, packAbove-1), false},
		"long":          {make([]byte, packAbove), true},
		"noise":         {noise, false},
		"almost noise":  {append(bytes.Clone(noise), make([]byte, packAbove/8)...), false},
		"half is noise": {append(bytes.Clone(noise), make([]byte, 2*packAbove)...), true},
	} {
		item := cache.Item{Value: c.value, Label: name}
		cachetest.MustPut(t, s, testKey, item)
		cachetest.WantItem(t, s, testKey, item)
		file, stat, err := s.fs.Read(s.entryPath(testKey), maxEntry)
		if err != nil {
			t.Fatal(err)
		}
		if packed := stat.Size < int64(len(c.value)); packed != c.packed || file[76] == lz4Packed != c.packed {
			t.Errorf("%s: %d bytes in a file of %d", name, len(c.value), stat.Size)
		}
		for info, err := range s.Verify(t.Context()) {
			if err != nil || info.Bytes != int64(len(c.value)) || info.Footprint != footprint(stat.Size) {
				t.Errorf("%s: %+v, %v", name, info, err)
			}
		}
	}
}

// A right checksum over a compressed value that is none, or of another length.
func TestWrongPackedValues(t *testing.T) {
	whole := encoded(t, testKey, cache.Item{Value: make([]byte, 4*packAbove)})
	body := whole[:len(whole)-sumSize]
	for name, change := range map[string]func(b []byte){
		"no LZ4":           func(b []byte) { copy(b[headSize:], "nonsense") },
		"longer":           func(b []byte) { b[64]++ },
		"shorter":          func(b []byte) { b[66]-- },
		"far longer":       func(b []byte) { b[67] = 0x3f },
		"unknown way":      func(b []byte) { b[76] = 2 },
		"said to be as is": func(b []byte) { b[76] = 0 },
	} {
		b := bytes.Clone(body)
		change(b)
		item, f := decode(sealed(b), testKey)
		if f == nil || f.reason != cache.Damaged || item.Value != nil {
			t.Errorf("%s: %d bytes, flaw %+v", name, len(item.Value), f)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, testKey, testItem), true)
	f.Add(encoded(f, testKey, cache.Item{}), false)
	f.Add([]byte(magic), true)
	f.Fuzz(func(t *testing.T, file []byte, seal bool) {
		if seal {
			file = sealed(file)
		}
		item, flaw := decode(file, testKey)
		if (item.Value == nil) != (flaw != nil) {
			t.Fatalf("value nil: %v, flaw: %v", item.Value == nil, flaw)
		}
		h, headFlaw := decodeHead(file)
		if flaw != nil {
			if flaw.reason == "" {
				t.Error("a flaw without a reason")
			}
			return
		}
		if headFlaw != nil || h.size() != int64(len(file)) {
			t.Errorf("a good entry of %d bytes has a head that promises %d, flaw %v", len(file), h.size(), headFlaw)
		}
		head, value, sum, err := parts(testKey, item, h.stored)
		if err != nil {
			t.Fatal(err)
		}
		// A text may have been cleaned on the way in, a value packed in another
		// way; all else is fixed.
		texts := item.Label + item.Detail
		if again := bytes.Join([][]byte{head, value, sum[:]}, nil); !bytes.Equal(again, file) && texts == string(file[headSize:h.valueAt]) && h.how == asIs && again[76] == asIs {
			t.Errorf("read and written again:\n%x\n%x", file, again)
		}
	})
}
