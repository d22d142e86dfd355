package devicetest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kilnjit/kiln/device"
)

func memory(b *bench) {
	type block struct {
		buffer device.Buffer
		first  byte
	}
	var blocks []block
	for i, size := range []uint64{0, 1, 3, 63, 64, 65, 4095, 4096, 4097, 1 << 20, 5 << 20} {
		buffer := b.alloc(size)
		if buffer.Bytes() != size {
			b.Errorf("%d bytes were asked for, %d are there", size, buffer.Bytes())
		}
		if a := buffer.Address(); a == 0 || a%64 != 0 {
			b.Errorf("%d bytes lie at %#x", size, a)
		}
		content := bytes.Repeat([]byte{1}, int(size))
		b.check(buffer.Read(content, 0))
		if slices.ContainsFunc(content, func(v byte) bool { return v != 0 }) {
			b.Errorf("%d bytes are not all zero", size)
		}
		first := byte(i + 1)
		b.check(buffer.Write(0, bytes.Repeat([]byte{first}, int(size))))
		blocks = append(blocks, block{buffer, first})
	}
	// None has written into another.
	for _, block := range blocks {
		content := make([]byte, block.buffer.Bytes())
		b.check(block.buffer.Read(content, 0))
		if !bytes.Equal(content, bytes.Repeat([]byte{block.first}, len(content))) {
			b.Errorf("a buffer of %d bytes has changed", len(content))
		}
		b.check(block.buffer.Free())
	}
	for _, size := range []uint64{1 << 60, math.MaxUint64} {
		if buffer, err := b.device.Alloc(size); buffer != nil || !errors.Is(err, device.ErrMemory) {
			b.Errorf("%d bytes: %v, %v", size, buffer, err)
		}
	}
}

func memoryRanges(b *bench) {
	buffer := b.alloc(100)
	content := make([]byte, 100)
	for i := range content {
		content[i] = byte(i)
	}
	b.check(buffer.Write(0, content))
	b.check(buffer.Write(10, []byte{200, 201}))
	b.check(buffer.Write(99, []byte{202}))
	b.check(buffer.Write(100, nil))
	copy(content[10:], []byte{200, 201})
	content[99] = 202
	got := make([]byte, 90)
	b.check(buffer.Read(got, 10))
	if !bytes.Equal(got, content[10:]) {
		b.Errorf("read %v, want %v", got, content[10:])
	}
	s, other := b.stream(), b.alloc(100)
	ctx := context.Background()
	for _, r := range []struct{ offset, n uint64 }{{0, 101}, {100, 1}, {101, 0}, {50, 51}, {math.MaxUint64, 1}, {math.MaxUint64 - 10, 20}} {
		for name, err := range map[string]error{
			"write":          buffer.Write(r.offset, make([]byte, r.n)),
			"read":           buffer.Read(make([]byte, r.n), r.offset),
			"queued write":   s.Write(ctx, buffer, r.offset, make([]byte, r.n)),
			"queued read":    s.Read(ctx, make([]byte, r.n), buffer, r.offset),
			"queued fill":    s.Fill(ctx, buffer, r.offset, r.n, []byte{1}),
			"queued copy to": s.Copy(ctx, buffer, r.offset, other, 0, r.n),
			"and from":       s.Copy(ctx, other, 0, buffer, r.offset, r.n),
		} {
			if !errors.Is(err, device.ErrRange) {
				b.Errorf("%s of %d bytes from %d of 100: %v", name, r.n, r.offset, err)
			}
		}
	}
	b.synchronize(s)
}

func freedMemory(b *bench) {
	buffer, s, other := b.alloc(64), b.stream(), b.alloc(64)
	b.check(buffer.Free())
	if buffer.Address() != 0 || buffer.Host() != nil {
		b.Errorf("freed memory at %#x, %d bytes of it", buffer.Address(), len(buffer.Host()))
	}
	ctx := context.Background()
	for name, err := range map[string]error{
		"free":         buffer.Free(),
		"write":        buffer.Write(0, []byte{1}),
		"read":         buffer.Read(make([]byte, 1), 0),
		"queued write": s.Write(ctx, buffer, 0, []byte{1}),
		"queued read":  s.Read(ctx, make([]byte, 1), buffer, 0),
		"queued fill":  s.Fill(ctx, buffer, 0, 1, []byte{1}),
		"copy to":      s.Copy(ctx, buffer, 0, other, 0, 1),
		"copy from":    s.Copy(ctx, other, 0, buffer, 0, 1),
	} {
		if !errors.Is(err, device.ErrFreed) {
			b.Errorf("%s of freed memory: %v", name, err)
		}
	}
	b.synchronize(s)

	// What a stream was given keeps what it needs.
	late, release := b.alloc(1<<20), b.hold(s)
	b.check(s.Fill(ctx, late, 0, 1<<20, []byte{5}))
	out := make([]byte, 1<<20)
	b.check(s.Read(ctx, out, late, 0))
	b.check(late.Free())
	release()
	b.synchronize(s)
	if !bytes.Equal(out, bytes.Repeat([]byte{5}, 1<<20)) {
		b.Error("memory that was freed while copies of it were queued has other bytes")
	}
}

// hostView: where the host reaches the memory, both see the same.
func hostView(b *bench) {
	p := b.alloc(4 * 16)
	view := p.Host()
	if view == nil {
		b.Skip("the host does not reach this device's memory")
	}
	if len(view) != 64 {
		b.Fatalf("%d bytes of 64", len(view))
	}
	copy(view, bytesOf(100, 200))
	b.check(b.function("add").Launch(over(16, parameters(p, 3))))
	want := append([]uint32{103, 203}, slices.Repeat([]uint32{3}, 14)...)
	if got := wordsOf(view); !slices.Equal(got, want) {
		b.Errorf("the host sees %v, want %v", got, want)
	}
	b.check(p.Write(4, bytesOf(9)))
	if got := wordsOf(view)[1]; got != 9 {
		b.Errorf("after a write the host sees %d, want 9", got)
	}
}
