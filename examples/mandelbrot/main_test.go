package main

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kilnjit/kiln"
)

var update = flag.Bool("update", false, "rewrite testdata/picture.txt")

var options = kiln.Options{Cache: kiln.CacheOptions{Off: true}}

func TestText(t *testing.T) {
	var got bytes.Buffer
	if err := run(t.Context(), options, &got, ""); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "picture.txt")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the picture differs (-want +got):\n%s", diff)
	}
}

func TestPNG(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.png")
	if err := run(t.Context(), options, nil, path); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	gray, ok := picture.(*image.Gray)
	if !ok || gray.Rect.Dx() != 1200 || gray.Rect.Dy() != 1000 {
		t.Fatalf("%T of %v, want a gray picture of 1200 by 1000", picture, picture.Bounds())
	}
	different := 0
	for py := range 1000 {
		for px := range 1200 {
			if gray.GrayAt(px, py).Y != steps(px, py) {
				different++
			}
		}
	}
	// A fused multiply and add moves pixels at the edge of the set.
	if different > 1200*1000/200 {
		t.Errorf("%d of %d pixels differ from Go's", different, 1200*1000)
	}
}

// steps is the kernel in Go.
func steps(px, py int) byte {
	cx := -2.1 + float32(2.8/float32(1200))*float32(px)
	cy := -1.25 + float32(2.5/float32(1000))*float32(py)
	var x, y float32
	for i := range 200 {
		if x*x+y*y > 4 {
			return byte(i)
		}
		x, y = x*x-y*y+cx, 2*x*y+cy
	}
	return 255
}
