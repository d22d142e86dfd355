package device

import "fmt"

// Buffer is memory of a device. Safe for concurrent use; copies that overlap
// in time and place give mixed bytes.
type Buffer interface {
	// Address is what kernels know the memory by, 0 once it is freed.
	Address() uint64
	// Bytes is the size asked for.
	Bytes() uint64
	// Host returns the memory itself where the host can reach it, else nil, as
	// for a freed buffer. It must not be used after Free.
	Host() []byte
	// Write copies src to the memory from offset on, Read the memory to dst,
	// both at once and ordered with no stream. Errors match [ErrRange],
	// [ErrFreed] or [ErrClosed].
	Write(offset uint64, src []byte) error
	Read(dst []byte, offset uint64) error
	// Free gives the memory back once no stream's copy needs it any more. That
	// no kernel does is the caller's to see to. Freeing again is an error that
	// matches [ErrFreed].
	Free() error
}

// CheckRange tells whether n bytes from offset lie in size. The error matches
// [ErrRange].
func CheckRange(size, offset, n uint64) error {
	if offset > size || n > size-offset {
		return fmt.Errorf("%d bytes from offset %d of a buffer of %d: %w", n, offset, size, ErrRange)
	}
	return nil
}
