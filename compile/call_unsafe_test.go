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

// call loads the image, enters it once with the parameter block, which it may
// write to, and returns the entry's code.
func call(t testing.TB, im *image.Image, params []byte) int32 {
	t.Helper()
	object, err := elfload.Parse(im.Payload)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := object.Load(elfload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	entry, ok := loaded.Symbol(im.Entry)
	if !ok {
		t.Fatalf("the object has no symbol %q", im.Entry)
	}
	f := &frame{params: unsafe.Pointer(unsafe.SliceData(params)), last: 1, grid: [3]uint32{1, 1, 1}, block: [3]uint32{1, 1, 1}}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	if len(params) > 0 {
		pinner.Pin(f.params)
	}
	pinner.Pin(f)
	return ffi.CGOCall(entry, unsafe.Pointer(f))
}

// address returns where s lies. The caller keeps it alive and, for C to use,
// on the heap.
func address[T any](s []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }
