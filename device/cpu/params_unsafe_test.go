package cpu

import (
	"sync/atomic"
	"unsafe"

	"github.com/kilnjit/kiln/internal/elfload"
	"github.com/kilnjit/kiln/internal/ffi"
)

// block returns p's memory as a parameter block. It lies on the heap: a stack
// moves when it grows, as it may while a kernel calls back into Go.
func block[T any](p *T) []byte {
	kept.Store((*byte)(unsafe.Pointer(p)))
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// kept makes what is stored in it escape.
var kept atomic.Pointer[byte]

// newClock returns a function that reads the processor's tick counter.
func newClock(object []byte) func() uint64 {
	o, err := elfload.Parse(object)
	if err != nil {
		panic(err)
	}
	im, err := o.Load(elfload.Options{})
	if err != nil {
		panic(err)
	}
	read, _ := im.Symbol("clock_ticks")
	return func() uint64 {
		at := new(uint64)
		ffi.CGOCall(read, unsafe.Pointer(at))
		return *at
	}
}
