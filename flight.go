package kiln

import (
	"context"
	"errors"
	"sync"

	"github.com/kilnjit/kiln/cache"
)

// flights runs one function a key however many ask for it. A waiter whose
// context ends leaves; the function is cancelled when the last one left, or
// when base ends.
type flights[T any] struct {
	mu      sync.Mutex
	running map[cache.Key]*flight[T]
}

type flight[T any] struct {
	done    chan struct{}
	ctx     context.Context
	cancel  context.CancelFunc
	waiters int
	value   T
	err     error
}

func (f *flights[T]) do(base, ctx context.Context, key cache.Key, fn func(context.Context) (T, error)) (T, error) {
	f.mu.Lock()
	fl, ok := f.running[key]
	if !ok {
		if f.running == nil {
			f.running = map[cache.Key]*flight[T]{}
		}
		fl = &flight[T]{done: make(chan struct{})}
		fl.ctx, fl.cancel = context.WithCancel(base)
		f.running[key] = fl
	}
	fl.waiters++
	f.mu.Unlock()
	switch {
	case ok:
	case ctx.Done() == nil:
		// Who never leaves needs no goroutine to leave behind.
		f.run(fl, key, fn)
		return fl.value, fl.err
	default:
		go f.run(fl, key, fn)
	}

	select {
	case <-fl.done:
		return fl.value, fl.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	if fl.waiters--; fl.waiters == 0 {
		// The next asker starts afresh rather than joining a cancelled flight.
		if f.running[key] == fl {
			delete(f.running, key)
		}
		fl.cancel()
	}
	f.mu.Unlock()
	var zero T
	return zero, ctx.Err()
}

var errUnfinished = errors.New("what was waited for has panicked")

// run is the flight itself.
func (f *flights[T]) run(fl *flight[T], key cache.Key, fn func(context.Context) (T, error)) {
	fl.err = errUnfinished
	defer func() {
		f.mu.Lock()
		if f.running[key] == fl {
			delete(f.running, key)
		}
		f.mu.Unlock()
		fl.cancel()
		close(fl.done)
	}()
	fl.value, fl.err = fn(fl.ctx)
	if errors.Is(fl.err, context.Canceled) && fl.ctx.Err() != nil {
		// Why base ended says more; without a reason it is the same error.
		fl.err = context.Cause(fl.ctx)
	}
}
