package devicetest

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/kilnjit/kiln/device"
)

// cancelQueued: what has not begun when its context ends is not done.
func cancelQueued(b *bench) {
	s, p, adds := b.stream(), b.alloc(4), b.function("add")
	ctx, cancel := context.WithCancel(context.Background())
	var outcome error
	b.check(s.Fill(context.Background(), p, 0, 4, bytesOf(1000)))
	release := b.hold(s)
	b.check(s.Launch(ctx, adds, over(1, parameters(p, 1)), func(err error) { outcome = err }))
	b.check(s.Launch(context.Background(), adds, over(1, parameters(p, 10)), nil))
	cancel()
	release()
	if err := s.Synchronize(context.Background()); !errors.Is(err, context.Canceled) {
		b.Errorf("the stream: %v", err)
	}
	if !errors.Is(outcome, context.Canceled) {
		b.Errorf("the launch: %v", outcome)
	}
	if got := b.words(p, 1)[0]; got != 1000 {
		b.Errorf("%d: what stood before was not done, or what was cancelled or stood behind it was", got)
	}
	b.check(s.Launch(context.Background(), adds, over(1, parameters(p, 100)), nil))
	b.synchronize(s)
	if got := b.words(p, 1)[0]; got != 1100 {
		b.Errorf("afterwards %d, want 1100", got)
	}
}

// cancelRunning: a running kernel takes no further groups.
func cancelRunning(b *bench) {
	const groups = 1_000_000
	s, done := b.stream(), b.alloc(4)
	ctx, cancel := context.WithCancel(context.Background())
	b.check(s.Launch(ctx, b.function("spin"), spins(done, groups), nil))
	for began := time.Now(); b.words(done, 1)[0] == 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > limit {
			b.Fatal("the kernel does not begin")
		}
	}
	cancel()
	began := time.Now()
	if err := s.Synchronize(context.Background()); !errors.Is(err, context.Canceled) {
		b.Errorf("the stream: %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		b.Errorf("the kernel went on for %v", took)
	}
	ran := b.words(done, 1)[0]
	if ran == 0 || ran >= groups {
		b.Errorf("%d groups of %d were run", ran, groups)
	}
	time.Sleep(5 * time.Millisecond)
	if later := b.words(done, 1)[0]; later != ran {
		b.Errorf("the kernel went on after it had ended: %d groups, then %d", ran, later)
	}
	// The context of what has ended means nothing.
	again, stop := context.WithCancel(context.Background())
	b.check(s.Launch(again, b.function("empty"), over(10, nil), nil))
	b.synchronize(s)
	stop()
	b.synchronize(s)
}

// null is a launch of store through a null pointer.
func null() *device.Launch { return over(1, make([]byte, 16)) }

// streamErrors: what goes wrong is told once, and drops what stands behind it.
func streamErrors(b *bench) {
	ctx := context.Background()
	store, adds := b.function("store"), b.function("add")
	s, p, other := b.stream(), b.alloc(4), b.alloc(4)
	var outcomes [2]error
	release := b.hold(s)
	b.check(s.Launch(ctx, store, null(), func(err error) { outcomes[0] = err }))
	b.check(s.Launch(ctx, adds, over(1, parameters(p, 1)), func(err error) { outcomes[1] = err }))
	b.check(s.Fill(ctx, p, 0, 4, []byte{1}))
	release()
	if err := s.Synchronize(ctx); !errors.Is(err, device.ErrFault) {
		b.Errorf("the stream: %v", err)
	}
	for i, err := range outcomes {
		if !errors.Is(err, device.ErrFault) {
			b.Errorf("launch %d ended with %v", i, err)
		}
	}
	if got := b.words(p, 1)[0]; got != 0 {
		b.Errorf("what stood behind the fault was done: %#x", got)
	}
	b.synchronize(s)

	// The next call returns it, and does nothing else.
	for name, call := range map[string]func() error{
		"launch": func() error { return s.Launch(ctx, adds, over(1, parameters(p, 1)), nil) },
		"fill":   func() error { return s.Fill(ctx, p, 0, 4, []byte{1}) },
		"write":  func() error { return s.Write(ctx, p, 0, []byte{1}) },
		"read":   func() error { return s.Read(ctx, make([]byte, 1), p, 0) },
		"copy":   func() error { return s.Copy(ctx, p, 0, other, 0, 4) },
		"record": func() error { return s.Record(b.event()) },
		"query":  func() error { _, err := s.Query(); return err },
		"device": func() error { return b.device.Synchronize(ctx) },
	} {
		e := b.event()
		release := b.hold(s)
		b.check(s.Launch(ctx, store, null(), nil))
		b.check(s.Record(e))
		release()
		if err := e.Synchronize(ctx); !errors.Is(err, device.ErrFault) {
			b.Errorf("%s: the event behind the fault: %v", name, err)
		}
		if err := call(); !errors.Is(err, device.ErrFault) {
			b.Errorf("%s: %v", name, err)
		}
		b.synchronize(s)
		if got := b.words(p, 1)[0]; got != 0 {
			b.Errorf("%s was done although it returned an error: %#x", name, got)
		}
	}
	release = b.hold(s)
	b.check(s.Launch(ctx, store, null(), nil))
	release()
	if err := s.Close(); !errors.Is(err, device.ErrFault) {
		b.Errorf("close: %v", err)
	}
	if err := store.Launch(null()); !errors.Is(err, device.ErrFault) {
		b.Errorf("without a stream: %v", err)
	}
	b.check(adds.Launch(over(1, parameters(p, 5))))
}

// errorsCrossStreams: what waits for something that went wrong goes wrong, and
// other streams know nothing of it.
func errorsCrossStreams(b *bench) {
	ctx := context.Background()
	bad, waiting, other := b.stream(), b.stream(), b.stream()
	p, q, e := b.alloc(4), b.alloc(4), b.event()
	release := b.hold(bad)
	b.check(bad.Launch(ctx, b.function("store"), null(), nil))
	b.check(bad.Record(e))
	b.check(waiting.Wait(ctx, e))
	b.check(waiting.Fill(ctx, p, 0, 4, []byte{1}))
	b.check(other.Fill(ctx, q, 0, 4, []byte{1}))
	release()
	if err := waiting.Synchronize(ctx); !errors.Is(err, device.ErrFault) {
		b.Errorf("the stream that waits: %v", err)
	}
	if got := b.words(p, 1)[0]; got != 0 {
		b.Errorf("what waited for a fault was done: %#x", got)
	}
	b.synchronize(other)
	if err := bad.Synchronize(ctx); !errors.Is(err, device.ErrFault) {
		b.Errorf("the stream with the fault: %v", err)
	}
	if done, err := e.Query(); !done || !errors.Is(err, device.ErrFault) {
		b.Errorf("the event: done %v, %v", done, err)
	}
	if _, err := e.Since(e); !errors.Is(err, device.ErrFault) {
		b.Errorf("a time of the event: %v", err)
	}
	// A wait is cancelled like any other work.
	release = b.hold(bad)
	b.check(bad.Record(e))
	cancelled, cancel := context.WithCancel(ctx)
	b.check(waiting.Wait(cancelled, e))
	cancel()
	if err := waiting.Synchronize(ctx); !errors.Is(err, context.Canceled) {
		b.Errorf("a cancelled wait: %v", err)
	}
	release()
	b.synchronize(bad)
}

// What is not the device's own is refused.
type (
	otherBuffer   struct{ device.Buffer }
	otherEvent    struct{ device.Event }
	otherFunction struct{ device.Function }
)

func foreignObjects(b *bench) {
	ctx := context.Background()
	s, p := b.stream(), b.alloc(8)
	second := b.suite.Open(b.T)
	theirs, err := second.Load(ctx, b.image("empty"))
	b.check(err)
	_, since := b.event().Since(otherEvent{})
	for name, err := range map[string]error{
		"write":                   s.Write(ctx, otherBuffer{p}, 0, nil),
		"read":                    s.Read(ctx, nil, otherBuffer{p}, 0),
		"fill":                    s.Fill(ctx, otherBuffer{p}, 0, 0, []byte{1}),
		"copy to":                 s.Copy(ctx, otherBuffer{p}, 0, p, 0, 1),
		"copy from":               s.Copy(ctx, p, 0, otherBuffer{p}, 0, 1),
		"no buffer":               s.Write(ctx, nil, 0, nil),
		"record":                  s.Record(otherEvent{}),
		"no event":                s.Record(nil),
		"wait":                    s.Wait(ctx, otherEvent{}),
		"since":                   since,
		"launch":                  s.Launch(ctx, otherFunction{}, over(1, nil), nil),
		"no function":             s.Launch(ctx, nil, over(1, nil), nil),
		"function of another one": s.Launch(ctx, theirs.Function(), over(1, nil), nil),
	} {
		if !errors.Is(err, device.ErrArgument) {
			b.Errorf("%s: %v", name, err)
		}
	}
	b.check(second.Close())
	b.synchronize(s)
}

func closes(b *bench) {
	ctx := context.Background()
	d, lib, p, s, e := b.device, b.load(b.image("empty")), b.alloc(8), b.stream(), b.event()
	variables := b.load(b.image(""))
	variable, err := variables.Variable(0)
	b.check(err)
	for range 2 {
		if err := d.Close(); err != nil {
			b.Errorf("closing: %v", err)
		}
	}
	_, load := d.Load(ctx, b.image("empty"))
	_, alloc := d.Alloc(8)
	_, stream := d.Stream()
	_, event := d.Event()
	_, query := s.Query()
	_, again := variables.Variable(0)
	for name, err := range map[string]error{
		"load": load, "alloc": alloc, "stream": stream, "event": event, "query": query, "variable": again,
		"launch":      lib.Function().Launch(over(1, nil)),
		"queue":       s.Launch(ctx, lib.Function(), over(1, nil), nil),
		"record":      s.Record(e),
		"wait":        s.Synchronize(ctx),
		"synchronize": d.Synchronize(ctx),
		"read":        variable.Read(make([]byte, 1), 0),
	} {
		if !errors.Is(err, device.ErrClosed) {
			b.Errorf("%s on a closed device: %v", name, err)
		}
	}
	if err := p.Write(0, []byte{1}); err == nil {
		b.Error("memory of a closed device was written to")
	}
	b.check(lib.Close())
	b.check(s.Close())
}

// closeUnderStreams: what has begun ends, what has not is dropped, and nothing
// hangs.
func closeUnderStreams(b *bench) {
	ctx := context.Background()
	spin, done, e := b.function("spin"), b.alloc(4), b.event()
	outcomes := make(chan error, 40)
	var streams []device.Stream
	for range 4 {
		s := b.stream()
		for range 10 {
			b.check(s.Launch(ctx, spin, spins(done, 5), func(err error) { outcomes <- err }))
			b.check(s.Record(e))
			b.check(s.Wait(ctx, e))
		}
		streams = append(streams, s)
	}
	b.check(b.device.Close())
	ran := 0
	for range 40 {
		select {
		case err := <-outcomes:
			if err == nil {
				ran++
			} else if !errors.Is(err, device.ErrClosed) {
				b.Errorf("a launch ended with %v", err)
			}
		case <-time.After(limit):
			b.Fatal("a launch does not end")
		}
	}
	if ran == 40 {
		b.Error("everything was done")
	}
	for _, s := range streams {
		if err := s.Synchronize(ctx); !errors.Is(err, device.ErrClosed) {
			b.Errorf("a stream of a closed device: %v", err)
		}
	}
}

// globals: kernels and the host mean the same variables, each loaded image of
// them other ones.
func globals(b *bench) {
	held := b.image("")
	if len(held.Variables) != 3 || held.Kernel != "" || held.Entry != "" {
		b.Fatalf("variables %+v", held.Variables)
	}
	place := func(name string) int {
		for i, v := range held.Variables {
			if v.Name == name {
				return i
			}
		}
		b.Fatalf("no variable %q", name)
		return -1
	}
	type instance struct {
		counter, totals, step device.Buffer
		count, read           device.Function
	}
	instances := make([]instance, 2)
	for i := range instances {
		variables := b.load(held)
		if variables.Function() != nil || variables.Bytes() <= 0 {
			b.Errorf("variables with a function, of %d bytes", variables.Bytes())
		}
		buffer := func(name string) device.Buffer {
			v, err := variables.Variable(place(name))
			b.check(err)
			return v
		}
		function := func(kernel string) device.Function {
			im := b.image(kernel)
			var addresses []uint64
			for _, g := range im.Globals {
				addresses = append(addresses, buffer(g.Name).Address())
			}
			if _, err := b.device.Load(context.Background(), im, append(addresses, 64)...); !errors.Is(err, device.ErrImage) {
				b.Errorf("one address too many: %v", err)
			}
			return b.load(im, addresses...).Function()
		}
		instances[i] = instance{buffer("counter"), buffer("totals"), buffer("step"), function("count"), function("read")}
		for _, i := range []int{-1, 3} {
			if v, err := variables.Variable(i); v != nil || !errors.Is(err, device.ErrArgument) {
				b.Errorf("variable %d: %v, %v", i, v, err)
			}
		}
	}
	a, other := instances[0], instances[1]
	if a.totals.Bytes() != 24 || a.totals.Address()%8 != 0 || a.counter.Bytes() != 4 {
		b.Errorf("%d bytes at %#x, and %d", a.totals.Bytes(), a.totals.Address(), a.counter.Bytes())
	}
	b.check(a.count.Launch(over(10, nil)))
	b.check(a.step.Write(0, bytesOf(100)))
	b.check(a.count.Launch(over(3, nil)))
	if got := b.words(a.counter, 1)[0]; got != 7+10+300 {
		b.Errorf("counter %d, want 317", got)
	}
	if got := b.words(a.totals, 6); !slices.Equal(got, []uint32{1, 0, 2 + 20 + 600, 0, 3, 0}) {
		b.Errorf("totals %v", got)
	}
	b.check(a.counter.Write(0, bytesOf(1234)))
	out := b.alloc(4)
	b.check(a.read.Launch(over(1, binary.LittleEndian.AppendUint64(nil, out.Address()))))
	if got := b.words(out, 1)[0]; got != 1234 {
		b.Errorf("a kernel reads %d, the host wrote 1234", got)
	}
	if got := b.words(other.counter, 1)[0]; got != 7 {
		b.Errorf("the other image's counter is %d, want 7", got)
	}
	if err := a.counter.Free(); !errors.Is(err, device.ErrArgument) {
		b.Errorf("freeing a variable: %v", err)
	}
}

// globalsInStreams: variables are memory like any other.
func globalsInStreams(b *bench) {
	ctx := context.Background()
	held, im := b.image(""), b.image("count")
	variables := b.load(held)
	var addresses []uint64
	var counter device.Buffer
	for _, g := range im.Globals {
		for i, v := range held.Variables {
			if v.Index == g.Index {
				buffer, err := variables.Variable(i)
				b.check(err)
				addresses = append(addresses, buffer.Address())
				if g.Name == "counter" {
					counter = buffer
				}
			}
		}
	}
	s, count, saved, out := b.stream(), b.load(im, addresses...).Function(), b.alloc(4), make([]byte, 4)
	b.check(s.Fill(ctx, counter, 0, 4, bytesOf(40)))
	b.check(s.Launch(ctx, count, over(2, nil), nil))
	b.check(s.Copy(ctx, saved, 0, counter, 0, 4))
	b.check(s.Write(ctx, counter, 0, bytesOf(0)))
	b.check(s.Launch(ctx, count, over(5, nil), nil))
	b.check(s.Read(ctx, out, counter, 0))
	b.synchronize(s)
	if got := b.words(saved, 1)[0]; got != 42 {
		b.Errorf("at first %d, want 42", got)
	}
	if got := wordsOf(out)[0]; got != 5 {
		b.Errorf("at last %d, want 5", got)
	}
}
