// Package kiln compiles device code at run time and launches it.
//
// An [Engine] joins a device, a compiler and a cache. It loads a [Module] from
// LLVM bitcode or textual IR, finds a [Kernel] in it and launches that: the
// first launch compiles the kernel for the device, fixing the arguments given
// with [Const]; later ones find the machine code in memory, and other
// processes find it on disk, without opening LLVM at all.
//
//	engine, err := kiln.Open(kiln.Options{})
//	module, err := engine.Load(ctx, kiln.File("nbody.bc"))
//	kernel, err := module.Kernel("nbody_step")
//	err = kernel.Launch(ctx, kiln.Grid(64), kiln.Block(256),
//		kiln.Arg(bodies), kiln.Const(int32(n)), kiln.Const(float32(dt)))
//
// A module is either device code (a GPU kernel for NVPTX, AMDGPU or OpenCL,
// which the CPU device runs work-item by work-item) or host code (a plain C
// function, called once a launch).
//
// Launches can also be queued in a [Stream], and work on a [Buffer] in the
// device's own memory. A module's variables, each a [Global], exist once for all
// its kernels, and the host reads and writes them. docs/devices.md has the rules.
//
// Needs libLLVM 19 to 22 at run time where something must be compiled, and no
// C compiler, no cgo. Losing the last reference to an Engine frees nothing:
// close it.
package kiln
