package kiln

import (
	"context"
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
		run, cancel := context.WithCancel(base)
		fl = &flight[T]{done: make(chan struct{}), cancel: cancel}
		f.running[key] = fl
		go func() {
			fl.value, fl.err = fn(run)
			f.mu.Lock()
			if f.running[key] == fl {
				delete(f.running, key)
			}
			f.mu.Unlock()
			cancel()
			close(fl.done)
		}()
	}
	fl.waiters++
	f.mu.Unlock()

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
