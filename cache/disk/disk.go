// Package disk is a cache in a folder that any number of processes share.
//
// An entry is one file that describes itself and carries a checksum, so a reader
// believes nothing but the bytes it has checked. Files are made beside their
// place, synced and renamed: an entry is whole or not there, whenever a process
// dies or the power goes. Neither reading nor writing takes a lock; of two writers
// of one key the last wins. A fault of any kind is a miss, and the next Put writes
// over it. Claims, which spare processes the same work, are locks of the system
// that end with their process.
//
// The times of the files decide only which of them Trim removes first. Wrong
// times, strange files and folders, and things that cannot be read are passed
// over.
//
// On a network file system the same holds. A file may then be invisible to other
// machines for a while after Put, which is a miss there.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/internal/fsx"
)

// DefaultMaxBytes is the bound of a store whose options name none: 1 GiB.
const DefaultMaxBytes = 1 << 30

// Options says where and how a store is kept. Dir is needed, the rest may be zero.
type Options struct {
	// Dir is the folder. Open makes it, and those above it, if it is missing.
	Dir string
	// MaxBytes is how much the entries may take, in bytes of whole disk blocks.
	// Each process that writes may pass it by a sixteenth for a while.
	// 0 stands for DefaultMaxBytes.
	MaxBytes int64
	// ReadOnly makes a store that changes nothing in the folder, not even times.
	ReadOnly bool
	// Shared accepts a folder that belongs to someone else or that everybody may
	// write to, and gives new files the permissions of the umask. Whoever can
	// write to the folder can make this process run code of theirs. Without it
	// such a folder is refused, and new files are for their owner alone.
	Shared bool
	// FS is the file system, for tests; nil stands for that of the system.
	FS fsx.FS
}

// Store is the cache. It is safe for concurrent use, and so is the folder by
// many processes.
type Store struct {
	counters cache.Counters
	dir      string
	max      int64
	readOnly bool
	fs       fsx.FS
	dirMode  fs.FileMode
	fileMode fs.FileMode
	now      func() time.Time

	upkeep upkeep
	claims claims

	closed     atomic.Bool
	mu         sync.Mutex // orders Close and the start of background work
	background sync.WaitGroup
}

var (
	_ cache.Store    = (*Store)(nil)
	_ cache.Lister   = (*Store)(nil)
	_ cache.Verifier = (*Store)(nil)
	_ cache.Trimmer  = (*Store)(nil)
	_ cache.Sizer    = (*Store)(nil)
	_ cache.Claimer  = (*Store)(nil)
	_ cache.Local    = (*Store)(nil)
)

// Open returns the store in a folder. On an error there is no store and the
// caller goes on without; the error says what to change. It matches
// fs.ErrNotExist when ReadOnly is set and there is no folder. Open of a folder
// that is there makes one call of the file system and writes nothing.
func Open(o Options) (*Store, error) {
	if o.Dir == "" {
		return nil, errors.New("opening the disk cache: no folder is named")
	}
	if o.MaxBytes < 0 {
		return nil, fmt.Errorf("opening the disk cache: a bound of %d bytes is below zero", o.MaxBytes)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("opening the disk cache %s: %w; name the folder by its whole path", o.Dir, err)
	}
	s := &Store{dir: dir, max: o.MaxBytes, readOnly: o.ReadOnly, fs: o.FS, dirMode: 0o700, fileMode: 0o600, now: time.Now}
	if s.max == 0 {
		s.max = DefaultMaxBytes
	}
	if s.fs == nil {
		s.fs = fsx.OS{}
	}
	if o.Shared {
		s.dirMode, s.fileMode = 0o777, 0o666
	}
	stat, err := s.fs.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && !s.readOnly {
		if err = s.makeDir(); err == nil {
			stat, err = s.fs.Stat(dir)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("opening the disk cache: %w", err)
	}
	if !stat.Mode.IsDir() {
		return nil, fmt.Errorf("opening the disk cache: %s is not a folder; remove it or name another", dir)
	}
	if !o.Shared {
		if err := s.checkOwner(stat); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Store) checkOwner(stat fsx.Stat) error {
	if stat.Mode.Perm()&0o002 != 0 {
		return fmt.Errorf("opening the disk cache: everybody may write to %s and so make this process run code of theirs; chmod o-w it, or name another folder", s.dir)
	}
	if uid := os.Geteuid(); stat.UID != uid && stat.UID != 0 && !s.readOnly {
		return fmt.Errorf("opening the disk cache: %s belongs to user %d, this process runs as %d; name another folder", s.dir, stat.UID, uid)
	}
	return nil
}

// Name returns "disk" and the folder.
func (s *Store) Name() string { return "disk " + s.dir }

// Dir returns the whole path of the folder.
func (s *Store) Dir() string { return s.dir }

// Local implements cache.Local: a folder is taken to be on a disk of this machine.
func (s *Store) Local() bool { return true }

// Stats returns what was counted since Open.
func (s *Store) Stats() cache.Stats { return s.counters.Stats() }

// Close waits for a trim that a Put has started, if any, and gives up claims.
func (s *Store) Close() error {
	s.mu.Lock()
	s.closed.Store(true)
	s.mu.Unlock()
	s.background.Wait()
	if err := s.closeClaims(); err != nil {
		s.counters.UpkeepError()
	}
	return nil
}

func (s *Store) ready(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.closed.Load() {
		return cache.ErrClosed
	}
	return nil
}

// Get returns the item under key after checking the whole entry. The Value is
// the caller's own.
func (s *Store) Get(ctx context.Context, key cache.Key) (cache.Item, error) {
	if err := s.ready(ctx); err != nil {
		s.counters.GetError()
		return cache.Item{}, err
	}
	path := s.entryPath(key)
	item, stat, f := s.load(path, key)
	if f != nil {
		s.counters.Miss(f.reason)
		return cache.Item{}, s.miss(key, f)
	}
	if !s.readOnly && s.apart(stat.ModTime) > touchAfter {
		if err := s.fs.Touch(path, s.now()); err != nil {
			s.counters.UpkeepError()
		}
	}
	s.counters.Hit(len(item.Value))
	return item, nil
}

func (s *Store) miss(key cache.Key, f *flaw) error {
	return &cache.MissError{Store: s.Name(), Key: key, Reason: f.reason, Err: f.err}
}

func (s *Store) load(path string, key cache.Key) (cache.Item, fsx.Stat, *flaw) {
	file, stat, err := s.fs.Read(path, maxEntry)
	if errors.Is(err, syscall.ESTALE) {
		// On NFS a file was replaced between look-up and open.
		file, stat, err = s.fs.Read(path, maxEntry)
	}
	if err != nil {
		return cache.Item{}, stat, unread(err)
	}
	item, f := decode(file, key)
	return item, stat, f
}

// unread returns the flaw of a file that could not be read.
func unread(err error) *flaw {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &flaw{cache.Absent, nil}
	case errors.Is(err, fsx.ErrNotRegular), errors.Is(err, syscall.ENOTDIR):
		return &flaw{cache.Foreign, err}
	case errors.Is(err, fsx.ErrTooLarge):
		return &flaw{cache.Damaged, err}
	}
	return &flaw{cache.Unreadable, err}
}
