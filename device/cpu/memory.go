package cpu

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/kilnjit/kiln/device"
)

// buffer is memory outside Go's heap: a mapping of its own, so that what uses
// it after it was freed faults where it can, or a loaded image's variable.
type buffer struct {
	device  *Device
	library *library // of a variable, else nil

	mu     sync.Mutex
	memory []byte // nil once freed
	mapped []byte // nil for a variable, and once given back
	freed  bool
	users  int // copies under way or queued
}

// Alloc maps memory, which takes room as it is first written to.
func (d *Device) Alloc(bytes uint64) (device.Buffer, error) {
	const most = 1 << 47
	if bytes > most {
		return nil, fmt.Errorf("allocating %d bytes: %w", bytes, device.ErrMemory)
	}
	mapped, err := unix.Mmap(-1, 0, int(max(bytes, 1)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w: %w", bytes, device.ErrMemory, err)
	}
	b := &buffer{device: d, memory: mapped[:bytes:bytes], mapped: mapped}
	d.mu.Lock()
	closed := d.closed
	if !closed {
		d.buffers[b] = struct{}{}
	}
	d.mu.Unlock()
	if closed {
		unix.Munmap(mapped)
		return nil, fmt.Errorf("allocating %d bytes: %w", bytes, device.ErrClosed)
	}
	return b, nil
}

func (b *buffer) Address() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return addressOf(b.memory)
}

func (b *buffer) Bytes() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return uint64(len(b.memory))
}

func (b *buffer) Host() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.check() != nil {
		return nil
	}
	return b.memory
}

// check tells why the memory cannot be used. It needs the lock.
func (b *buffer) check() error {
	switch {
	case b.library != nil && b.library.function.closed.Load():
		return fmt.Errorf("variable of an image: %w", device.ErrClosed)
	case b.freed:
		return fmt.Errorf("buffer of %s: %w", b.device.name, device.ErrFreed)
	}
	return nil
}

// take returns n bytes from offset and keeps them until give.
func (b *buffer) take(offset, n uint64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.check(); err != nil {
		return nil, err
	}
	if err := device.CheckRange(uint64(len(b.memory)), offset, n); err != nil {
		return nil, err
	}
	b.users++
	return b.memory[offset : offset+n : offset+n], nil
}

func (b *buffer) give() {
	b.mu.Lock()
	b.users--
	mapped := b.unused()
	b.mu.Unlock()
	unmap(mapped)
}

// unused returns the mapping to be given back now, nil for none.
func (b *buffer) unused() []byte {
	if !b.freed || b.users > 0 {
		return nil
	}
	mapped := b.mapped
	b.mapped = nil
	return mapped
}

func unmap(mapped []byte) error {
	if mapped == nil {
		return nil
	}
	return unix.Munmap(mapped)
}

func (b *buffer) Write(offset uint64, src []byte) error {
	memory, err := b.take(offset, uint64(len(src)))
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	defer b.give()
	copy(memory, src)
	return nil
}

func (b *buffer) Read(dst []byte, offset uint64) error {
	memory, err := b.take(offset, uint64(len(dst)))
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	defer b.give()
	copy(dst, memory)
	return nil
}

func (b *buffer) Free() error {
	if b.library != nil {
		return fmt.Errorf("freeing an image's variable: %w: it goes with its library", device.ErrArgument)
	}
	b.device.mu.Lock()
	delete(b.device.buffers, b)
	b.device.mu.Unlock()
	return b.free()
}

func (b *buffer) free() error {
	b.mu.Lock()
	if b.freed {
		b.mu.Unlock()
		return fmt.Errorf("freeing: %w", b.check())
	}
	b.freed, b.memory = true, nil
	mapped := b.unused()
	b.mu.Unlock()
	if err := unmap(mapped); err != nil {
		return fmt.Errorf("freeing: %w", err)
	}
	return nil
}

// native returns what b is on a CPU device.
func native(b device.Buffer) (*buffer, error) {
	if own, ok := b.(*buffer); ok && own != nil {
		return own, nil
	}
	return nil, fmt.Errorf("a %T is no buffer of a CPU device: %w", b, device.ErrArgument)
}
