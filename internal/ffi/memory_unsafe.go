package ffi

import (
	"bytes"
	"slices"
	"unsafe"
)

// pointer turns an address that is not Go's into a pointer.
func pointer(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// View returns the n bytes at address without copying them. They are C's: the
// caller sees to it that they stay where they are.
func View(address uintptr, n int) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(pointer(address)), n)
}

// Bytes returns a copy of the n bytes at address.
func Bytes(address uintptr, n int) []byte { return bytes.Clone(View(address, n)) }

// GoStringN returns a copy of the n bytes at address as a string.
func GoStringN(address uintptr, n int) string { return string(View(address, n)) }

// GoString returns a copy of the zero-terminated string at address; "" for
// the null address.
func GoString(address uintptr) string {
	if address == 0 {
		return ""
	}
	return GoStringN(address, int(Call(strlenAddress, address)))
}

// Text is a zero-terminated string on Go's heap, for C functions that keep
// its address: that stays good for as long as the Text is reachable.
type Text struct{ bytes []byte }

// NewText returns a zero-terminated copy of s.
func NewText(s string) *Text {
	t := &Text{make([]byte, len(s)+1)}
	copy(t.bytes, s)
	return t
}

// String returns the text without its zero.
func (t *Text) String() string { return string(t.bytes[:len(t.bytes)-1]) }

// Address returns where C finds the text.
func (t *Text) Address() uintptr { return uintptr(unsafe.Pointer(&t.bytes[0])) }

// Copy returns a copy of the n values of type T at address. T holds no Go
// pointers.
func Copy[T any](address uintptr, n int) []T {
	if n == 0 {
		return nil
	}
	return slices.Clone(unsafe.Slice((*T)(pointer(address)), n))
}
