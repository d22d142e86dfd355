package disk

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

// On deepseek-ai/DeepEP#683 and triton-lang/triton#11512 a rename succeeded, or somebody else's had, and the
// file could not be opened for a while after.
func TestLateVisibilityIsAMiss(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty})
	cachetest.MustPut(t, s, testKey, testItem)
	s.Close()
	s = open(t, Options{Dir: "/cache", FS: faulty})
	faulty.Reset(func(c fsxtest.Call) fsxtest.Fault {
		if c.Op == "read" && c.N <= 3 {
			return fsxtest.Fault{Err: syscall.ENOENT}
		}
		return fsxtest.Fault{}
	})
	for range 3 {
		cachetest.WantMiss(t, s, testKey, cache.Absent)
	}
	cachetest.WantItem(t, s, testKey, testItem)
}

// NFS tells a writer at close that the disk is full.
func TestFaultAtCloseIsOneOfPut(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty})
	faulty.Reset(func(c fsxtest.Call) fsxtest.Fault {
		if c.Op == "close" {
			return fsxtest.Fault{Err: syscall.EDQUOT}
		}
		return fsxtest.Fault{}
	})
	if err := s.Put(t.Context(), testKey, testItem); !errors.Is(err, syscall.EDQUOT) {
		t.Errorf("Put = %v, want EDQUOT", err)
	}
	cachetest.WantMiss(t, s, testKey, cache.Absent)
}

func TestShortWriteIsAnErrorOfPut(t *testing.T) {
	for _, nth := range []int{1, 2, 3} {
		faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
		s := open(t, Options{Dir: "/cache", FS: faulty})
		writes := 0
		faulty.Reset(func(c fsxtest.Call) fsxtest.Fault {
			if c.Op == "write" {
				writes++
			}
			return fsxtest.Fault{Short: c.Op == "write" && writes == nth}
		})
		if err := s.Put(t.Context(), testKey, testItem); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("write %d is short: Put = %v", nth, err)
		}
		cachetest.WantMiss(t, s, testKey, cache.Absent)
	}
}

// Of somebody who removes the folder at every moment Put is robbed twice, and
// then gives up.
func TestPutStartsAgain(t *testing.T) {
	for robbed, want := range []bool{true, true, true, false} {
		faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
		s := open(t, Options{Dir: "/cache", FS: faulty})
		renames := 0
		faulty.Reset(func(c fsxtest.Call) fsxtest.Fault {
			if c.Op == "rename" {
				if renames++; renames <= robbed {
					return fsxtest.Fault{Err: syscall.ENOENT}
				}
			}
			return fsxtest.Fault{}
		})
		if err := s.Put(t.Context(), testKey, testItem); (err == nil) != want {
			t.Errorf("robbed %d times: Put = %v", robbed, err)
		}
		if want {
			cachetest.WantItem(t, s, testKey, testItem)
		}
	}
}

// A file system that says ENOTDIR of a folder must not lead Put to move it away.
func TestFolderIsNotMovedOnAFalseAlarm(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty})
	cachetest.MustPut(t, s, testKey, testItem)
	s.background.Wait()
	faulty.Reset(fsxtest.Nth(1, fsxtest.Fault{Err: syscall.ENOTDIR}))
	if err := s.Put(t.Context(), testKey, testItem); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("Put = %v, want ENOTDIR", err)
	}
	if calls := faulty.Calls("rename", "remove", "mkdir"); len(calls) > 0 {
		t.Errorf("calls %v", calls)
	}
	cachetest.WantItem(t, s, testKey, testItem)
}

func TestStaleHandleIsTriedAgain(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty})
	cachetest.MustPut(t, s, testKey, testItem)
	s.background.Wait()
	faulty.Reset(fsxtest.Nth(1, fsxtest.Fault{Err: syscall.ESTALE}))
	cachetest.WantItem(t, s, testKey, testItem)
	faulty.Reset(fsxtest.From(1, syscall.ESTALE))
	cachetest.WantMiss(t, s, testKey, cache.Unreadable)
}

// The reports mozilla/sccache PR#2048 and jax-ml/jax#22718: a cache that may not
// be written to serves its hits and is not written to.
func TestReadOnlyWritesNothing(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty})
	cachetest.MustPut(t, s, testKey, testItem)
	s.Close()
	faulty.Reset(nil)
	s = open(t, Options{Dir: "/cache", FS: faulty, ReadOnly: true})
	s.now = func() time.Time { return time.Now().Add(1000 * time.Hour) }
	cachetest.WantItem(t, s, testKey, testItem)
	if err := s.Put(t.Context(), testKey, testItem); !errors.Is(err, cache.ErrReadOnly) {
		t.Errorf("Put = %v", err)
	}
	if _, err := s.Trim(t.Context(), 0); !errors.Is(err, cache.ErrReadOnly) {
		t.Errorf("Trim = %v", err)
	}
	if err := s.Remove(t.Context(), testKey); !errors.Is(err, cache.ErrReadOnly) {
		t.Errorf("Remove = %v", err)
	}
	for _, c := range faulty.Calls() {
		if c.Writes() {
			t.Errorf("%s %s", c.Op, c.Path)
		}
	}
	if stats := s.Stats(); stats.PutErrors != 0 || stats.Hits != 1 {
		t.Errorf("stats %+v", stats)
	}
}

func TestHitSurvivesBookkeepingFault(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty})
	cachetest.MustPut(t, s, testKey, testItem)
	s.background.Wait()
	s.now = func() time.Time { return time.Now().Add(2 * touchAfter) }
	faulty.Reset(func(c fsxtest.Call) fsxtest.Fault {
		if c.Op == "touch" {
			return fsxtest.Fault{Err: syscall.EACCES}
		}
		return fsxtest.Fault{}
	})
	before := s.Stats().UpkeepErrors
	cachetest.WantItem(t, s, testKey, testItem)
	if got := s.Stats().UpkeepErrors - before; got != 1 {
		t.Errorf("%d faults of bookkeeping counted, want 1", got)
	}
}

// TestCallBudget bounds what a start asks of the file system, which may be one
// that ten thousand nodes share (ROCm/rocFFT#414).
func TestCallBudget(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	calls := func(what string, do func(), want ...string) {
		t.Helper()
		faulty.Reset(nil)
		do()
		var got []string
		for _, c := range faulty.Calls() {
			got = append(got, c.Op)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v\nwant %v", what, got, want)
		}
	}
	open(t, Options{Dir: "/cache", FS: faulty}).Close()
	var s *Store
	calls("open", func() { s = open(t, Options{Dir: "/cache", FS: faulty}) }, "stat")
	calls("miss", func() { cachetest.WantMiss(t, s, testKey, cache.Absent) }, "read")
	cachetest.MustPut(t, s, cachetest.Key(0), testItem)
	s.background.Wait()
	calls("first entry of its prefix", func() { cachetest.MustPut(t, s, testKey, testItem) },
		strings.Fields("create mkdir create write write write sync close rename")...)
	calls("hit", func() { cachetest.WantItem(t, s, testKey, testItem) }, "read")
	calls("replacement", func() { cachetest.MustPut(t, s, testKey, testItem) },
		strings.Fields("create write write write sync close rename")...)
}
