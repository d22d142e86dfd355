package cpu

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/kilnjit/kiln/device"
)

func (s *stream) Write(ctx context.Context, dst device.Buffer, offset uint64, src []byte) error {
	const what = "writing in a stream"
	memory, give, err := hold(dst, offset, uint64(len(src)))
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return s.copying(ctx, what, memory, src, give)
}

func (s *stream) Read(ctx context.Context, dst []byte, src device.Buffer, offset uint64) error {
	const what = "reading in a stream"
	memory, give, err := hold(src, offset, uint64(len(dst)))
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return s.copying(ctx, what, dst, memory, give)
}

func (s *stream) Copy(ctx context.Context, dst device.Buffer, dstOffset uint64, src device.Buffer, srcOffset, n uint64) error {
	const what = "copying in a stream"
	to, giveTo, err := hold(dst, dstOffset, n)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	from, giveFrom, err := hold(src, srcOffset, n)
	if err != nil {
		giveTo()
		return fmt.Errorf("%s: %w", what, err)
	}
	return s.copying(ctx, what, to, from, func() { giveTo(); giveFrom() })
}

// hold returns memory that stays until the function is called.
func hold(b device.Buffer, offset, n uint64) ([]byte, func(), error) {
	own, err := native(b)
	if err != nil {
		return nil, nil, err
	}
	memory, err := own.take(offset, n)
	return memory, own.give, err
}

func (s *stream) copying(ctx context.Context, what string, dst, src []byte, give func()) error {
	_, err := s.enqueue(operation{
		ctx: ctx, what: what, ended: func(error) { give() },
		run: func(context.Context) error { copy(dst, src); return nil },
	})
	if err != nil {
		give()
	}
	return err
}

func (s *stream) Fill(ctx context.Context, dst device.Buffer, offset, n uint64, pattern []byte) error {
	const what = "filling in a stream"
	if !slices.Contains([]int{1, 2, 4, 8, 16}, len(pattern)) || n%uint64(len(pattern)) != 0 {
		return fmt.Errorf("%s: %d bytes with a pattern of %d: %w", what, n, len(pattern), device.ErrArgument)
	}
	memory, give, err := hold(dst, offset, n)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	pattern = bytes.Clone(pattern)
	_, err = s.enqueue(operation{
		ctx: ctx, what: what, ended: func(error) { give() },
		run: func(context.Context) error { fill(memory, pattern); return nil },
	})
	if err != nil {
		give()
	}
	return err
}

func fill(memory, pattern []byte) {
	for done := copy(memory, pattern); done < len(memory); done *= 2 {
		copy(memory[done:], memory[:done])
	}
}
