package kiln

import "unsafe"

// buffered is what a buffer of any element type is as an argument.
type buffered interface {
	argument(kind argKind) LaunchArg
}

// argument gives a kernel the buffer's address. The memory comes along, for
// launches to tell whether it was freed.
func (b *Buffer[T]) argument(kind argKind) LaunchArg {
	if b == nil {
		return LaunchArg{}
	}
	if kind == argValue {
		kind = argBuffer
	}
	return LaunchArg{
		tag:   tagOf(kind, classPointer, 8),
		value: b.memory.base + b.at(),
		ptr:   unsafe.Pointer(b.memory),
	}
}

// region returns the memory of a buffer that is an argument, else nil.
func (a *LaunchArg) region() *region {
	if a.tag.kind() != argBuffer {
		return nil
	}
	return (*region)(a.ptr)
}

func (b *Buffer[T]) bytes(n int) uint64 {
	var zero T
	return uint64(n) * uint64(unsafe.Sizeof(zero))
}

// at returns the buffer's offset in its memory, in bytes.
func (b *Buffer[T]) at() uint64 { return b.bytes(b.offset) }

// elements views b as elements of T, which has a size and no pointers. It is
// aligned as memory of a device is.
func elements[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

func asBytes[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}
