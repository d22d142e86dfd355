// Package ffi calls C from Go without cgo. It is the only package that knows
// how: libraries are opened and looked up here, C functions called, Go
// functions made callable from C, and text and bytes carried across.
//
// A C function may call back into Go, and a goroutine's stack may move while
// it does. Whatever C is given a pointer to must therefore lie on the heap; a
// [Frame] sees to that for its own arguments.
package ffi
