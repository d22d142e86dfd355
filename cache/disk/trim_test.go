package disk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

func (s *Store) setTime(t *testing.T, key cache.Key, at time.Time) {
	t.Helper()
	if err := s.fs.Touch(s.entryPath(key), at); err != nil {
		t.Fatal(err)
	}
}

func TestLeastRecentlyUsedGoesFirst(t *testing.T) {
	s := open(t, Options{Dir: "/cache", FS: fsxtest.NewMem()})
	for i := range 6 {
		cachetest.MustPut(t, s, cachetest.Key(i), cachetest.Item(i, 100))
		s.setTime(t, cachetest.Key(i), time.Now().Add(-time.Duration(10-i)*24*time.Hour))
	}
	// A hit renews the time, and a time in the future is as old as one as far back.
	cachetest.WantItem(t, s, cachetest.Key(0), cachetest.Item(0, 100))
	s.setTime(t, cachetest.Key(5), time.Now().Add(1000*time.Hour))
	done, err := s.Trim(t.Context(), 3*block)
	if want := (cache.Trimmed{Entries: 3, Bytes: 3 * block, Kept: 3, KeptBytes: 3 * block}); err != nil || done != want {
		t.Errorf("Trim = %+v, %v; want %+v", done, err, want)
	}
	for i, kept := range []bool{true, false, false, true, true, false} {
		if kept {
			cachetest.WantItem(t, s, cachetest.Key(i), cachetest.Item(i, 100))
		} else {
			cachetest.WantMiss(t, s, cachetest.Key(i), cache.Absent)
		}
	}
}

// flashinfer-ai/flashinfer#4489: files with wrong times were taken as fresh.
func TestTimesDecideNothingElse(t *testing.T) {
	for _, year := range []int{1970, 2040} {
		t.Run(fmt.Sprint(year), func(t *testing.T) {
			s := open(t, Options{})
			at := time.Date(year, 1, 2, 0, 0, 0, 0, time.UTC)
			cachetest.MustPut(t, s, testKey, testItem)
			s.background.Wait()
			for _, path := range names(t, s.dir) {
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
			}
			cachetest.WantItem(t, s, testKey, testItem)
			info, err := os.Stat(s.entryPath(testKey))
			if err != nil || time.Since(info.ModTime()).Abs() > time.Minute {
				t.Errorf("a hit left the time at %v", info.ModTime())
			}
			wantReplaced(t, s)
			if err := lastError(s.Verify(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHitRenewsItsTimeHourly(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty})
	cachetest.MustPut(t, s, testKey, testItem)
	s.background.Wait()
	now := time.Now()
	s.now = func() time.Time { return now }
	faulty.Reset(nil)
	for range 5 * 60 {
		cachetest.WantItem(t, s, testKey, testItem)
		now = now.Add(time.Minute)
	}
	if got := len(faulty.Calls("touch")); got != 4 {
		t.Errorf("%d times written in 5 hours of hits, want 4", got)
	}
}

func TestBoundIsKept(t *testing.T) {
	const max = 32 * block
	s := open(t, Options{Dir: "/cache", FS: fsxtest.NewMem(), MaxBytes: max})
	for i := range 150 {
		cachetest.MustPut(t, s, cachetest.Key(i), cachetest.Item(i, 100))
		s.background.Wait()
		u, err := s.Usage(t.Context())
		if err != nil || u.Bytes > max {
			t.Fatalf("after %d puts: %+v, %v", i+1, u, err)
		}
	}
	u, _ := s.Usage(t.Context())
	if u.Bytes < max/2 {
		t.Errorf("only %d of %d bytes are in use", u.Bytes, max)
	}
	if got := s.Stats().Evictions; int(got) != 150-u.Entries {
		t.Errorf("%d evictions counted, %d entries kept of 150", got, u.Entries)
	}
}

func TestTrimsOnceADay(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	now := time.Now()
	trims := func() (n int) {
		for _, c := range faulty.Calls("readdir") {
			if c.Path == "/cache" {
				n++
			}
		}
		return n
	}
	for day := range 3 {
		for process := range 4 {
			s := open(t, Options{Dir: "/cache", FS: faulty})
			s.now = func() time.Time { return now }
			for i := range 3 {
				cachetest.MustPut(t, s, cachetest.Key(i), testItem)
				s.background.Wait()
				now = now.Add(time.Minute)
			}
			s.Close()
			if got := trims(); got != day+1 {
				t.Fatalf("day %d, process %d: %d trims so far", day, process, got)
			}
		}
		now = now.Add(25 * time.Hour)
	}
	// A process that lives on notices the day as well.
	s := open(t, Options{Dir: "/cache", FS: faulty})
	s.now = func() time.Time { return now }
	for range 3 * 24 * 2 {
		cachetest.MustPut(t, s, testKey, testItem)
		s.background.Wait()
		now = now.Add(30 * time.Minute)
	}
	if got := trims() - 3; got != 3 {
		t.Errorf("%d trims in three days, want 3", got)
	}
}

func TestTrimGoesOnPastFaults(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty})
	for i := range 5 {
		cachetest.MustPut(t, s, cachetest.Key(i), cachetest.Item(i, 100))
	}
	s.background.Wait()
	faulty.Reset(func(c fsxtest.Call) fsxtest.Fault {
		if c.Op == "remove" && c.Path == s.entryPath(cachetest.Key(2)) {
			return fsxtest.Fault{Err: syscall.EACCES}
		}
		return fsxtest.Fault{}
	})
	done, err := s.Trim(t.Context(), 0)
	if want := (cache.Trimmed{Entries: 4, Bytes: 4 * block, Kept: 1, KeptBytes: block}); !errors.Is(err, syscall.EACCES) || done != want {
		t.Errorf("Trim = %+v, %v; want %+v and EACCES", done, err, want)
	}
	cachetest.WantItem(t, s, cachetest.Key(2), cachetest.Item(2, 100))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if done, err := s.Trim(ctx, 0); !errors.Is(err, context.Canceled) || done.Entries != 0 {
		t.Errorf("cancelled Trim = %+v, %v", done, err)
	}
}

// A fault while trimming in the background is seen in a counter alone.
func TestTrimFaultsDoNotReachPut(t *testing.T) {
	faulty := &fsxtest.Faulty{FS: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: faulty, MaxBytes: 16 * block})
	faulty.Reset(func(c fsxtest.Call) fsxtest.Fault {
		if c.Op == "readdir" || c.Op == "remove" || c.Op == "lstat" {
			return fsxtest.Fault{Err: syscall.EIO}
		}
		return fsxtest.Fault{}
	})
	for i := range 40 {
		cachetest.MustPut(t, s, cachetest.Key(i), cachetest.Item(i, 100))
		cachetest.WantItem(t, s, cachetest.Key(i), cachetest.Item(i, 100))
	}
	s.Close()
	if got := s.Stats().UpkeepErrors; got == 0 {
		t.Error("no fault of upkeep is counted")
	}
}

func TestListAndVerifyTellGoodFromBad(t *testing.T) {
	s := open(t, Options{})
	for i := range 4 {
		cachetest.MustPut(t, s, cachetest.Key(i), cachetest.Item(i, 100))
	}
	s.background.Wait()
	// Key 1: a byte of the value; key 2: a byte missing. Only the second shows
	// without reading it all.
	file, err := os.ReadFile(s.entryPath(cachetest.Key(1)))
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)-sumSize-1] ^= 1
	if err := os.WriteFile(s.entryPath(cachetest.Key(1)), file, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(s.entryPath(cachetest.Key(2)), int64(len(file)-1)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.dir+"/stray", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	count := func(seq func(func(cache.Info, error) bool)) map[string]int {
		got := map[string]int{}
		for info, err := range seq {
			if info.Place == "" {
				t.Errorf("no place is given, error %v", err)
			}
			got[string(cache.MissReason(err))]++
		}
		return got
	}
	if got := fmt.Sprint(count(s.List(t.Context()))); got != "map[:3 damaged:1 foreign:1]" {
		t.Errorf("List: %s", got)
	}
	if got := fmt.Sprint(count(s.Verify(t.Context()))); got != "map[:2 damaged:2 foreign:1]" {
		t.Errorf("Verify: %s", got)
	}
	u, err := s.Usage(t.Context())
	if want := (cache.Usage{Entries: 4, Bytes: 4 * block, MaxBytes: DefaultMaxBytes, Foreign: 1}); err != nil || u != want {
		t.Errorf("Usage = %+v, %v; want %+v", u, err, want)
	}
}
