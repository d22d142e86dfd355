package disk

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

// work is what a process does with a cache: it opens it, looks up a key, stores
// it, replaces another, and trims.
func work(t *testing.T, faulty *fsxtest.Faulty, old, item cache.Item) (opened bool) {
	s, err := Open(Options{Dir: "/home/u/cache", FS: faulty})
	if err != nil {
		return false
	}
	defer s.Close()
	check := func(key cache.Key, among ...cache.Item) {
		got, err := s.Get(t.Context(), key)
		if err != nil {
			if !errors.Is(err, cache.ErrMiss) {
				t.Errorf("Get: %v, which is no miss", err)
			}
			return
		}
		for _, item := range among {
			if string(got.Value) == string(item.Value) && got.Label == item.Label {
				return
			}
		}
		t.Errorf("Get returned %d bytes that nobody stored", len(got.Value))
	}
	check(testKey, item)
	check(cachetest.Key(0), old)
	_ = s.Put(t.Context(), testKey, item)
	check(testKey, item)
	_ = s.Put(t.Context(), cachetest.Key(0), item)
	check(cachetest.Key(0), old, item)
	s.background.Wait()
	for range s.List(t.Context()) {
	}
	if _, err := s.Usage(t.Context()); errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Usage: %v", err)
	}
	_, _ = s.Trim(t.Context(), footprint(1))
	check(testKey, item)
	return true
}

// settled checks a folder after something went wrong in it: each entry is whole
// or absent, the store works, and Trim sweeps what was left.
func settled(t *testing.T, mem *fsxtest.Mem, old, item cache.Item) {
	t.Helper()
	s, err := Open(Options{Dir: "/home/u/cache", FS: mem})
	if err != nil {
		t.Fatalf("opening afterwards: %v", err)
	}
	for i := range 2 {
		got, err := s.Get(t.Context(), cachetest.Key(i))
		if err == nil {
			if v := string(got.Value); v != string(item.Value) && (i != 0 || v != string(old.Value)) {
				t.Errorf("key %d has %d bytes that nobody stored", i, len(v))
			}
		}
		cachetest.MustPut(t, s, cachetest.Key(i), item)
		cachetest.WantItem(t, s, cachetest.Key(i), item)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s.now = func() time.Time { return time.Now().Add(2 * leftoverAfter) }
	if _, err := s.Trim(t.Context(), 1<<40); err != nil {
		t.Errorf("Trim afterwards: %v", err)
	}
	u, err := s.Usage(t.Context())
	if err != nil || u.Leftovers != 0 || u.Foreign != 0 || u.Entries != 2 {
		t.Errorf("Usage afterwards: %+v, %v; want two entries and nothing else", u, err)
	}
}

// filled returns a folder with an old entry in it, and one whose writer has died.
func filled(t *testing.T, old cache.Item) *fsxtest.Mem {
	mem := fsxtest.NewMem()
	s, err := Open(Options{Dir: "/home/u/cache", FS: mem})
	if err != nil {
		t.Fatal(err)
	}
	cachetest.MustPut(t, s, cachetest.Key(0), old)
	s.Close()
	temp := s.prefixPath(cachetest.Key(0)) + "/" + tempName()
	if f, err := mem.Create(temp, 0o600); err != nil || mem.Touch(temp, time.Now().Add(-2*leftoverAfter)) != nil {
		t.Fatal(f, err)
	}
	return mem
}

func temps(t *testing.T, mem *fsxtest.Mem) int {
	s, err := Open(Options{Dir: "/home/u/cache", FS: mem})
	if err != nil {
		return 0
	}
	u, err := s.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return u.Leftovers
}

func TestEveryCallFailsInTurn(t *testing.T) {
	old, item := cachetest.Item(8, 5000), cachetest.Item(9, 6000)
	faults := map[string]fsxtest.Fault{
		"short":                  {Short: true},
		"short, then ENOSPC":     {Short: true, Err: syscall.ENOSPC},
		"done, but EIO":          {Done: true, Err: syscall.EIO},
		"ESTALE":                 {Err: syscall.ESTALE},
		"EEXIST":                 {Err: syscall.EEXIST},
		"ENOENT":                 {Err: syscall.ENOENT},
		"ENOTDIR":                {Err: syscall.ENOTDIR},
		"interrupted for always": {Err: syscall.EINTR},
	}
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EACCES, syscall.EMFILE, syscall.EROFS, syscall.EDQUOT} {
		faults[errno.Error()] = fsxtest.Fault{Err: errno}
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			for _, start := range []string{"empty", "filled"} {
				n := 1
				for ; ; n++ {
					mem := fsxtest.NewMem()
					if start == "filled" {
						mem = filled(t, old)
					}
					var hit fsxtest.Call
					faulty := &fsxtest.Faulty{FS: mem, Rule: func(c fsxtest.Call) fsxtest.Fault {
						if c.N != n {
							return fsxtest.Fault{}
						}
						hit = c
						return fault
					}}
					work(t, faulty, old, item)
					if hit.N == 0 {
						break
					}
					// A writer takes its file away unless that very call failed.
					if left := temps(t, mem); left > 0 && !strings.Contains("stat remove readdir lstat create", hit.Op) {
						t.Errorf("%s, call %d (%s %s): %d unfinished files left", start, n, hit.Op, hit.Path, left)
					}
					settled(t, mem, old, item)
					if t.Failed() {
						t.Fatalf("%s, call %d: %s %s", start, n, hit.Op, hit.Path)
					}
				}
				if n < 40 {
					t.Errorf("%s: only %d calls were made to fail", start, n-1)
				}
			}
		})
	}
}

func TestMediumLostFromAnyCallOn(t *testing.T) {
	old, item := cachetest.Item(8, 5000), cachetest.Item(9, 6000)
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.EROFS} {
		for n := 1; ; n++ {
			mem := filled(t, old)
			faulty := &fsxtest.Faulty{FS: mem, Rule: fsxtest.From(n, errno)}
			work(t, faulty, old, item)
			if len(faulty.Calls()) < n {
				break
			}
			settled(t, mem, old, item)
			if t.Failed() {
				t.Fatalf("%v from call %d on", errno, n)
			}
		}
	}
}

// TestCrashAtAnyCall cuts the power before each call, some times over, since
// what survives of the unsynced is a matter of chance.
func TestCrashAtAnyCall(t *testing.T) {
	old, item := cachetest.Item(8, 5000), cachetest.Item(9, 6000)
	damaged := 0
	for n := 1; ; n++ {
		mem := filled(t, old)
		faulty := &fsxtest.Faulty{FS: mem, Rule: fsxtest.From(n, syscall.EIO)}
		work(t, faulty, old, item)
		if len(faulty.Calls()) < n {
			break
		}
		for seed := range uint64(20) {
			after := mem.Crash(rand.New(rand.NewPCG(seed, uint64(n))))
			s, err := Open(Options{Dir: "/home/u/cache", FS: after})
			if err != nil {
				t.Fatalf("opening after a crash at call %d, seed %d: %v", n, seed, err)
			}
			for i := range 2 {
				if _, err := s.Get(t.Context(), cachetest.Key(i)); err != nil && cache.MissReason(err) != cache.Absent {
					damaged++
				}
			}
			settled(t, after, old, item)
			if t.Failed() {
				t.Fatalf("crash at call %d, seed %d", n, seed)
			}
		}
	}
	// Entries are synced before they get their name.
	if damaged != 0 {
		t.Errorf("%d entries were damaged by crashes", damaged)
	}
}

// TestUnsyncedWouldBeDamaged shows that the crashes of the test above can damage
// what is not synced.
func TestUnsyncedWouldBeDamaged(t *testing.T) {
	damaged := 0
	for seed := range uint64(50) {
		mem := fsxtest.NewMem()
		s := open(t, Options{Dir: "/cache", FS: mem})
		plant(t, s, encoded(t, testKey, testItem))
		after := open(t, Options{Dir: "/cache", FS: mem.Crash(rand.New(rand.NewPCG(seed, 0)))})
		if _, err := after.Get(t.Context(), testKey); cache.MissReason(err) == cache.Damaged {
			damaged++
		}
	}
	if damaged == 0 {
		t.Error("no crash in 50 damaged an unsynced file")
	}
}
