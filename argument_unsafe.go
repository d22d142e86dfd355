package kiln

import "unsafe"

// LaunchArg is one part of a launch: an argument of the kernel, or the shape
// of the launch. Arguments count in the order they are given, shapes stand
// anywhere. Made by [Arg], [Const], [Result], [Grid], [Block], [ConstGrid],
// [ConstBlock] and [Shared]; a plain value, to be used once or many times.
type LaunchArg struct {
	kind   argKind
	class  argClass
	size   uint32
	lo, hi uint64
	ptr    unsafe.Pointer
}

type argKind uint8

const (
	argInvalid argKind = iota
	argValue
	argConst
	argResult
	argGrid
	argConstGrid
	argBlock
	argConstBlock
	argShared
)

type argClass uint8

const (
	classNone argClass = iota
	classInt
	classFloat
	classPointer
	classBytes
)

// Grid gives the number of work-groups in x, y and z; dimensions left out are
// 1. A zero makes the launch succeed without work.
func Grid(x uint32, yz ...uint32) LaunchArg { return dims(argGrid, x, yz) }

// Block gives the number of work-items of a group in x, y and z; dimensions
// left out are 1.
func Block(x uint32, yz ...uint32) LaunchArg { return dims(argBlock, x, yz) }

// ConstGrid is [Grid], compiled into the kernel.
func ConstGrid(x uint32, yz ...uint32) LaunchArg { return dims(argConstGrid, x, yz) }

// ConstBlock is [Block], compiled into the kernel.
func ConstBlock(x uint32, yz ...uint32) LaunchArg { return dims(argConstBlock, x, yz) }

// Shared gives the dynamic shared memory of each group, in bytes.
func Shared(bytes uint32) LaunchArg { return LaunchArg{kind: argShared, lo: uint64(bytes)} }

// More than three dimensions are kept in size, for the launch to refuse.
func dims(kind argKind, x uint32, yz []uint32) LaunchArg {
	a := LaunchArg{kind: kind, size: uint32(len(yz)), lo: uint64(x) | 1<<32, hi: 1}
	if len(yz) > 0 {
		a.lo = uint64(x) | uint64(yz[0])<<32
	}
	if len(yz) > 1 {
		a.hi = uint64(yz[1])
	}
	return a
}

// Arg is the next argument of the kernel: a number, a slice or a pointer (the
// kernel gets the address of the first element), or a struct or array by
// value. The memory a slice or pointer names must stay alive until Launch
// returns, which it does as an ordinary Go argument, and may come from
// anywhere. Numbers must have the parameter's own size: int32(5) for an i32.
func Arg[T any](v T) LaunchArg { return argument(argValue, v) }

// Const is [Arg] for a number or a struct by value that is compiled into the
// kernel: a launch with another value compiles another kernel. Addresses are
// refused, for they differ from run to run.
func Const[T any](v T) LaunchArg { return argument(argConst, v) }

// Result receives the return value of a host function after the launch.
func Result[T any](v *T) LaunchArg {
	a := argument(argResult, *v)
	a.ptr = unsafe.Pointer(v)
	return a
}

func argument[T any](kind argKind, v T) LaunchArg {
	switch x := any(v).(type) {
	case int32:
		return LaunchArg{kind: kind, class: classInt, size: 4, lo: uint64(uint32(x))}
	case uint32:
		return LaunchArg{kind: kind, class: classInt, size: 4, lo: uint64(x)}
	case int64:
		return LaunchArg{kind: kind, class: classInt, size: 8, lo: uint64(x)}
	case uint64:
		return LaunchArg{kind: kind, class: classInt, size: 8, lo: x}
	case float32:
		return LaunchArg{kind: kind, class: classFloat, size: 4, lo: uint64(*(*uint32)(unsafe.Pointer(&x)))}
	case float64:
		return LaunchArg{kind: kind, class: classFloat, size: 8, lo: *(*uint64)(unsafe.Pointer(&x))}
	case LaunchArg:
		return LaunchArg{}
	}
	return shaped(kind, v)
}

type sliceWords struct {
	data     unsafe.Pointer
	len, cap int
}

// shaped covers what a type switch cannot: named types, slices of anything, structs.
func shaped[T any](kind argKind, v T) LaunchArg {
	p, size := unsafe.Pointer(&v), uint32(unsafe.Sizeof(v))
	a := LaunchArg{kind: kind, size: size}
	switch kindOf[T]() {
	case shapeInt:
		a.class = classInt
	case shapeFloat:
		a.class = classFloat
	case shapeSlice:
		a.class, a.size, a.ptr = classPointer, 8, (*sliceWords)(p).data
		a.lo = uint64(uintptr(a.ptr))
		return a
	case shapePointer:
		a.class, a.size, a.ptr = classPointer, 8, *(*unsafe.Pointer)(p)
		a.lo = uint64(uintptr(a.ptr))
		return a
	case shapeBytes:
		return inMemory(kind, v)
	default:
		return LaunchArg{}
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&a.lo)), 16), unsafe.Slice((*byte)(p), min(size, 16)))
	return a
}

// inMemory keeps an aggregate on the heap, so that a LaunchArg stays small.
//
//go:noinline
func inMemory[T any](kind argKind, v T) LaunchArg {
	p := new(T)
	*p = v
	a := LaunchArg{kind: kind, class: classBytes, size: uint32(unsafe.Sizeof(v)), ptr: unsafe.Pointer(p)}
	// store takes what has the size of a number from lo, whatever it is.
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&a.lo)), 8), a.bytes())
	return a
}

// store writes the argument's value to the parameter block at p.
func (a *LaunchArg) store(p []byte) {
	switch a.size {
	case 4:
		*(*uint32)(unsafe.Pointer(&p[0])) = uint32(a.lo)
	case 8:
		*(*uint64)(unsafe.Pointer(&p[0])) = a.lo
	default:
		copy(p, a.bytes())
	}
}

// bytes views the argument's value as it lies in memory.
func (a *LaunchArg) bytes() []byte {
	if a.class == classBytes {
		return unsafe.Slice((*byte)(a.ptr), a.size)
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&a.lo)), min(a.size, 16))
}

// take copies a host function's result from the parameter block to where the caller wants it.
func (a *LaunchArg) take(p []byte) {
	copy(unsafe.Slice((*byte)(a.ptr), a.size), p)
}
