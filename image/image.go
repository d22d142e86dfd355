// Package image knows the containers device code comes in and the compiled
// image kiln makes of it. It is pure: bytes in, plain values out, the same on
// every machine, without LLVM.
package image

import "github.com/kilnjit/kiln/target"

// Format is the encoding of a compiled payload.
type Format uint8

const (
	// Object is a relocatable ELF object for the CPU device's loader.
	Object Format = iota + 1
	// PTX is NVIDIA assembly text.
	PTX
	// CodeObject is an AMDGPU shared object.
	CodeObject
)

// Image is one compiled kernel, ready to be loaded on a device of its target.
// It holds no address and nothing of the machine it was made on, so it can be
// stored and carried elsewhere. It must not be modified once shared.
type Image struct {
	Format Format
	Target target.Target
	// Kernel is the kernel's name in the module, Entry the payload's symbol to enter.
	Kernel, Entry string
	Convention    Convention
	// Block is the block size the code is fixed to, zeros where any goes.
	Block [3]uint32
	// Grid is the grid size the code is fixed to, zeros where any goes.
	Grid [3]uint32
	// MaxBlock is the kernel's own bound on work-items a block, 0 where unbounded.
	MaxBlock uint32
	// ParamBytes is the size of the parameter block in bytes.
	ParamBytes uint32
	// StackBytes is an upper bound of the entry's own stack frame, 0 where unknown.
	StackBytes uint32
	// ContextBytes is the memory a worker needs beside its stack (group-wide
	// arrays too large for it), 0 for none.
	ContextBytes uint64
	// Undefined are the symbols the payload expects from the process.
	Undefined []string
	// Remarks are what the compiler had to say, for reports: one line each.
	Remarks []string
	Payload []byte
}
