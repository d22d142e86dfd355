package devicetest

import (
	"context"
	"errors"

	"github.com/kilnjit/kiln/device"
)

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
