package disk

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"sync"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/internal/fsx"
)

// Waiting is by looking again: a wait for a lock cannot be given up.
const (
	firstLook  = 500 * time.Microsecond
	latestLook = 10 * time.Millisecond
)

// claims are the locks of the folder, opened with the first claim.
type claims struct {
	mu     sync.Mutex
	locks  fsx.Locks
	closed bool
}

func (s *Store) openClaims() (fsx.Locks, error) {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	if s.claims.closed {
		return nil, cache.ErrClosed
	}
	if s.claims.locks == nil {
		locks, err := s.fs.OpenLocks(s.dir+"/"+locksName, s.fileMode)
		if err != nil {
			return nil, err
		}
		s.claims.locks = locks
	}
	return s.claims.locks, nil
}

func (s *Store) closeClaims() error {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	locks := s.claims.locks
	s.claims.locks, s.claims.closed = nil, true
	if locks == nil {
		return nil
	}
	return locks.Close()
}

// Claim implements cache.Claimer by a lock in one file of the folder. Keys that
// share their first 62 bits share a claim. A store that is read-only has none.
func (s *Store) Claim(ctx context.Context, key cache.Key, wait time.Duration) (release func(), had bool) {
	none := func() {}
	if s.readOnly {
		return none, false
	}
	locks, err := s.openClaims()
	if err != nil {
		s.counters.UpkeepError()
		return none, false
	}
	number := int64(binary.BigEndian.Uint64(key[:8]) & (math.MaxInt64 >> 1))
	end := time.Now().Add(wait)
	for look := firstLook; ; look = min(look*3/2, latestLook) {
		got, err := locks.Try(number)
		switch {
		case err != nil:
			s.counters.UpkeepError()
			return none, false
		case got:
			return sync.OnceFunc(func() {
				// Close has given it up already.
				if err := locks.Unlock(number); err != nil && !errors.Is(err, fs.ErrClosed) {
					s.counters.UpkeepError()
				}
			}), true
		}
		left := time.Until(end)
		if left <= 0 {
			return none, false
		}
		select {
		case <-time.After(min(look, left)):
		case <-ctx.Done():
			return none, false
		}
	}
}
