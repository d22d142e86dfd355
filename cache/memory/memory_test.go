package memory_test

import (
	"testing"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/cachetest"
	"github.com/kilnjit/kiln/cache/memory"
)

func TestStore(t *testing.T) {
	cachetest.Run(t, func(testing.TB) cache.Store { return memory.New(memory.Options{}) })
}

func TestTiered(t *testing.T) {
	cachetest.Run(t, func(testing.TB) cache.Store {
		return cache.NewTiered(memory.New(memory.Options{MaxBytes: 100}), memory.New(memory.Options{}))
	})
}

func TestLeastRecentlyUsedGoesFirst(t *testing.T) {
	const size = 10_000
	s := memory.New(memory.Options{MaxBytes: 3*size + 3*1000})
	for i := range 3 {
		cachetest.MustPut(t, s, cachetest.Key(i), cachetest.Item(i, size))
	}
	cachetest.WantItem(t, s, cachetest.Key(0), cachetest.Item(0, size))
	cachetest.MustPut(t, s, cachetest.Key(3), cachetest.Item(3, size))
	cachetest.WantMiss(t, s, cachetest.Key(1), cache.Absent)
	for _, i := range []int{0, 2, 3} {
		cachetest.WantItem(t, s, cachetest.Key(i), cachetest.Item(i, size))
	}
	if got := s.Stats().Evictions; got != 1 {
		t.Errorf("%d evictions, want 1", got)
	}
}

func TestTooLargeIsNotKept(t *testing.T) {
	s := memory.New(memory.Options{MaxBytes: 5000})
	cachetest.MustPut(t, s, cachetest.Key(1), cachetest.Item(1, 100))
	cachetest.MustPut(t, s, cachetest.Key(2), cachetest.Item(2, 100))
	cachetest.MustPut(t, s, cachetest.Key(1), cachetest.Item(1, 5000))
	cachetest.WantMiss(t, s, cachetest.Key(1), cache.Absent)
	cachetest.WantItem(t, s, cachetest.Key(2), cachetest.Item(2, 100))
}

func TestNegativeBoundKeepsNothing(t *testing.T) {
	s := memory.New(memory.Options{MaxBytes: -1})
	cachetest.MustPut(t, s, cachetest.Key(1), cachetest.Item(1, 0))
	cachetest.WantMiss(t, s, cachetest.Key(1), cache.Absent)
}

func TestGetAllocatesNothing(t *testing.T) {
	s := memory.New(memory.Options{})
	key := cachetest.Key(1)
	cachetest.MustPut(t, s, key, cachetest.Item(1, 10_240))
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		if _, err := s.Get(ctx, key); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkGet10KB(b *testing.B) {
	s := memory.New(memory.Options{})
	key := cachetest.Key(1)
	cachetest.MustPut(b, s, key, cachetest.Item(1, 10_240))
	for b.Loop() {
		if _, err := s.Get(b.Context(), key); err != nil {
			b.Fatal(err)
		}
	}
}
