// Package image knows the containers device code comes in and the compiled
// image kiln makes of it. It is pure: bytes in, plain values out, the same on
// every machine, without LLVM.
package image

import (
	"strconv"

	"github.com/kilnjit/kiln/target"
)

// Format is the encoding of a compiled payload.
type Format uint8

const (
	// Object is a relocatable ELF object for the CPU device's loader.
	Object Format = iota + 1
	// PTX is NVIDIA assembly text.
	PTX
	// CodeObject is an AMDGPU shared object.
	CodeObject
	// CubinCode is NVIDIA machine code.
	CubinCode
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
	// Globals are the module's variables that the payload uses and does not
	// hold: whoever loads it supplies addresses. An object has them as undefined
	// symbols, [Slot.Symbol]. Code for a GPU has, for each, a variable of 8 bytes
	// that the address is written to before the kernel runs, [Slot.AddressSymbol].
	Globals []Slot
	// Variables are those it holds, by their [Slot.Symbol] in an object and their
	// [Slot.DeviceSymbol] in code for a GPU. An image of these alone, with what
	// initialises them, has no Kernel and no Entry.
	Variables []Slot
	// Constructors tells that the image of the module's variables runs code
	// when it is loaded, which must be before the kernel runs.
	Constructors bool
	// Resources is what the kernel takes of a GPU, zero for a CPU and for PTX.
	Resources Resources
	// Undefined are the symbols the payload expects from the process.
	Undefined []string
	// Remarks are what the compiler had to say, for reports: one line each.
	Remarks []string
	Payload []byte
}

// Resources is what a GPU kernel takes of its processor.
type Resources struct {
	// Registers are those of a work-item; Scalars and Accumulators are AMD's own
	// kinds, the former one set a wave.
	Registers, Scalars, Accumulators uint32
	// SpillBytes is what a work-item keeps in memory for want of registers,
	// LocalBytes all its private memory, SharedBytes a block's shared memory
	// without what is added at launch.
	SpillBytes, LocalBytes, SharedBytes uint32
	// Wave is the work-items of a warp or wave.
	Wave uint32
}

// Slot is one variable of a module as images of it know it. All kernels of the
// module mean the same variable by the same slot.
type Slot struct {
	// Index is the variable's place among those of the module.
	Index uint32
	// Name is the variable's own.
	Name string
	// Bytes and Align are those on the image's target.
	Bytes uint64
	Align uint32
	// Constant tells that kernels only read it.
	Constant bool
}

// Symbol returns what payloads call the variable: "kiln.global.7".
func (s *Slot) Symbol() string { return SlotPrefix + strconv.FormatUint(uint64(s.Index), 10) }

// DeviceSymbol returns what code for GPUs calls the variable: "kiln_global_7".
func (s *Slot) DeviceSymbol() string { return devicePrefix + strconv.FormatUint(uint64(s.Index), 10) }

// AddressSymbol returns what code for GPUs calls the 8 bytes that hold the
// variable's address: "kiln_address_7".
func (s *Slot) AddressSymbol() string {
	return addressPrefix + strconv.FormatUint(uint64(s.Index), 10)
}

const (
	devicePrefix  = "kiln_global_"
	addressPrefix = "kiln_address_"
)

// SlotPrefix begins the symbols of variables.
const SlotPrefix = "kiln.global."
