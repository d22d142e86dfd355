//go:build !amd64

package ffi

import "github.com/ebitengine/purego"

// call calls the frame's function and returns the first result register.
func (f *Frame) call() uintptr {
	r, _, _ := purego.SyscallN(f.fn, f.args[:f.n]...)
	return r
}
