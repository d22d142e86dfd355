package ffi_test

import (
	"testing"
	"unsafe"

	"github.com/kilnjit/kiln/internal/ffi"
)

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// TestCGOCall calls a C function of one pointer, and one that calls back.
func TestCGOCall(t *testing.T) {
	text := [...]byte{'s', 'e', 'v', 'e', 'n', ' ', '7', 0}
	if got := ffi.CGOCall(symbol(t, "strlen"), unsafe.Pointer(&text)); got != 7 {
		t.Errorf("strlen is %d", got)
	}
	number := [...]byte{'-', '4', '2', 0}
	atoi := symbol(t, "atoi")
	if got := ffi.CGOCall(atoi, unsafe.Pointer(&number)); got != -42 {
		t.Errorf("atoi is %d", got)
	}
	if n := testing.AllocsPerRun(100, func() { ffi.CGOCall(atoi, unsafe.Pointer(&number)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkCGOCall(b *testing.B) {
	number := [...]byte{'7', 0}
	atoi := symbol(b, "atoi")
	for b.Loop() {
		ffi.CGOCall(atoi, unsafe.Pointer(&number))
	}
}
