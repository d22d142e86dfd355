package compile

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/elfload"
	"github.com/kilnjit/kiln/internal/ffi"
)

// frame is struct kiln_frame.
type frame struct {
	params        unsafe.Pointer
	first, last   uint64
	grid, block   [3]uint32
	shared        unsafe.Pointer
	sharedBytes   uint64
	context, link unsafe.Pointer
}

// loadImage loads an image, with the variables that others hold.
func loadImage(t testing.TB, im *image.Image, variables ...*elfload.Image) *elfload.Image {
	t.Helper()
	object, err := elfload.Parse(im.Payload)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := object.Load(elfload.Options{Resolve: func(name string) (uintptr, bool) {
		for _, v := range variables {
			if address, ok := v.Symbol(name); ok {
				return address, true
			}
		}
		return 0, false
	}})
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// call loads the image, enters it once for all groups with the parameter
// block, which it may write to, and returns the entry's code.
func call(t testing.TB, im *image.Image, params []byte, grid, block [3]uint32, variables ...*elfload.Image) int32 {
	t.Helper()
	loaded := loadImage(t, im, variables...)
	defer loaded.Close()
	entry, ok := loaded.Symbol(im.Entry)
	if !ok {
		t.Fatalf("the object has no symbol %q", im.Entry)
	}
	memory := make([]byte, im.ContextBytes+64)
	f := &frame{params: unsafe.Pointer(unsafe.SliceData(params)), last: uint64(grid[0]) * uint64(grid[1]) * uint64(grid[2]), grid: grid, block: block}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	if len(params) > 0 {
		pinner.Pin(f.params)
	}
	f.context = unsafe.Pointer(unsafe.SliceData(memory))
	pinner.Pin(f.context)
	pinner.Pin(f)
	return ffi.CGOCall(entry, unsafe.Pointer(f))
}

// address returns where s lies. The caller keeps it alive and, for C to use,
// on the heap.
func address[T any](s []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }
