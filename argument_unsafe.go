package kiln

import "unsafe"

// LaunchArg is one part of a launch: an argument of the kernel, or the shape
// of the launch. Arguments count in the order they are given, shapes stand
// anywhere. Made by [Arg], [Const], [Result], [Grid], [Block], [ConstGrid],
// [ConstBlock] and [Shared]; a plain value, to be used once or many times.
type LaunchArg struct {
	tag   argTag
	value uint64 // a number's bits, an address; the x and y extents of a shape
	ptr   unsafe.Pointer
}

// argTag is kind, class and size of an argument in one word: the compiler
// keeps structs of few fields in registers, which halves the cost of a launch.
type argTag uint64

func tagOf(kind argKind, class argClass, size uint32) argTag {
	return argTag(kind) | argTag(class)<<8 | argTag(size)<<32
}

func (t argTag) kind() argKind   { return argKind(t) }
func (t argTag) class() argClass { return argClass(t >> 8) }

// size is the value's bytes, or the z extent of a shape.
func (t argTag) size() uint32 { return uint32(t >> 32) }

type argKind uint8

const (
	argInvalid argKind = iota
	argValue
	argConst
	argBuffer
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
	classTooMany // a shape of more than three dimensions
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
func Shared(bytes uint32) LaunchArg {
	return LaunchArg{tag: tagOf(argShared, classNone, 0), value: uint64(bytes)}
}

func dims(kind argKind, x uint32, yz []uint32) LaunchArg {
	y, z, class := uint32(1), uint32(1), classNone
	if len(yz) > 0 {
		y = yz[0]
	}
	if len(yz) > 1 {
		z = yz[1]
	}
	if len(yz) > 2 {
		class = classTooMany
	}
	return LaunchArg{tag: tagOf(kind, class, z), value: uint64(x) | uint64(y)<<32}
}

// Arg is the next argument of the kernel: a number, a slice or a pointer (the
// kernel gets the address of the first element), a [Buffer] (the kernel gets
// its address), or a struct or array by value. The memory a slice or pointer
// names must stay alive until the launch has ended, which the launch itself
// sees to for Go's memory, and may come from anywhere. Numbers must have the
// parameter's own size: int32(5) for an i32.
func Arg[T any](v T) LaunchArg { return argument(argValue, v) }

// Const is [Arg] for a number or a struct by value that is compiled into the
// kernel: a launch with another value compiles another kernel. Addresses are
// refused, for they differ from run to run.
func Const[T any](v T) LaunchArg { return argument(argConst, v) }

// ArgBytes is [Arg] for a value given by its bytes as they lie in memory, as
// many as the parameter has: for values whose Go type is not known when the
// program is compiled. The bytes are not copied before the launch.
func ArgBytes(value []byte) LaunchArg {
	return LaunchArg{tag: tagOf(argValue, classBytes, uint32(len(value))), ptr: unsafe.Pointer(unsafe.SliceData(value))}
}

// ConstBytes is [ArgBytes] for a value that is compiled into the kernel.
func ConstBytes(value []byte) LaunchArg {
	a := ArgBytes(value)
	a.tag = tagOf(argConst, classBytes, a.tag.size())
	return a
}

// Result receives the return value of a host function after the launch.
func Result[T any](v *T) LaunchArg {
	return LaunchArg{tag: tagOf(argResult, kindOf[T]().class(), uint32(unsafe.Sizeof(*v))), ptr: unsafe.Pointer(v)}
}

// argument tries the commonest types first, which costs a few nanoseconds;
// looking at the type by reflection costs more than the rest of a launch's preparation.
func argument[T any](kind argKind, v T) LaunchArg {
	switch x := any(v).(type) {
	case int32:
		return LaunchArg{tag: tagOf(kind, classInt, 4), value: uint64(uint32(x))}
	case float32:
		return LaunchArg{tag: tagOf(kind, classFloat, 4), value: uint64(*(*uint32)(unsafe.Pointer(&x)))}
	case []float32:
		return address(kind, unsafe.Pointer(unsafe.SliceData(x)))
	case []float64:
		return address(kind, unsafe.Pointer(unsafe.SliceData(x)))
	case []int32:
		return address(kind, unsafe.Pointer(unsafe.SliceData(x)))
	case []byte:
		return address(kind, unsafe.Pointer(unsafe.SliceData(x)))
	case float64:
		return LaunchArg{tag: tagOf(kind, classFloat, 8), value: *(*uint64)(unsafe.Pointer(&x))}
	case int64:
		return LaunchArg{tag: tagOf(kind, classInt, 8), value: uint64(x)}
	case uint32:
		return LaunchArg{tag: tagOf(kind, classInt, 4), value: uint64(x)}
	}
	return shaped(kind, v)
}

func address(kind argKind, p unsafe.Pointer) LaunchArg {
	return LaunchArg{tag: tagOf(kind, classPointer, 8), value: uint64(uintptr(p)), ptr: p}
}

// shaped covers what a type switch cannot: named types, slices of anything, structs.
func shaped[T any](kind argKind, v T) LaunchArg {
	if b, ok := any(v).(buffered); ok {
		return b.argument(kind)
	}
	p, size := unsafe.Pointer(&v), uint32(unsafe.Sizeof(v))
	shape := kindOf[T]()
	switch shape {
	case shapeSlice, shapePointer: // a slice begins with its address
		return address(kind, *(*unsafe.Pointer)(p))
	case shapeBytes:
		return inMemory(kind, v)
	case shapeOther:
		return LaunchArg{}
	}
	a := LaunchArg{tag: tagOf(kind, shape.class(), size)}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&a.value)), 8), unsafe.Slice((*byte)(p), size))
	return a
}

// inMemory keeps an aggregate on the heap, so that a LaunchArg stays small.
//
//go:noinline
func inMemory[T any](kind argKind, v T) LaunchArg {
	p := new(T)
	*p = v
	return LaunchArg{tag: tagOf(kind, classBytes, uint32(unsafe.Sizeof(v))), ptr: unsafe.Pointer(p)}
}

// storeNumber is store for a number or an address. It always writes 8 bytes:
// those behind the parameter are of later ones, which are still to be written,
// or of the block's slack.
func (a *LaunchArg) storeNumber(block unsafe.Pointer, offset uint32) {
	*(*uint64)(unsafe.Add(block, offset)) = a.value
}

// store writes the argument's value to the parameter block at p, which has
// room for it.
func (a *LaunchArg) store(p unsafe.Pointer) {
	switch a.tag >> 8 {
	case argTag(classInt) | 4<<24, argTag(classFloat) | 4<<24:
		*(*uint32)(p) = uint32(a.value)
	case argTag(classInt) | 8<<24, argTag(classFloat) | 8<<24, argTag(classPointer) | 8<<24:
		*(*uint64)(p) = a.value
	default:
		copy(unsafe.Slice((*byte)(p), a.tag.size()), a.bytes())
	}
}

// bytes views the argument's value as it lies in memory.
func (a *LaunchArg) bytes() []byte {
	if a.tag.class() == classBytes {
		return unsafe.Slice((*byte)(a.ptr), a.tag.size())
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&a.value)), min(a.tag.size(), 8))
}

// take copies a host function's result from the parameter block to where the caller wants it.
func (a *LaunchArg) take(p []byte) {
	copy(unsafe.Slice((*byte)(a.ptr), a.tag.size()), p)
}
