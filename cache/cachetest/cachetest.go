// Package cachetest is the suite that every cache.Store passes.
package cachetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/kilnjit/kiln/cache"
)

// Run checks the stores that open returns. Each call of open returns an empty
// store that holds at least 32 MiB and takes items.
func Run(t *testing.T, open func(testing.TB) cache.Store) {
	for _, c := range []struct {
		name  string
		check func(*testing.T, cache.Store)
	}{
		{"Absent", absent},
		{"RoundTrip", roundTrip},
		{"Replace", replace},
		{"CallerKeepsItsBytes", callerKeepsItsBytes},
		{"ManyKeys", manyKeys},
		{"NearKeys", nearKeys},
		{"BigValue", bigValue},
		{"Labels", labels},
		{"Cancelled", cancelled},
		{"Concurrent", concurrent},
		{"Close", closing},
		{"List", list},
		{"Verify", verify},
		{"Trim", trim},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
			c.check(t, s)
		})
	}
}

// Key returns the key of number i. No two of them have a byte pattern in common.
func Key(i int) cache.Key { return sha256.Sum256(fmt.Append(nil, "key ", i)) }

// Item returns an item of size bytes which is the same for the same numbers.
func Item(seed, size int) cache.Item {
	value := make([]byte, size)
	rnd := rand.NewChaCha8(sha256.Sum256(fmt.Append(nil, seed)))
	_, _ = rnd.Read(value)
	return cache.Item{
		Value:  value,
		Label:  fmt.Sprintf("test item %d of %d bytes", seed, size),
		Detail: fmt.Sprintf("seed: %d\nsize: %d\n", seed, size),
	}
}

// WantItem fails the test unless s returns want under key.
func WantItem(t testing.TB, s cache.Store, key cache.Key, want cache.Item) {
	t.Helper()
	got, err := s.Get(context.Background(), key)
	if err != nil {
		t.Errorf("Get: %v", err)
		return
	}
	if !bytes.Equal(got.Value, want.Value) {
		t.Errorf("Get returned %d other bytes than the %d stored", len(got.Value), len(want.Value))
	}
	if got.Label != want.Label {
		t.Errorf("Get returned label %q, want %q", got.Label, want.Label)
	}
	if got.Detail != "" && got.Detail != want.Detail {
		t.Errorf("Get returned detail %q, want %q or none", got.Detail, want.Detail)
	}
}

// WantMiss fails the test unless Get of key is a miss for the reason why.
func WantMiss(t testing.TB, s cache.Store, key cache.Key, why cache.Reason) {
	t.Helper()
	got, err := s.Get(context.Background(), key)
	miss, ok := errors.AsType[*cache.MissError](err)
	if !ok || !errors.Is(err, cache.ErrMiss) || miss.Reason != why {
		t.Errorf("Get = %v, want a miss for %q", err, why)
		return
	}
	if miss.Key != key || miss.Store == "" {
		t.Errorf("the miss names key %v and store %q, want key %v", miss.Key, miss.Store, key)
	}
	if got.Value != nil || got.Label != "" {
		t.Errorf("a miss came with an item of %d bytes, label %q", len(got.Value), got.Label)
	}
}

// MustPut stores item, or ends the test.
func MustPut(t testing.TB, s cache.Store, key cache.Key, item cache.Item) {
	t.Helper()
	if err := s.Put(context.Background(), key, item); err != nil {
		t.Fatalf("Put: %v", err)
	}
}

func absent(t *testing.T, s cache.Store) {
	if s.Name() == "" {
		t.Error("the store has no name")
	}
	WantMiss(t, s, Key(1), cache.Absent)
	WantMiss(t, s, cache.Key{}, cache.Absent)
	stats := s.Stats()
	if stats.Misses[cache.Absent] != 2 || stats.Missed() != 2 || stats.Hits != 0 || stats.GetErrors != 0 {
		t.Errorf("after two absent keys: %+v", stats)
	}
}

func roundTrip(t *testing.T, s cache.Store) {
	var in, out int64
	for i, size := range []int{0, 1, 31, 32, 33, 4095, 4096, 10_240, 100_001} {
		item := Item(i, size)
		MustPut(t, s, Key(i), item)
		WantItem(t, s, Key(i), item)
		WantItem(t, s, Key(i), item)
		in, out = in+int64(size), out+2*int64(size)
	}
	stats := s.Stats()
	if stats.Puts != 9 || stats.Hits != 18 || stats.Missed() != 0 || stats.BytesIn != in || stats.BytesOut != out {
		t.Errorf("after 9 puts of %d bytes and 18 hits of %d: %+v", in, out, stats)
	}
}

func replace(t *testing.T, s cache.Store) {
	for i, size := range []int{100, 5000, 0, 10} {
		item := Item(i, size)
		MustPut(t, s, Key(0), item)
		WantItem(t, s, Key(0), item)
	}
}

func callerKeepsItsBytes(t *testing.T, s cache.Store) {
	want := Item(1, 1000)
	given := cache.Item{Value: bytes.Clone(want.Value), Label: want.Label}
	MustPut(t, s, Key(1), given)
	clear(given.Value)
	WantItem(t, s, Key(1), want)
}

func manyKeys(t *testing.T, s cache.Store) {
	const n = 100
	for i := range n {
		MustPut(t, s, Key(i), Item(i, i))
	}
	for i := range n {
		WantItem(t, s, Key(i), Item(i, i))
	}
	WantMiss(t, s, Key(n), cache.Absent)
}

// nearKeys are keys that differ in one bit: each byte must count.
func nearKeys(t *testing.T, s cache.Store) {
	base := Key(7)
	MustPut(t, s, base, Item(0, 8))
	for i := range base {
		near := base
		near[i] ^= 1
		WantMiss(t, s, near, cache.Absent)
		MustPut(t, s, near, Item(i+1, 8))
	}
	WantItem(t, s, base, Item(0, 8))
	for i := range base {
		near := base
		near[i] ^= 1
		WantItem(t, s, near, Item(i+1, 8))
	}
}

func bigValue(t *testing.T, s cache.Store) {
	item := Item(1, 16<<20)
	MustPut(t, s, Key(1), item)
	WantItem(t, s, Key(1), item)
}

func labels(t *testing.T, s cache.Store) {
	for i, label := range []string{"", "image größe x86-64", "a\nb\x1b[2J\x00\xff", strings.Repeat("é", cache.MaxLabel)} {
		item := Item(i, 20)
		item.Label, item.Detail = label, label
		MustPut(t, s, Key(i), item)
		item.Label, item.Detail = cache.CleanLabel(label), cache.CleanDetail(label)
		WantItem(t, s, Key(i), item)
	}
}

func cancelled(t *testing.T, s cache.Store) {
	MustPut(t, s, Key(1), Item(1, 10))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Get(ctx, Key(1)); !errors.Is(err, context.Canceled) || errors.Is(err, cache.ErrMiss) {
		t.Errorf("Get = %v, want context.Canceled and no miss", err)
	}
	if err := s.Put(ctx, Key(1), Item(2, 10)); !errors.Is(err, context.Canceled) {
		t.Errorf("Put = %v, want context.Canceled", err)
	}
	WantItem(t, s, Key(1), Item(1, 10))
	if stats := s.Stats(); stats.GetErrors != 1 || stats.PutErrors != 1 || stats.Missed() != 0 {
		t.Errorf("stats %+v, want one error of Get and one of Put", stats)
	}
}

// concurrent has writers and readers on few keys; each value tells its key, so
// that a reader knows a mixed-up or partial one.
func concurrent(t *testing.T, s cache.Store) {
	const workers, rounds, keys = 8, 60, 5
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(w)))
			for range rounds {
				k := rnd.IntN(keys)
				if rnd.IntN(2) == 0 {
					if err := s.Put(context.Background(), Key(k), Item(k, 3000+k)); err != nil {
						t.Errorf("Put: %v", err)
					}
					continue
				}
				got, err := s.Get(context.Background(), Key(k))
				if err == nil && !bytes.Equal(got.Value, Item(k, 3000+k).Value) {
					t.Errorf("key %d: wrong bytes", k)
				}
				if err != nil && cache.MissReason(err) != cache.Absent {
					t.Errorf("key %d: %v", k, err)
				}
			}
		})
	}
	group.Wait()
	stats := s.Stats()
	if got := stats.Hits + stats.Missed() + stats.Puts; got != workers*rounds {
		t.Errorf("hits, misses and puts are %d, want %d", got, workers*rounds)
	}
}

func closing(t *testing.T, s cache.Store) {
	MustPut(t, s, Key(1), Item(1, 10))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	if _, err := s.Get(t.Context(), Key(1)); !errors.Is(err, cache.ErrClosed) || errors.Is(err, cache.ErrMiss) {
		t.Errorf("Get after Close = %v, want ErrClosed and no miss", err)
	}
	if err := s.Put(t.Context(), Key(1), Item(1, 10)); !errors.Is(err, cache.ErrClosed) {
		t.Errorf("Put after Close = %v, want ErrClosed", err)
	}
	if stats := s.Stats(); stats.GetErrors != 1 || stats.PutErrors != 1 || stats.Puts != 1 {
		t.Errorf("stats after Close: %+v", stats)
	}
}
