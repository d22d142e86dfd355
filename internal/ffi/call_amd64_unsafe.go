//go:build amd64

package ffi

import "unsafe"

// callFrameAddress is the address of the C function in call_amd64.s.
var callFrameAddress uintptr

// call calls the frame's function and returns the first result register. It
// is what purego.SyscallN does, at half the cost.
func (f *Frame) call() uintptr {
	cgocall(callFrameAddress, unsafe.Pointer(f))
	return f.args[0]
}
