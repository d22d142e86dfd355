package devicetest

import (
	"context"
	"errors"
	"time"
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
