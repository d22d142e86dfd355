package workload

import (
	"syscall"
	"unsafe"
)

const hugePage = 2 << 20

// inHugePages asks for huge pages for a large slice that nothing was written
// to yet: what a program that cares for memory speed does, and numpy does for
// its arrays. A system that has none to give changes nothing.
func inHugePages[T any](s []T) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), uintptr(len(s))*unsafe.Sizeof(*new(T)))
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(bytes))) & (hugePage - 1)
	if uintptr(len(bytes)) < skip+hugePage {
		return
	}
	bytes = bytes[skip:]
	bytes = bytes[:len(bytes)&^(hugePage-1)]
	const collapse = 25 // MADV_COLLAPSE, for pages that are there already
	if syscall.Madvise(bytes, syscall.MADV_HUGEPAGE) == nil {
		syscall.Madvise(bytes, collapse)
	}
}
