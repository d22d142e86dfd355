package kiln

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/kilnjit/kiln/device"
)

// Buffer is n elements of T in the device's memory, outside Go's heap. Given
// to [Arg], a kernel gets its address. Safe for concurrent use, in the way that
// memory is. The caller frees it; nothing else does before the device closes.
type Buffer[T any] struct {
	memory         *region
	offset, length int // in elements
}

// region is what buffers and their slices share.
type region struct {
	engine *Engine
	buffer device.Buffer
	base   uint64
	own    bool // it may be freed

	mu    sync.Mutex
	users int // launches queued or under way in streams
	freed bool
}

func newRegion(e *Engine, b device.Buffer, own bool) *region {
	return &region{engine: e, buffer: b, base: b.Address(), own: own}
}

// NewBuffer returns a buffer of n zero elements on the engine's device. T is
// anything without pointers. Errors match [ErrArgument], [device.ErrMemory] or
// [ErrClosed].
func NewBuffer[T any](e *Engine, n int) (*Buffer[T], error) {
	size, err := elementSize[T]()
	if err != nil {
		return nil, err
	}
	if n < 0 || uint64(n) > (1<<62)/size {
		return nil, fmt.Errorf("%w: a buffer of %d elements", ErrArgument, n)
	}
	if e.closed.Load() {
		return nil, ErrClosed
	}
	b, err := e.device.Alloc(uint64(n) * size)
	if err != nil {
		return nil, err
	}
	return &Buffer[T]{memory: newRegion(e, b, true), length: n}, nil
}

func elementSize[T any]() (uint64, error) {
	t := reflect.TypeFor[T]()
	if !plain(t) || t.Size() == 0 {
		return 0, fmt.Errorf("%w: elements of type %s cannot lie in a device's memory: they must have a size and no pointers", ErrArgument, t)
	}
	return uint64(t.Size()), nil
}

// Len returns the number of elements.
func (b *Buffer[T]) Len() int { return b.length }

// Slice returns the elements from lo up to hi, which share b's memory. Freeing
// either frees both.
func (b *Buffer[T]) Slice(lo, hi int) (*Buffer[T], error) {
	if lo < 0 || hi < lo || hi > b.length {
		return nil, fmt.Errorf("%w: elements %d to %d of %d", device.ErrRange, lo, hi, b.length)
	}
	return &Buffer[T]{b.memory, b.offset + lo, hi - lo}, nil
}

// Host returns the elements themselves where the host can reach them, as it
// can those of the CPU device; else nil, as for a freed buffer. They must not
// be used after Free.
func (b *Buffer[T]) Host() []T {
	bytes := b.memory.buffer.Host()
	if bytes == nil {
		return nil
	}
	return elements[T](bytes)[b.offset : b.offset+b.length]
}

// Write copies src to the buffer's first elements, at once and ordered with no
// stream. More than there are is an error.
func (b *Buffer[T]) Write(src []T) error {
	if err := b.fits(len(src)); err != nil {
		return err
	}
	return b.memory.buffer.Write(b.at(), asBytes(src))
}

// Read copies the buffer's first elements to dst, at once and ordered with no
// stream. More than there are is an error.
func (b *Buffer[T]) Read(dst []T) error {
	if err := b.fits(len(dst)); err != nil {
		return err
	}
	return b.memory.buffer.Read(asBytes(dst), b.at())
}

// WriteOn queues a copy of src to the buffer's first elements. src must not be
// modified until it is done.
func (b *Buffer[T]) WriteOn(ctx context.Context, s Stream, src []T) error {
	if err := b.fits(len(src)); err != nil {
		return err
	}
	return s.Write(ctx, b.memory.buffer, b.at(), asBytes(src))
}

// ReadOn queues a copy of the buffer's first elements to dst, which must not
// be touched until it is done.
func (b *Buffer[T]) ReadOn(ctx context.Context, s Stream, dst []T) error {
	if err := b.fits(len(dst)); err != nil {
		return err
	}
	return s.Read(ctx, asBytes(dst), b.memory.buffer, b.at())
}

// CopyOn queues a copy of all of src to the buffer's first elements.
func (b *Buffer[T]) CopyOn(ctx context.Context, s Stream, src *Buffer[T]) error {
	if err := b.fits(src.length); err != nil {
		return err
	}
	return s.Copy(ctx, b.memory.buffer, b.at(), src.memory.buffer, src.at(), src.bytes(src.length))
}

// FillOn queues v for all elements. T must have 1, 2, 4, 8 or 16 bytes.
func (b *Buffer[T]) FillOn(ctx context.Context, s Stream, v T) error {
	return s.Fill(ctx, b.memory.buffer, b.at(), b.bytes(b.length), asBytes([]T{v}))
}

// Free gives the memory back once the launches and copies in streams that use
// it have ended. A launch that is not in a stream must have returned. Freeing
// again is an error that matches [ErrFreed], as is any use of the buffer.
func (b *Buffer[T]) Free() error { return b.memory.free() }

func (b *Buffer[T]) fits(n int) error {
	if n > b.length {
		return fmt.Errorf("%w: %d elements and a buffer of %d", device.ErrRange, n, b.length)
	}
	return nil
}

func (m *region) free() error {
	if !m.own {
		return fmt.Errorf("%w: a module's variable is not freed", ErrArgument)
	}
	m.mu.Lock()
	freed, idle := m.freed, m.users == 0
	m.freed = true
	m.mu.Unlock()
	if freed {
		return fmt.Errorf("freeing a buffer: %w", ErrFreed)
	}
	if !idle {
		return nil
	}
	return m.buffer.Free()
}

// fillBuffer is fill for an argument that is a buffer.
func (k *Kernel) fillBuffer(r *record, index int, a *LaunchArg) error {
	p := &k.params[index]
	if a.tag>>8 != p.tag>>8 && !p.takes(a) {
		return k.mismatch(index, a)
	}
	a.store(r.at(p.offset))
	m := a.region()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed {
		return fmt.Errorf("kernel %s: argument %d: %w", k.info.Name, index, ErrFreed)
	}
	return nil
}

// use keeps the memory until done.
func (m *region) use() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.freed {
		return fmt.Errorf("an argument's buffer: %w", ErrFreed)
	}
	m.users++
	return nil
}

func (m *region) done() {
	m.mu.Lock()
	m.users--
	last := m.freed && m.users == 0
	m.mu.Unlock()
	if last {
		m.buffer.Free()
	}
}
