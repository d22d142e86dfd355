package disk

import (
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
		b.Run("", func(b *testing.B) {
			s := open(b, Options{})
			for i := range n {
				cachetest.MustPut(b, s, cachetest.Key(i), cachetest.Item(i, 10_240))
			}
			i := 0
			for b.Loop() {
				if _, err := s.Get(b.Context(), cachetest.Key(i)); err != nil {
					b.Fatal(err)
				}
				i = (i + 1) % n
			}
		})
	}
}
