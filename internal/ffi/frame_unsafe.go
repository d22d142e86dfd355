package ffi

import (
	"sync"
	"unsafe"
)

// MaxArgs is how many arguments a C function can be given.
const MaxArgs = 32

// textRoom is the number of bytes of text that a frame carries without an
// allocation.
const textRoom = 256

// Frame is one call of a C function in the making: [Enter], then the
// arguments in order, then [Frame.Call], which also ends the frame. Frames
// are reused, so a call allocates nothing unless its text is long. A frame
// belongs to one goroutine.
type Frame struct {
	// The first three are known to the assembly by their offsets.
	fn   uintptr
	n    int
	args [MaxArgs]uintptr

	kept int
	keep [MaxArgs]unsafe.Pointer
	used int
	text [textRoom]byte
	// length is where OutLength lets C write.
	length uint64
}

var (
	frames    = sync.Pool{New: func() any { return new(Frame) }}
	emptyText [1]byte
)

// Enter begins a call of the C function at fn, which must not be zero.
func Enter(fn uintptr) *Frame {
	f := frames.Get().(*Frame)
	f.fn = fn
	return f
}

// Word adds an integer, a handle or an address that is not Go's.
func (f *Frame) Word(w uintptr) {
	f.args[f.n] = w
	f.n++
}

// Bool adds a C int that is 0 or 1.
func (f *Frame) Bool(b bool) {
	var w uintptr
	if b {
		w = 1
	}
	f.Word(w)
}

// Text adds s as a zero-terminated string that C may read during the call. A
// zero byte inside s ends the string for C.
func (f *Frame) Text(s string) {
	if s == "" {
		f.Word(uintptr(unsafe.Pointer(&emptyText[0])))
		return
	}
	if f.used+len(s) >= textRoom {
		f.address(unsafe.Pointer(&NewText(s).bytes[0]))
		return
	}
	f.Word(uintptr(unsafe.Pointer(&f.text[f.used])))
	f.used += copy(f.text[f.used:], s)
	f.text[f.used] = 0
	f.used++
}

// TextAndLength adds s as two arguments: the address of its bytes, without a
// terminating zero, and their number.
func (f *Frame) TextAndLength(s string) {
	f.address(unsafe.Pointer(unsafe.StringData(s)))
	f.Word(uintptr(len(s)))
}

func (f *Frame) address(p unsafe.Pointer) {
	f.keep[f.kept] = p
	f.kept++
	f.Word(uintptr(p))
}

// Pointer adds the address of a Go variable, which C may use during the call
// alone; nil is C's null.
func Pointer[T any](f *Frame, p *T) { f.address(unsafe.Pointer(p)) }

// Elements adds the address of the first element of s, which C may use during
// the call alone. The length is not added.
func Elements[T any](f *Frame, s []T) { f.address(unsafe.Pointer(unsafe.SliceData(s))) }

// OutLength adds the address of a zero that C may overwrite with a length of
// 32 or 64 bits, for [Frame.CallTextAndLength].
func (f *Frame) OutLength() {
	f.length = 0
	f.Word(uintptr(unsafe.Pointer(&f.length)))
}

// CallText is Call for a function that returns a zero-terminated string that
// stays C's; the result is a copy, "" for null.
func (f *Frame) CallText() string { return GoString(f.Call()) }

// CallTextAndLength is CallText for a string whose length C has written to
// where the last OutLength pointed.
func (f *Frame) CallTextAndLength() string {
	address := f.call()
	n := int(f.length)
	f.end()
	if address == 0 {
		return ""
	}
	return GoStringN(address, n)
}

// Call calls the function, ends the frame and returns the first result
// register. A C result narrower than 64 bits leaves the upper bits undefined.
func (f *Frame) Call() uintptr {
	r := f.call()
	f.end()
	return r
}

func (f *Frame) end() {
	clear(f.keep[:f.kept])
	f.n, f.kept, f.used = 0, 0, 0
	frames.Put(f)
}

// Call calls the C function at fn with words as its arguments and returns the
// first result register. It allocates nothing.
func Call(fn uintptr, words ...uintptr) uintptr {
	if len(words) > MaxArgs {
		panic("ffi: too many arguments")
	}
	f := Enter(fn)
	f.n = copy(f.args[:], words)
	return f.Call()
}
