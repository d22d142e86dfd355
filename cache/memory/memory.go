// Package memory is a cache in the memory of one process: it holds the items
// most recently used, up to a number of bytes.
package memory

import (
	"bytes"
	"container/list"
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/kilnjit/kiln/cache"
)

// DefaultMaxBytes is the bound of a store whose options name none: 64 MiB, some
// thousand images.
const DefaultMaxBytes = 64 << 20

// overhead is what an entry takes beside its value and label, in bytes: list
// element, map slot and entry.
const overhead = 256

// Options says how a store is made. The zero value is ready for use.
type Options struct {
	// MaxBytes is how much the entries may take together, in bytes. 0 stands
	// for DefaultMaxBytes, a negative number for nothing.
	MaxBytes int64
}

// Store is the cache. It is safe for concurrent use; one lock guards it, held for
// no longer than a look-up takes.
type Store struct {
	counters cache.Counters
	max      int64

	mu      sync.Mutex
	entries map[cache.Key]*list.Element
	recent  list.List // of *entry, the last used in front
	bytes   int64
	closed  bool
}

type entry struct {
	key          cache.Key
	item         cache.Item
	stored, used time.Time
}

func (e *entry) footprint() int64 {
	return int64(len(e.item.Value)+len(e.item.Label)) + overhead
}

var (
	_ cache.Store   = (*Store)(nil)
	_ cache.Lister  = (*Store)(nil)
	_ cache.Trimmer = (*Store)(nil)
	_ cache.Sizer   = (*Store)(nil)
)

// New returns an empty store.
func New(o Options) *Store {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	return &Store{max: o.MaxBytes, entries: map[cache.Key]*list.Element{}}
}

// Name returns "memory".
func (s *Store) Name() string { return "memory" }

// Get returns the item under key. Its Value belongs to the store and stays valid
// after the entry is gone.
func (s *Store) Get(ctx context.Context, key cache.Key) (cache.Item, error) {
	if err := ctx.Err(); err != nil {
		s.counters.GetError()
		return cache.Item{}, err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		s.counters.GetError()
		return cache.Item{}, cache.ErrClosed
	}
	el := s.entries[key]
	if el == nil {
		s.mu.Unlock()
		s.counters.Miss(cache.Absent)
		return cache.Item{}, &cache.MissError{Store: s.Name(), Key: key, Reason: cache.Absent}
	}
	s.recent.MoveToFront(el)
	e := el.Value.(*entry)
	e.used = time.Now()
	item := e.item
	s.mu.Unlock()
	s.counters.Hit(len(item.Value))
	return item, nil
}

// Put stores a copy of item. One that is larger than the bound is not kept, which
// is no error.
func (s *Store) Put(ctx context.Context, key cache.Key, item cache.Item) error {
	if err := ctx.Err(); err != nil {
		s.counters.PutError()
		return err
	}
	now := time.Now()
	e := &entry{key: key, stored: now, used: now}
	e.item.Label = strings.Clone(cache.CleanLabel(item.Label))
	e.item.Value = item.Value
	tooLarge := e.footprint() > s.max
	if !tooLarge {
		e.item.Value = bytes.Clone(item.Value)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.counters.PutError()
		return cache.ErrClosed
	}
	if old := s.entries[key]; old != nil {
		s.drop(old)
	}
	s.counters.Put(len(item.Value))
	if tooLarge {
		s.counters.Evict(1)
		return nil
	}
	s.entries[key] = s.recent.PushFront(e)
	s.bytes += e.footprint()
	for s.bytes > s.max {
		s.drop(s.recent.Back())
		s.counters.Evict(1)
	}
	return nil
}

func (s *Store) drop(el *list.Element) {
	e := s.recent.Remove(el).(*entry)
	delete(s.entries, e.key)
	s.bytes -= e.footprint()
}

// Stats returns what was counted since New.
func (s *Store) Stats() cache.Stats { return s.counters.Stats() }

// Close drops all entries.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	clear(s.entries)
	s.recent.Init()
	s.bytes = 0
	return nil
}

// List yields the entries there are when the iteration starts, the last used
// first.
func (s *Store) List(ctx context.Context) iter.Seq2[cache.Info, error] {
	return func(yield func(cache.Info, error) bool) {
		s.mu.Lock()
		infos := make([]cache.Info, 0, s.recent.Len())
		for el := s.recent.Front(); el != nil; el = el.Next() {
			e := el.Value.(*entry)
			infos = append(infos, cache.Info{
				Key: e.key, Label: e.item.Label,
				Bytes: int64(len(e.item.Value)), Footprint: e.footprint(),
				Stored: e.stored, Used: e.used,
			})
		}
		s.mu.Unlock()
		for _, info := range infos {
			if err := ctx.Err(); err != nil {
				yield(cache.Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

// Trim implements cache.Trimmer. It returns no error.
func (s *Store) Trim(_ context.Context, maxBytes int64) (cache.Trimmed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var done cache.Trimmed
	for s.recent.Len() > 0 && s.bytes > maxBytes {
		before := s.bytes
		s.drop(s.recent.Back())
		done.Entries++
		done.Bytes += before - s.bytes
	}
	s.counters.Evict(done.Entries)
	done.Kept, done.KeptBytes = s.recent.Len(), s.bytes
	return done, nil
}

// Remove implements cache.Trimmer. It returns no error.
func (s *Store) Remove(_ context.Context, key cache.Key) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if el := s.entries[key]; el != nil {
		s.drop(el)
	}
	return nil
}

// Usage implements cache.Sizer. It returns no error.
func (s *Store) Usage(context.Context) (cache.Usage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cache.Usage{Entries: s.recent.Len(), Bytes: s.bytes, MaxBytes: max(s.max, 0)}, nil
}
