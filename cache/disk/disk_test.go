package disk

import (
	"fmt"
	"os"
	"testing"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/cache/memory"
)

func open(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir() + "/cache"
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStore(t *testing.T) {
	cachetest.Run(t, func(t testing.TB) cache.Store { return open(t, Options{}) })
}

func TestTiered(t *testing.T) {
	cachetest.Run(t, func(t testing.TB) cache.Store {
		return cache.NewTiered(memory.New(memory.Options{MaxBytes: 10_000}), open(t, Options{}))
	})
}

func BenchmarkGet10KB(b *testing.B) {
	for _, n := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			s := open(b, Options{})
			keys := fill(b, s, n)
			ctx, i := b.Context(), 0
			for b.Loop() {
				if _, err := s.Get(ctx, keys[i]); err != nil {
					b.Fatal(err)
				}
				i = (i + 1) % n
			}
		})
	}
}

// fill writes n entries of 10 KB without the syncs of Put and returns their keys.
func fill(b *testing.B, s *Store, n int) []cache.Key {
	b.Helper()
	keys := make([]cache.Key, n)
	for i := range n {
		keys[i] = cachetest.Key(i)
		_ = os.Mkdir(s.prefixPath(keys[i]), 0o700)
		if err := os.WriteFile(s.entryPath(keys[i]), encoded(b, keys[i], cachetest.Item(i, 10_240)), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return keys
}

func BenchmarkScan(b *testing.B) {
	s := open(b, Options{})
	fill(b, s, 10_000)
	for b.Loop() {
		if u, err := s.Usage(b.Context()); err != nil || u.Entries != 10_000 {
			b.Fatal(u, err)
		}
	}
}

func BenchmarkPut10KB(b *testing.B) {
	s := open(b, Options{})
	item := cachetest.Item(0, 10_240)
	for b.Loop() {
		cachetest.MustPut(b, s, testKey, item)
	}
}
