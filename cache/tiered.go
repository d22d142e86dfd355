package cache

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
)

// Tiered is several stores behind one, nearest first. It is safe for concurrent
// use.
type Tiered struct {
	tiers    []Store
	counters Counters
	closed   atomic.Bool
}

var _ Store = (*Tiered)(nil)

// Local is a store that is as near as the disks of this machine.
type Local interface {
	// Local reports whether the store is. A hit in it then does not fill
	// another one that is: that would cost space and save no time.
	Local() bool
}

func local(s Store) bool {
	l, ok := s.(Local)
	return ok && l.Local()
}

// NewTiered returns the stores as one. Get asks them in order, and a hit fills
// those that were asked before, but for what [Local] says; Put goes to all. A
// store that fails is passed over, and one that is read-only is never filled.
// The Tiered owns the stores: its Close closes them.
func NewTiered(nearestFirst ...Store) *Tiered {
	return &Tiered{tiers: slices.Clone(nearestFirst)}
}

// Tiers returns the stores, nearest first. Their Stats tell the tiers apart.
func (t *Tiered) Tiers() []Store { return slices.Clone(t.tiers) }

// Name returns the names of the tiers, joined by " + ".
func (t *Tiered) Name() string {
	names := make([]string, len(t.tiers))
	for i, s := range t.tiers {
		names[i] = s.Name()
	}
	return strings.Join(names, " + ")
}

// Get returns the item of the nearest tier that has it. Where none has, the
// error is the most telling of the tiers' errors: one that is no miss, else a
// miss for another reason than Absent, else the miss.
func (t *Tiered) Get(ctx context.Context, key Key) (Item, error) {
	if t.closed.Load() {
		t.counters.GetError()
		return Item{}, ErrClosed
	}
	var telling error
	for i, s := range t.tiers {
		item, err := s.Get(ctx, key)
		if err == nil {
			for _, nearer := range t.tiers[:i] {
				if local(s) && local(nearer) {
					continue
				}
				// The nearer store counts its own failures; the item is at hand
				// all the same.
				_ = nearer.Put(ctx, key, item)
			}
			t.counters.Hit(len(item.Value))
			return item, nil
		}
		if telling == nil || rank(err) > rank(telling) {
			telling = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	if telling == nil {
		telling = &MissError{Store: t.Name(), Key: key, Reason: Absent}
	}
	if why := MissReason(telling); why != "" {
		t.counters.Miss(why)
	} else {
		t.counters.GetError()
	}
	return Item{}, telling
}

func rank(err error) int {
	switch MissReason(err) {
	case "":
		return 2
	case Absent:
		return 0
	}
	return 1
}

// Put stores item in every tier that takes items. The error joins those of the
// tiers that could not store it, the others have it. It is ErrReadOnly where no
// tier takes items.
func (t *Tiered) Put(ctx context.Context, key Key, item Item) error {
	if t.closed.Load() {
		t.counters.PutError()
		return ErrClosed
	}
	var failed []error
	readOnly := 0
	for _, s := range t.tiers {
		switch err := s.Put(ctx, key, item); {
		case errors.Is(err, ErrReadOnly):
			readOnly++
		case err != nil:
			failed = append(failed, err)
		}
	}
	if readOnly == len(t.tiers) {
		return ErrReadOnly
	}
	if len(failed) > 0 {
		t.counters.PutError()
		return errors.Join(failed...)
	}
	t.counters.Put(len(item.Value))
	return nil
}

// Stats returns the counts of the whole: a hit in any tier is one hit. Filling a
// nearer tier is not counted here.
func (t *Tiered) Stats() Stats { return t.counters.Stats() }

// Close closes the tiers and joins their errors.
func (t *Tiered) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	var failed []error
	for _, s := range t.tiers {
		if err := s.Close(); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
