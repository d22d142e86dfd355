package elfload

import (
	"os"
	"testing"

	"github.com/kilnjit/kiln/internal/ffi"
)

// BenchmarkParse is the pure part for an 11 KB kernel.
func BenchmarkParse(b *testing.B) {
	obj := readPrebuilt(b, "kernel.o")
	b.SetBytes(int64(len(obj)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(obj); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCallable is bytes to callable address, closing not counted.
func BenchmarkCallable(b *testing.B) {
	for _, c := range []struct {
		name, object string
		opts         Options
	}{
		{"kernel", "kernel.o", Options{}},
		{"frames", "kernel.o", Options{Frames: true}},
		{"constructors", "lifetime.o", Options{}},
		{"exceptions", "exceptions.o", Options{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			obj := readPrebuilt(b, c.object)
			b.ReportAllocs()
			var images []*Image
			drain := func() {
				for _, im := range images {
					im.Close()
				}
				images = images[:0]
			}
			for range b.N {
				o, err := Parse(obj)
				if err != nil {
					b.Fatal(err)
				}
				im, err := o.Load(c.opts)
				if err != nil {
					b.Fatal(err)
				}
				if _, ok := im.Symbol("test"); !ok {
					b.Fatal("no symbol test")
				}
				if images = append(images, im); len(images) == 100 {
					b.StopTimer()
					drain()
					b.StartTimer()
				}
			}
			b.StopTimer()
			drain()
		})
	}
}

// BenchmarkFromFile is file to the kernel's first result.
func BenchmarkFromFile(b *testing.B) {
	for b.Loop() {
		obj, err := os.ReadFile("testdata/prebuilt/kernel.o")
		if err != nil {
			b.Fatal(err)
		}
		o, err := Parse(obj)
		if err != nil {
			b.Fatal(err)
		}
		im, err := o.Load(Options{})
		if err != nil {
			b.Fatal(err)
		}
		test, _ := im.Symbol("test")
		if line := int32(ffi.Call(test, 0)); line != 0 {
			b.Fatalf("check in line %d is wrong", line)
		}
		im.Close()
	}
}
