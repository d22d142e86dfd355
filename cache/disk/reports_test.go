package disk

import (
	"bytes"
	"context"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

// The tests of this file are named after public reports of other systems.

// ROCm/llvm-project PR#3049: a mapped cache file was changed on another machine,
// and the process died of SIGBUS. A file that is cut, emptied and written in
// place while it is read is a hit or a miss.
func TestFileChangedWhileReadLLVM3049(t *testing.T) {
	dir := t.TempDir() + "/cache"
	s := open(t, Options{Dir: dir})
	item := cachetest.Item(1, 300_000)
	cachetest.MustPut(t, s, testKey, item)
	path := s.entryPath(testKey)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i++ {
			_ = os.Truncate(path, int64(i*7919%len(whole)))
			if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
				_, _ = f.WriteAt(whole, 0)
				f.Close()
			}
		}
	}()
	hits, misses := 0, 0
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		got, err := s.Get(t.Context(), testKey)
		switch {
		case err == nil && bytes.Equal(got.Value, item.Value):
			hits++
		case cache.MissReason(err) == cache.Damaged:
			misses++
		default:
			t.Fatalf("%d bytes, %v", len(got.Value), err)
		}
	}
	stop.Store(true)
	<-done
	if hits == 0 || misses == 0 {
		t.Errorf("%d hits and %d misses: the two did not meet", hits, misses)
	}
	cachetest.MustPut(t, s, testKey, item)
	cachetest.WantItem(t, s, testKey, item)
}

// trimmingFS trims everything right before an entry gets its name.
type trimmingFS struct {
	*fsxtest.Mem
	before func()
}

func (f *trimmingFS) Rename(from, to string) error {
	f.before()
	return f.Mem.Rename(from, to)
}

// buchgr/bazel-remote#176 and PR#177: an entry evicted during its own upload left
// a file that nobody counted. What the folder holds is what is counted.
func TestTrimDuringPutBazelRemote176(t *testing.T) {
	fsys := &trimmingFS{Mem: fsxtest.NewMem()}
	s := open(t, Options{Dir: "/cache", FS: fsys})
	fsys.before = func() {
		// The clock of another machine is far ahead: the writer's file looks old.
		other := open(t, Options{Dir: "/cache", FS: fsys.Mem})
		other.now = func() time.Time { return time.Now().Add(2 * leftoverAfter) }
		if _, err := other.Trim(context.Background(), 0); err != nil {
			t.Error(err)
		}
	}
	for i := range 20 {
		// The writer's own file is gone, so it tries again, in vain.
		_ = s.Put(t.Context(), cachetest.Key(i%5), cachetest.Item(i, 5000))
		u, err := s.Usage(t.Context())
		if err != nil || u.Leftovers != 0 || u.Foreign != 0 || u.Bytes != int64(u.Entries)*footprint(5000+headSize+sumSize+100) {
			t.Errorf("round %d: %+v, %v", i, u, err)
		}
	}
	fsys.before = func() {}
	cachetest.MustPut(t, s, testKey, testItem)
	cachetest.WantItem(t, s, testKey, testItem)
}
