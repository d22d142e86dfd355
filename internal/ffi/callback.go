package ffi

import "github.com/ebitengine/purego"

// Callback returns the address of a C function that calls fn, a Go function
// of word-sized parameters and at most one word-sized result. Each takes one
// of the process's 2,000 callback slots for good, so make a callback once and
// tell callers apart by an argument. A panic must not leave fn.
func Callback(fn any) uintptr { return purego.NewCallback(fn) }

// Bind makes the function variable that fn points to call the C function at
// address. It is the way for functions that take or return floating point; a
// call through it costs a few hundred ns.
func Bind(fn any, address uintptr) { purego.RegisterFunc(fn, address) }
