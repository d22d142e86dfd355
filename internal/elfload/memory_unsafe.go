package elfload

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve takes size bytes of address space that nothing can touch yet, near
// hint if that is not 0 and there is room. With low they lie below 2 GiB.
func reserve(size uint64, hint uintptr, low bool) ([]byte, error) {
	flags := unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_NORESERVE
	if low {
		flags |= mapLow
	}
	p, err := unix.MmapPtr(-1, 0, *(*unsafe.Pointer)(unsafe.Pointer(&hint)), uintptr(size), unix.PROT_NONE, flags)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), size), nil
}

// release ends the reservation of b.
func release(b []byte) error {
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)))
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
