package disk

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kilnjit/kiln/cache"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden pins the format: a file written by an earlier kiln of this format
// version must stay readable, and the same entry must give the same bytes.
func TestGolden(t *testing.T) {
	const path = "testdata/entry.v1.kiln"
	item := cache.Item{Value: []byte("\x7fELF and so on"), Label: "image saxpy x86-64/znver4"}
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
	if want := fmt.Sprintf("%x", want[:12]); want != "8b6b696c6e0d0a1a01000000" {
		t.Errorf("magic and version are %s", want)
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
		// A label may have been cleaned on the way in; all else is fixed.
		if again := bytes.Join([][]byte{head, value, sum[:]}, nil); !bytes.Equal(again, file) && item.Label == string(file[headSize:h.valueAt]) {
			t.Errorf("read and written again:\n%x\n%x", file, again)
		}
	})
}
