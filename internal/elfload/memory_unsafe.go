package elfload

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// memory is a private mapping outside Go's heap.
type memory struct{ bytes []byte }

// mapMemory returns size zeroed bytes, readable and writable, whose start is a
// multiple of align (a power of two of at least a page). With low they lie
// below 2 GiB.
func mapMemory(size, align, page uint64, low bool) (memory, error) {
	flags := unix.MAP_PRIVATE | unix.MAP_ANON
	if low {
		flags |= mapLow
	}
	reserved := size + align - page
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(reserved), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return memory{}, err
	}
	start := uint64(uintptr(p))
	skip := alignUp(start, align) - start
	if skip > 0 {
		unix.MunmapPtr(p, uintptr(skip))
		p = unsafe.Add(p, skip)
	}
	if tail := reserved - skip - size; tail > 0 {
		unix.MunmapPtr(unsafe.Add(p, size), uintptr(tail))
	}
	return memory{unsafe.Slice((*byte)(p), size)}, nil
}

func (m memory) base() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m.bytes))) }

func (m memory) unmap() error {
	return unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(m.bytes)), uintptr(len(m.bytes)))
}

// seal gives the whole pages of [lo, hi) their last protection.
func (m memory) seal(lo, hi uint64, prot int) error {
	if lo == hi {
		return nil
	}
	return unix.Mprotect(m.bytes[lo:hi], prot)
}
