package main

import (
	"fmt"
	"os"
	"syscall"
)

// bufferAlign is what kernels may expect of a buffer's address.
const bufferAlign = 64

// newBuffer returns n zero bytes between two pages that may not be touched, as
// close to the second as the alignment lets it be: a kernel that runs over the
// end of its buffer faults instead of writing elsewhere. The memory lasts as
// long as the process.
func newBuffer(n int) ([]byte, error) {
	page := os.Getpagesize()
	inner := (n + bufferAlign - 1) / bufferAlign * bufferAlign
	whole := (inner + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, whole+2*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("a buffer of %d bytes: %w", n, err)
	}
	if whole > 0 {
		if err := syscall.Mprotect(memory[page:page+whole], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
			return nil, fmt.Errorf("a buffer of %d bytes: %w", n, err)
		}
	}
	start := page + whole - inner
	return memory[start : start+n : start+n], nil
}
