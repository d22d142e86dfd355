package cachetest

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/kilnjit/kiln/cache"
)

// The checks of this file pass over what a store does not offer.

func list(t *testing.T, s cache.Store) {
	l, ok := s.(cache.Lister)
	if !ok {
		t.Skipf("%T is no cache.Lister", s)
	}
	wantListed(t, s, l.List)
}

func verify(t *testing.T, s cache.Store) {
	v, ok := s.(cache.Verifier)
	if !ok {
		t.Skipf("%T is no cache.Verifier", s)
	}
	wantListed(t, s, v.Verify)
}

func wantListed(t *testing.T, s cache.Store, list func(context.Context) iter.Seq2[cache.Info, error]) {
	for _, err := range list(t.Context()) {
		t.Errorf("an empty store lists something, error %v", err)
	}
	const n = 20
	index := map[cache.Key]int{}
	for i := range n {
		MustPut(t, s, Key(i), Item(i, 10*i))
		index[Key(i)] = i
	}
	for info, err := range list(t.Context()) {
		if err != nil {
			t.Errorf("listing: %v", err)
			continue
		}
		i, ok := index[info.Key]
		if !ok {
			t.Errorf("key %v is listed twice, or was never stored", info.Key)
			continue
		}
		delete(index, info.Key)
		if info.Label != Item(i, 10*i).Label || info.Bytes != int64(10*i) || info.Footprint <= info.Bytes {
			t.Errorf("item %d is listed as %+v", i, info)
		}
		if time.Since(info.Stored).Abs() > time.Minute || time.Since(info.Used).Abs() > time.Minute {
			t.Errorf("item %d: stored %v, used %v", i, info.Stored, info.Used)
		}
	}
	if len(index) > 0 {
		t.Errorf("%d of %d items are not listed", len(index), n)
	}
	for range list(t.Context()) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	for _, last = range list(ctx) {
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("the last error of a cancelled listing is %v", last)
	}
}

func trim(t *testing.T, s cache.Store) {
	tr, ok := s.(cache.Trimmer)
	if !ok {
		t.Skipf("%T is no cache.Trimmer", s)
	}
	const n, size = 20, 1000
	for i := range n {
		MustPut(t, s, Key(i), Item(i, size))
	}
	if err := tr.Remove(t.Context(), Key(0)); err != nil {
		t.Errorf("Remove: %v", err)
	}
	if err := tr.Remove(t.Context(), Key(0)); err != nil {
		t.Errorf("Remove of an absent key: %v", err)
	}
	WantMiss(t, s, Key(0), cache.Absent)
	wantUsage(t, s, n-1)

	done, err := tr.Trim(t.Context(), 1<<40)
	if err != nil || done.Entries != 0 || done.Kept != n-1 {
		t.Errorf("Trim with room for all = %+v, %v", done, err)
	}
	each := done.KeptBytes / (n - 1)
	if each < size {
		t.Fatalf("%d entries of %d bytes are said to take %d", n-1, size, done.KeptBytes)
	}
	done, err = tr.Trim(t.Context(), done.KeptBytes-1)
	if err != nil || done.Entries != 1 || done.Kept != n-2 {
		t.Errorf("Trim by one byte = %+v, %v; want one entry removed", done, err)
	}
	wantUsage(t, s, n-2)
	if got := s.Stats().Evictions; got != 1 {
		t.Errorf("%d evictions counted, want 1", got)
	}
	done, err = tr.Trim(t.Context(), 0)
	if err != nil || done.Entries != n-2 || done.Kept != 0 || done.KeptBytes != 0 {
		t.Errorf("Trim to nothing = %+v, %v", done, err)
	}
	for i := range n {
		WantMiss(t, s, Key(i), cache.Absent)
	}
	wantUsage(t, s, 0)
	MustPut(t, s, Key(3), Item(3, size))
	WantItem(t, s, Key(3), Item(3, size))
}

func wantUsage(t *testing.T, s cache.Store, entries int) {
	t.Helper()
	sizer, ok := s.(cache.Sizer)
	if !ok {
		return
	}
	u, err := sizer.Usage(t.Context())
	if err != nil || u.Entries != entries || (u.Bytes > 0) != (entries > 0) || u.Bytes > u.MaxBytes {
		t.Errorf("Usage = %+v, %v; want %d entries", u, err, entries)
	}
}
