package devicetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kilnjit/kiln/device"
)

// streamOrder: launches and copies of one stream are done in their order.
func streamOrder(b *bench) {
	ctx := context.Background()
	s, p, appends, adds := b.stream(), b.alloc(8), b.function("append"), b.function("add")
	first := slices.Repeat([]byte{0}, 8)
	b.check(s.Write(ctx, p, 0, first))
	for digit := range uint32(9) {
		b.check(s.Launch(ctx, appends, over(1, parameters(p, digit+1)), nil))
	}
	middle, last := make([]byte, 8), make([]byte, 8)
	b.check(s.Read(ctx, middle, p, 0))
	b.check(s.Fill(ctx, p, 0, 8, []byte{0, 0}))
	for range 500 {
		b.check(s.Launch(ctx, adds, over(2, parameters(p, 1)), nil))
	}
	b.check(s.Read(ctx, last, p, 0))
	b.check(s.Fill(ctx, p, 0, 8, []byte{7}))
	b.synchronize(s)
	if got := binary.LittleEndian.Uint64(middle); got != 123456789 {
		b.Errorf("nine launches give %d, want 123456789", got)
	}
	if got := wordsOf(last); !slices.Equal(got, []uint32{500, 500}) {
		b.Errorf("500 launches behind a fill give %v", got)
	}
	if done, err := s.Query(); !done || err != nil {
		b.Errorf("after all: done %v, %v", done, err)
	}
	b.check(s.Close())
	if err := s.Fill(ctx, p, 0, 8, []byte{7}); !errors.Is(err, device.ErrClosed) {
		b.Errorf("fill in a closed stream: %v", err)
	}
	b.check(s.Close())
}

func streamCopies(b *bench) {
	ctx := context.Background()
	s, p, q := b.stream(), b.alloc(100), b.alloc(100)
	content := make([]byte, 100)
	for i := range content {
		content[i] = byte(i * 3)
	}
	want := bytes.Clone(content)
	b.check(s.Write(ctx, p, 0, content))
	b.check(s.Copy(ctx, q, 5, p, 10, 80))
	got := make([]byte, 100)
	b.check(s.Read(ctx, got, q, 0))
	b.synchronize(s)
	if want := slices.Concat(make([]byte, 5), want[10:90], make([]byte, 15)); !bytes.Equal(got, want) {
		b.Errorf("copied %v, want %v", got, want)
	}
	for _, pattern := range [][]byte{{1}, {1, 2}, {1, 2, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}} {
		b.check(s.Fill(ctx, p, 0, 100, []byte{0}))
		b.check(s.Fill(ctx, p, 16, 48, pattern))
		b.check(s.Read(ctx, got, p, 0))
		b.synchronize(s)
		want := slices.Concat(make([]byte, 16), bytes.Repeat(pattern, 48/len(pattern)), make([]byte, 36))
		if !bytes.Equal(got, want) {
			b.Errorf("filled with %v: %v", pattern, got)
		}
	}
	for _, pattern := range [][]byte{nil, {1, 2, 3}, make([]byte, 32)} {
		if err := s.Fill(ctx, p, 0, 96, pattern); !errors.Is(err, device.ErrArgument) {
			b.Errorf("fill with a pattern of %d bytes: %v", len(pattern), err)
		}
	}
	if err := s.Fill(ctx, p, 0, 99, []byte{1, 2}); !errors.Is(err, device.ErrArgument) {
		b.Errorf("99 bytes of a pattern of 2: %v", err)
	}
	// Nothing to do is done.
	b.check(s.Fill(ctx, p, 100, 0, []byte{1}))
	b.check(s.Copy(ctx, p, 100, q, 0, 0))
	b.synchronize(s)
}

// streamsAreIndependent: a stream does not wait for another, nor does a call
// without one.
func streamsAreIndependent(b *bench) {
	slow, quick, p := b.stream(), b.stream(), b.alloc(4)
	release := b.hold(slow)
	b.check(quick.Fill(context.Background(), p, 0, 4, []byte{1}))
	b.synchronize(quick)
	b.check(b.function("add").Launch(over(1, parameters(p, 1))))
	if busy, err := slow.Query(); busy || err != nil {
		b.Errorf("the slow stream: done %v, %v", busy, err)
	}
	if got := b.words(p, 1)[0]; got != 0x01010102 {
		b.Errorf("%#x", got)
	}
	release()
	b.synchronize(slow)
}

// waitsAcrossStreams hands a value through a ring of streams, each of which
// waits for the one before it.
func waitsAcrossStreams(b *bench) {
	ctx := context.Background()
	appends := b.function("append")
	const rounds, ring = 40, 4
	var streams []device.Stream
	for range ring {
		streams = append(streams, b.stream())
	}
	p, e := b.alloc(8), b.event()
	for round := range rounds {
		for i, s := range streams {
			b.check(s.Wait(ctx, e))
			if round%10 == 0 && i == 0 {
				b.check(s.Fill(ctx, p, 0, 8, []byte{0}))
			}
			if round%10 < 4 {
				b.check(s.Launch(ctx, appends, over(1, parameters(p, uint32(i+1))), nil))
			}
			// The same event again: who waits already waits for the earlier point.
			b.check(s.Record(e))
		}
	}
	b.check(e.Synchronize(ctx))
	got := make([]byte, 8)
	b.check(p.Read(got, 0))
	if n := binary.LittleEndian.Uint64(got); n != 1234123412341234 {
		b.Errorf("%d, want 1234123412341234", n)
	}
}

func eventRules(b *bench) {
	ctx := context.Background()
	e, s, other := b.event(), b.stream(), b.stream()
	if done, err := e.Query(); !done || err != nil {
		b.Errorf("never recorded: done %v, %v", done, err)
	}
	b.check(e.Synchronize(ctx))
	b.check(s.Wait(ctx, e))
	b.synchronize(s)

	release := b.hold(s)
	b.check(s.Record(e))
	if done, err := e.Query(); done || err != nil {
		b.Errorf("recorded behind work: done %v, %v", done, err)
	}
	short, stop := context.WithTimeout(ctx, 5*time.Millisecond)
	if err := e.Synchronize(short); !errors.Is(err, context.DeadlineExceeded) {
		b.Errorf("waiting for an event with a deadline: %v", err)
	}
	stop()
	// Recorded anew elsewhere, it stands for that.
	b.check(other.Record(e))
	b.check(e.Synchronize(ctx))
	if done, err := s.Query(); done || err != nil {
		b.Errorf("the stream of the earlier point: done %v, %v", done, err)
	}
	release()
	b.synchronize(s)
	b.check(other.Close())
	if err := other.Record(e); !errors.Is(err, device.ErrClosed) {
		b.Errorf("recording in a closed stream: %v", err)
	}
	if err := other.Wait(ctx, e); !errors.Is(err, device.ErrClosed) {
		b.Errorf("waiting in a closed stream: %v", err)
	}
}

func elapsedTime(b *bench) {
	ctx := context.Background()
	s, done, spin := b.stream(), b.alloc(4), b.function("spin")
	start, end, never := b.event(), b.event(), b.event()
	b.check(spin.Launch(spins(done, 2)))
	began := time.Now()
	b.check(s.Record(start))
	b.check(s.Launch(ctx, spin, spins(done, 10), nil))
	release := b.hold(s)
	b.check(s.Record(end))
	if d, err := end.Since(start); !errors.Is(err, device.ErrArgument) {
		b.Errorf("%v, %v although the end is not reached", d, err)
	}
	release()
	b.synchronize(s)
	took := time.Since(began)
	between, err := end.Since(start)
	b.check(err)
	if between <= 0 || between > took {
		b.Errorf("%v between events, %v on the host's clock", between, took)
	}
	if back, err := start.Since(end); err != nil || back != -between {
		b.Errorf("backwards %v, %v, want %v", back, err, -between)
	}
	if _, err := end.Since(never); !errors.Is(err, device.ErrArgument) {
		b.Errorf("since an event that was never recorded: %v", err)
	}
	if _, err := never.Since(start); !errors.Is(err, device.ErrArgument) {
		b.Errorf("of an event that was never recorded: %v", err)
	}
}

func synchronize(b *bench) {
	ctx := context.Background()
	b.check(b.device.Synchronize(ctx))
	var streams []device.Stream
	p, spin := b.alloc(4*8), b.function("spin")
	for range 8 {
		streams = append(streams, b.stream())
	}
	for _, s := range streams {
		b.check(s.Launch(ctx, spin, spins(p, 3), nil))
	}
	b.check(b.device.Synchronize(ctx))
	if got := b.words(p, 1)[0]; got != 24 {
		b.Errorf("%d groups done, want 24", got)
	}
	release := b.hold(streams[0])
	short, stop := context.WithTimeout(ctx, 5*time.Millisecond)
	defer stop()
	if err := streams[0].Synchronize(short); !errors.Is(err, context.DeadlineExceeded) {
		b.Errorf("a stream with a deadline: %v", err)
	}
	if err := b.device.Synchronize(short); !errors.Is(err, context.DeadlineExceeded) {
		b.Errorf("the device with a deadline: %v", err)
	}
	release()
	b.check(b.device.Synchronize(ctx))
}

// concurrentStreams: many goroutines, each with a stream of its own and all
// with one that they share.
func concurrentStreams(b *bench) {
	ctx := context.Background()
	const goroutines, rounds = 16, 40
	shared, sum, adds := b.stream(), b.alloc(4), b.function("add")
	var ended atomic.Int64
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			fail := func(err error) {
				if err != nil {
					b.Errorf("goroutine %d: %v", g, err)
				}
			}
			s, err := b.device.Stream()
			fail(err)
			for round := range rounds {
				p, err := b.device.Alloc(4 * 32)
				fail(err)
				out := make([]byte, 4*32)
				fail(s.Fill(ctx, p, 0, 4*32, bytesOf(uint32(g))))
				fail(s.Launch(ctx, adds, over(32, parameters(p, uint32(round))), func(err error) { fail(err); ended.Add(1) }))
				fail(s.Read(ctx, out, p, 0))
				fail(shared.Launch(ctx, adds, over(1, parameters(sum, 1)), nil))
				fail(s.Synchronize(ctx))
				if want := slices.Repeat([]uint32{uint32(g + round)}, 32); !slices.Equal(wordsOf(out), want) {
					b.Errorf("goroutine %d, round %d: %v", g, round, wordsOf(out))
				}
				fail(p.Free())
			}
			fail(s.Close())
		})
	}
	wg.Wait()
	b.synchronize(shared)
	if got := b.words(sum, 1)[0]; got != goroutines*rounds {
		b.Errorf("the shared stream has %s of %d launches done", strconv.Itoa(int(got)), goroutines*rounds)
	}
	if got := ended.Load(); got != goroutines*rounds {
		b.Errorf("%d launches said that they have ended, of %d", got, goroutines*rounds)
	}
}
