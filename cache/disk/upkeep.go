package disk

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync/atomic"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/internal/fsx"
)

const (
	// touchAfter spares a hit the writing of its time: an hour is fine enough to
	// tell what was not used for days.
	touchAfter = time.Hour
	// leftoverAfter is far longer than any writer takes.
	leftoverAfter = time.Hour
	// trimEvery is how often the folder is gone through even if little is written.
	trimEvery = 24 * time.Hour
	// block is the unit in which disks give out space.
	block = 4096
)

// upkeep is what a process knows of when to trim.
type upkeep struct {
	written   atomic.Int64 // bytes put since the last trim of this process
	nextCheck atomic.Int64 // when to look at the time of the last trim, ns since 1970
	running   atomic.Bool
}

func footprint(size int64) int64 { return (size + block - 1) / block * block }

// apart returns how far t is from now, in either direction: a clock that was
// wrong must not make a file look used for ever.
func (s *Store) apart(t time.Time) time.Duration { return s.now().Sub(t).Abs() }

// maintain is called after size bytes were put and starts a trim when one is due.
func (s *Store) maintain(size int64) {
	u := &s.upkeep
	full := u.written.Add(size) > s.max/16
	now := s.now().UnixNano()
	check := u.nextCheck.Load()
	if !full && (now < check || !u.nextCheck.CompareAndSwap(check, now+int64(time.Hour))) {
		return
	}
	if !full && !s.trimDue() {
		return
	}
	if u.running.Swap(true) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return
	}
	s.background.Go(func() {
		defer u.running.Store(false)
		u.written.Store(0)
		s.markTrimmed()
		// Well below the bound, or the next Put would have to trim again.
		if _, err := s.Trim(context.Background(), s.max-s.max/8); err != nil {
			s.counters.UpkeepError()
		}
	})
}

// trimDue reports whether no process has trimmed for a day.
func (s *Store) trimDue() bool {
	stat, err := s.fs.Lstat(s.dir + "/" + trimmedName)
	return err != nil || s.apart(stat.ModTime) > trimEvery
}

// markTrimmed tells other processes that this one trims.
func (s *Store) markTrimmed() {
	err := s.fs.Touch(s.dir+"/"+trimmedName, s.now())
	if errors.Is(err, fs.ErrNotExist) {
		err = s.writeNote(trimmedName, "The time of this file is when the cache was last trimmed.\n")
	}
	if err != nil {
		s.counters.UpkeepError()
	}
}

// Trim implements cache.Trimmer.
func (s *Store) Trim(ctx context.Context, maxBytes int64) (cache.Trimmed, error) {
	if s.readOnly {
		return cache.Trimmed{}, cache.ErrReadOnly
	}
	type aged struct {
		path string
		size int64
		age  time.Duration
	}
	var done cache.Trimmed
	var entries []aged
	var first error
	note := func(err error) {
		if first == nil && !errors.Is(err, fs.ErrNotExist) {
			first = err
		}
	}
	for f, err := range s.walk(ctx) {
		if err != nil {
			note(err)
		}
		switch f.kind {
		case entryFile:
			entries = append(entries, aged{f.path, footprint(f.stat.Size), s.apart(f.stat.ModTime)})
			done.KeptBytes += footprint(f.stat.Size)
		case tempFile:
			if s.apart(f.stat.ModTime) > leftoverAfter {
				if err := s.fs.Remove(f.path); err != nil {
					note(err)
				} else {
					done.Leftovers++
				}
			}
		case foreignFile:
			done.Foreign++
		}
	}
	slices.SortFunc(entries, func(a, b aged) int { return cmp.Compare(b.age, a.age) })
	done.Kept = len(entries)
	for _, e := range entries {
		if done.KeptBytes <= max(maxBytes, 0) || ctx.Err() != nil {
			break
		}
		if err := s.fs.Remove(e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			note(err)
			continue
		}
		done.Entries++
		done.Bytes += e.size
		done.Kept--
		done.KeptBytes -= e.size
	}
	s.counters.Evict(done.Entries)
	if first == nil {
		first = ctx.Err()
	}
	return done, first
}

// Remove implements cache.Trimmer.
func (s *Store) Remove(ctx context.Context, key cache.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.readOnly {
		return cache.ErrReadOnly
	}
	if err := s.fs.Remove(s.entryPath(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

type kind int

const (
	unknown kind = iota // could not be looked at
	entryFile
	tempFile
	foreignFile
)

// found is something in the folder.
type found struct {
	kind kind
	path string
	key  cache.Key // of an entryFile
	stat fsx.Stat
}
