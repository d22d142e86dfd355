package kiln_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/device/cpu"
)

func newBuffer[T any](t *testing.T, e *kiln.Engine, values ...T) *kiln.Buffer[T] {
	t.Helper()
	b, err := kiln.NewBuffer[T](e, len(values))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Write(values); err != nil {
		t.Fatal(err)
	}
	return b
}

func read[T any](t *testing.T, b *kiln.Buffer[T]) []T {
	t.Helper()
	values := make([]T, b.Len())
	if err := b.Read(values); err != nil {
		t.Fatal(err)
	}
	return values
}

func stream(t *testing.T, e *kiln.Engine) kiln.Stream {
	t.Helper()
	s, err := e.Stream()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDeviceBuffers(t *testing.T) {
	e := open(t, kiln.Options{})
	k := kernel(t, e, "scale")
	b := newBuffer(t, e, 1.0, 2, 3, 4, 5)
	if err := k.Launch(t.Context(), kiln.Arg(b), kiln.Arg(10.0), kiln.Arg(int32(4))); err != nil {
		t.Fatal(err)
	}
	part, err := b.Slice(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(t.Context(), kiln.Arg(part), kiln.Arg(0.5), kiln.Const(int32(part.Len()))); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{10, 10, 15, 40, 5}, read(t, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{10, 15}, part.Host()); diff != "" {
		t.Errorf("the part as the host sees it (-want +got):\n%s", diff)
	}
	part.Host()[1] = math.Inf(1)
	if got := read(t, b)[2]; !math.IsInf(got, 1) {
		t.Errorf("%g after the host wrote infinity", got)
	}

	for name, err := range map[string]error{
		"a part that is too long": func() error { _, err := b.Slice(2, 6); return err }(),
		"a negative part":         func() error { _, err := b.Slice(-1, 2); return err }(),
		"a part backwards":        func() error { _, err := b.Slice(3, 2); return err }(),
		"too much to write":       part.Write([]float64{1, 2, 3}),
		"too much to read":        part.Read(make([]float64, 3)),
	} {
		if !errors.Is(err, device.ErrRange) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := k.Launch(t.Context(), kiln.Const(b), kiln.Arg(10.0), kiln.Arg(int32(4))); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("a constant buffer: %v", err)
	}
	if err := k.Launch(t.Context(), kiln.Arg(b), kiln.Arg(b), kiln.Arg(int32(4))); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("a buffer for a number: %v", err)
	}
	var none *kiln.Buffer[float64]
	if err := k.Launch(t.Context(), kiln.Arg(none), kiln.Arg(1.0), kiln.Arg(int32(4))); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("no buffer: %v", err)
	}
	for name, err := range map[string]error{
		"pointers": func() error { _, err := kiln.NewBuffer[*int](e, 1); return err }(),
		"strings":  func() error { _, err := kiln.NewBuffer[struct{ s string }](e, 1); return err }(),
		"nothing":  func() error { _, err := kiln.NewBuffer[struct{}](e, 1); return err }(),
		"negative": func() error { _, err := kiln.NewBuffer[byte](e, -1); return err }(),
		"too many": func() error { _, err := kiln.NewBuffer[float64](e, math.MaxInt); return err }(),
	} {
		if !errors.Is(err, kiln.ErrArgument) {
			t.Errorf("a buffer of %s: %v", name, err)
		}
	}
	if b, err := kiln.NewBuffer[byte](e, 1<<60); b != nil || !errors.Is(err, device.ErrMemory) {
		t.Errorf("a buffer of 2^60 bytes: %v, %v", b, err)
	}

	if err := part.Free(); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"free":                       b.Free(),
		"write":                      b.Write([]float64{1}),
		"read":                       b.Read(make([]float64, 1)),
		"launch":                     k.Launch(t.Context(), kiln.Arg(b), kiln.Arg(10.0), kiln.Arg(int32(4))),
		"launch in a stream":         k.LaunchOn(t.Context(), stream(t, e), kiln.Arg(part), kiln.Arg(10.0), kiln.Arg(int32(4))),
		"write in a stream":          b.WriteOn(t.Context(), stream(t, e), []float64{1}),
		"fill in a stream":           b.FillOn(t.Context(), stream(t, e), 1),
		"copy in a stream from here": newBuffer(t, e, make([]float64, 5)...).CopyOn(t.Context(), stream(t, e), b),
	} {
		if !errors.Is(err, kiln.ErrFreed) {
			t.Errorf("%s of a freed buffer: %v", name, err)
		}
	}
	if b.Host() != nil {
		t.Error("the host sees freed memory")
	}
}

func TestStreams(t *testing.T) {
	e := open(t, kiln.Options{})
	scale, horner := kernel(t, e, "scale"), kernel(t, e, "horner")
	s, other := stream(t, e), stream(t, e)
	b, saved := newBuffer(t, e, 1.0, 2, 3), newBuffer(t, e, 0.0, 0, 0)
	done, err := e.Event()
	if err != nil {
		t.Fatal(err)
	}
	var y float32
	x := []float64{8, 8}
	out := make([]float64, 3)
	for i, err := range []error{
		scale.LaunchOn(t.Context(), s, kiln.Arg(b), kiln.Arg(10.0), kiln.Const(int32(3))),
		saved.CopyOn(t.Context(), s, b),
		scale.LaunchOn(t.Context(), s, kiln.Arg(b), kiln.Arg(2.0), kiln.Const(int32(2))),
		b.ReadOn(t.Context(), s, out),
		// Memory of Go's goes as well, and a result comes.
		scale.LaunchOn(t.Context(), s, kiln.Arg(x), kiln.Arg(0.25), kiln.Arg(int32(2))),
		horner.LaunchOn(t.Context(), s, kiln.Arg(float32(2)), kiln.Arg(float32(3)), kiln.Const(float32(4)), kiln.Arg(float32(5)), kiln.Result(&y)),
		s.Record(done),
		other.Wait(t.Context(), done),
		b.FillOn(t.Context(), other, -1),
		s.Synchronize(t.Context()),
		other.Synchronize(t.Context()),
	} {
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if diff := cmp.Diff([][]float64{{10, 20, 30}, {20, 40, 30}, {2, 2}, {-1, -1, -1}}, [][]float64{read(t, saved), out, x, read(t, b)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if y != (3*2+4)*2+5 {
		t.Errorf("result %g, want 25", y)
	}
	if err := scale.LaunchOn(t.Context(), nil, kiln.Arg(b), kiln.Arg(2.0), kiln.Const(int32(2))); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("no stream: %v", err)
	}
	if err := scale.LaunchOn(t.Context(), s, kiln.Arg(b)); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("too few arguments: %v", err)
	}
	if err := s.Synchronize(t.Context()); err != nil {
		t.Errorf("a refused launch is the stream's error: %v", err)
	}
	// A fault is the stream's error, once.
	if err := scale.LaunchOn(t.Context(), s, kiln.Arg((*float64)(nil)), kiln.Arg(2.0), kiln.Arg(int32(2))); err != nil {
		t.Fatal(err)
	}
	if err := s.Synchronize(t.Context()); !errors.Is(err, kiln.ErrFault) {
		t.Errorf("the fault: %v", err)
	}
	if err := s.Synchronize(t.Context()); err != nil {
		t.Errorf("the fault again: %v", err)
	}
}

// What a queued launch needs stays, whatever the program forgets or frees.
func TestQueuedLaunchesKeepTheirMemory(t *testing.T) {
	e := open(t, kiln.Options{})
	k := kernel(t, e, "scale")
	s := stream(t, e)
	var results []*kiln.Buffer[float64]
	for i := range 50 {
		func() {
			garbage := slices.Repeat([]float64{float64(i)}, 1000)
			if err := k.LaunchOn(t.Context(), s, kiln.Arg(garbage), kiln.Arg(2.0), kiln.Arg(int32(1000))); err != nil {
				t.Fatal(err)
			}
			b, err := kiln.NewBuffer[float64](e, 100_000)
			if err != nil {
				t.Fatal(err)
			}
			if err := k.LaunchOn(t.Context(), s, kiln.Arg(b), kiln.Arg(2.0), kiln.Arg(int32(100_000))); err != nil {
				t.Fatal(err)
			}
			if err := b.Free(); err != nil {
				t.Fatal(err)
			}
			results = append(results, b)
		}()
		if i%10 == 0 {
			runtime.GC()
		}
	}
	if err := s.Synchronize(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, b := range results {
		if b.Host() != nil {
			t.Error("a freed buffer's memory stays after its launches have ended")
		}
	}
}

// A launch that is cancelled is dropped, or stops; its context's error is the
// stream's.
func TestCancelledLaunch(t *testing.T) {
	e := open(t, kiln.Options{Workers: 2})
	k := fillKernel(t, e)
	s := stream(t, e)
	p := make([]int32, 1<<20)
	ctx, cancel := context.WithCancel(t.Context())
	for range 200 {
		if err := k.LaunchOn(ctx, s, kiln.Grid(1<<20), kiln.Arg(p), kiln.Arg(int32(1))); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := s.Synchronize(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("the stream: %v", err)
	}
	if slices.Min(p) == 200 {
		t.Error("everything was done")
	}
	if err := k.LaunchOn(ctx, s, kiln.Grid(1), kiln.Arg(p), kiln.Arg(int32(1))); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a launch with a cancelled context: %v", err)
	}
	s.Synchronize(t.Context())
	if err := k.LaunchOn(t.Context(), s, kiln.Grid(1), kiln.Arg(p), kiln.Arg(int32(1))); err != nil {
		t.Error(err)
	}
	if err := s.Synchronize(t.Context()); err != nil {
		t.Error(err)
	}
}

// Closing an engine waits for what is queued, on a device of its own and on
// one that stays the caller's.
func TestCloseWaitsForStreams(t *testing.T) {
	for _, own := range []bool{true, false} {
		o := kiln.Options{Cache: kiln.CacheOptions{Off: true}}
		if !own {
			d, err := cpu.Open(cpu.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			o.Device = d
		}
		e, err := kiln.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		k, s := fillKernel(t, e), stream(t, e)
		p := make([]int32, 1<<16)
		for range 50 {
			if err := k.LaunchOn(t.Context(), s, kiln.Grid(1<<16), kiln.Arg(p), kiln.Arg(int32(1))); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if least := slices.Min(p); least != 50 {
			t.Errorf("own device %v: %d launches of 50 were done", own, least)
		}
		if err := k.LaunchOn(t.Context(), s, kiln.Arg(p), kiln.Arg(int32(1))); !errors.Is(err, kiln.ErrClosed) {
			t.Errorf("launch afterwards: %v", err)
		}
		if _, err := e.Stream(); !errors.Is(err, kiln.ErrClosed) {
			t.Errorf("stream afterwards: %v", err)
		}
		if _, err := e.Event(); !errors.Is(err, kiln.ErrClosed) {
			t.Errorf("event afterwards: %v", err)
		}
		if _, err := kiln.NewBuffer[byte](e, 1); !errors.Is(err, kiln.ErrClosed) {
			t.Errorf("buffer afterwards: %v", err)
		}
	}
}

func TestStreamsOfManyGoroutines(t *testing.T) {
	e := open(t, kiln.Options{})
	k := fillKernel(t, e)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			s, err := e.Stream()
			if err != nil {
				t.Error(err)
				return
			}
			b, err := kiln.NewBuffer[int32](e, 100)
			if err != nil {
				t.Error(err)
				return
			}
			for range 100 {
				if err := k.LaunchOn(t.Context(), s, kiln.Grid(100), kiln.Arg(b), kiln.Arg(int32(g))); err != nil {
					t.Error(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := s.Synchronize(ctx); err != nil {
				t.Error(err)
			}
			if got := b.Host(); slices.Min(got) != int32(100*g) || slices.Max(got) != int32(100*g) {
				t.Errorf("goroutine %d: %d to %d, want %d", g, slices.Min(got), slices.Max(got), 100*g)
			}
		})
	}
	wg.Wait()
}
