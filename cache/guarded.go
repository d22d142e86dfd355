package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrResting is matched by Get and Put of a [Guarded] store that is left alone
// for a while since it failed. It is no miss.
var ErrResting = errors.New("cache is left alone after failures")

// GuardOptions bound what a sick store costs. The zero value works.
type GuardOptions struct {
	// Wait bounds one Get or Put; 0 stands for 2 s.
	Wait time.Duration
	// Failures in a row after which the store is left alone; 0 stands for 3.
	Failures int
	// Rest is for how long; 0 stands for 30 s. Then one call tries it again.
	Rest time.Duration
}

// Guarded is a store that may hang or fail, such as a remote one, at a bounded
// cost: no call takes longer than the options say, and after some failures in a
// row none is made for a while. It is safe for concurrent use.
type Guarded struct {
	store    Store
	options  GuardOptions
	counters Counters

	mu       sync.Mutex
	failures int
	rests    time.Time // until when nothing is asked
}

var _ Store = (*Guarded)(nil)

// NewGuarded returns store behind the guard, which owns it: Close closes it.
func NewGuarded(store Store, o GuardOptions) *Guarded {
	o = GuardOptions{Wait: cmp.Or(o.Wait, 2*time.Second), Failures: cmp.Or(o.Failures, 3), Rest: cmp.Or(o.Rest, 30*time.Second)}
	return &Guarded{store: store, options: o}
}

// Name returns the store's name.
func (g *Guarded) Name() string { return g.store.Name() }

// Unwrap returns the store behind the guard.
func (g *Guarded) Unwrap() Store { return g.store }

// Get returns the store's item or miss. An error that is none matches
// ErrResting, context.DeadlineExceeded where the store took too long, or what
// the store returned.
func (g *Guarded) Get(ctx context.Context, key Key) (Item, error) {
	item, err := guard(ctx, g, func(ctx context.Context) (Item, error) { return g.store.Get(ctx, key) })
	switch why := MissReason(err); {
	case err == nil:
		g.counters.Hit(len(item.Value))
	case why != "":
		g.counters.Miss(why)
	default:
		g.counters.GetError()
	}
	return item, err
}

// Put stores item as Get gets one. A call that took too long may still store it.
func (g *Guarded) Put(ctx context.Context, key Key, item Item) error {
	_, err := guard(ctx, g, func(ctx context.Context) (Item, error) { return Item{}, g.store.Put(ctx, key, item) })
	switch {
	case err == nil:
		g.counters.Put(len(item.Value))
	case !errors.Is(err, ErrReadOnly):
		g.counters.PutError()
	}
	return err
}

// Stats returns what the guard has counted: calls that were not made are errors.
func (g *Guarded) Stats() Stats { return g.counters.Stats() }

// Close closes the store.
func (g *Guarded) Close() error { return g.store.Close() }

// guard makes the call, unless the store rests, and waits no longer than it may.
func guard(ctx context.Context, g *Guarded, call func(context.Context) (Item, error)) (Item, error) {
	if err := ctx.Err(); err != nil {
		return Item{}, err
	}
	if !g.admit() {
		return Item{}, fmt.Errorf("%s: %w", g.Name(), ErrResting)
	}
	type answer struct {
		item Item
		err  error
	}
	bounded, cancel := context.WithTimeout(ctx, g.options.Wait)
	defer cancel()
	answers := make(chan answer, 1)
	go func() {
		item, err := call(bounded)
		answers <- answer{item, err}
	}()
	var a answer
	select {
	case a = <-answers:
	case <-bounded.Done():
		// The store may not look at its context.
		a.err = fmt.Errorf("%s: %w", g.Name(), bounded.Err())
	}
	g.note(ctx, a.err)
	return a.item, a.err
}

// admit reports whether the store is to be asked. Of several callers after a
// rest, one is let through until its call has ended.
func (g *Guarded) admit() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failures < g.options.Failures {
		return true
	}
	now := time.Now()
	if now.Before(g.rests) {
		return false
	}
	g.rests = now.Add(g.options.Rest)
	return true
}

// note takes in how a call has ended.
func (g *Guarded) note(ctx context.Context, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err == nil, errors.Is(err, ErrMiss), errors.Is(err, ErrReadOnly), errors.Is(err, ErrTooLarge), errors.Is(err, ErrClosed):
		g.failures = 0
	case ctx.Err() != nil:
		// It was the caller who left.
	default:
		g.failures++
		g.rests = time.Now().Add(g.options.Rest)
	}
}
