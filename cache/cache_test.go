package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParseKey(t *testing.T) {
	want := Key{0: 0xab, 15: 7, 31: 0x01}
	text := want.String()
	if got, err := ParseKey(text); err != nil || got != want {
		t.Errorf("ParseKey(%q) = %v, %v", text, got, err)
	}
	if got, err := ParseKey(strings.ToUpper(text)); err != nil || got != want {
		t.Errorf("ParseKey(upper case) = %v, %v", got, err)
	}
	for _, bad := range []string{"", "ab", text[:63], text + "0", strings.Repeat("g", 64)} {
		if got, err := ParseKey(bad); err == nil || got != (Key{}) {
			t.Errorf("ParseKey(%q) = %v, %v; want an error and the zero key", bad, got, err)
		}
	}
}

func TestCleanLabel(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"image saxpy x86-64/znver4", "image saxpy x86-64/znver4"},
		{"image größe", "image größe"},
		{"a\nb\x1b[31mc\x00", "a?b?[31mc?"},
		{"bad \xff\xfe utf8", "bad ?? utf8"},
		{strings.Repeat("x", MaxLabel+9), strings.Repeat("x", MaxLabel)},
		{strings.Repeat("x", MaxLabel-1) + "é", strings.Repeat("x", MaxLabel-1)},
		{strings.Repeat("x", MaxLabel-2) + "é", strings.Repeat("x", MaxLabel-2) + "é"},
		{strings.Repeat("\x80", MaxLabel+1), strings.Repeat("?", MaxLabel-utf8.UTFMax)},
	} {
		got := CleanLabel(c.in)
		if got != c.want {
			t.Errorf("CleanLabel(%q) = %q, want %q", c.in, got, c.want)
		}
		if again := CleanLabel(got); again != got {
			t.Errorf("CleanLabel(%q) is not stable: %q", got, again)
		}
	}
}

func TestCleanDetail(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"kernel: \"k\"\nopt: O3\n", "kernel: \"k\"\nopt: O3\n"},
		{"a\r\nb\x1b[31mc\x00\xff", "a?\nb?[31mc??"},
		{strings.Repeat("x", MaxDetail+9), strings.Repeat("x", MaxDetail)},
		{strings.Repeat("x", MaxDetail-1) + "é", strings.Repeat("x", MaxDetail-1)},
	} {
		got := CleanDetail(c.in)
		if got != c.want {
			t.Errorf("CleanDetail(%.40q) = %.40q, want %.40q", c.in, got, c.want)
		}
		if again := CleanDetail(got); again != got {
			t.Errorf("CleanDetail(%.40q) is not stable: %.40q", got, again)
		}
	}
}

func TestMissError(t *testing.T) {
	cause := errors.New("sum differs")
	err := fmt.Errorf("loading kernel: %w", &MissError{Store: "disk /c", Key: Key{1}, Reason: Damaged, Err: cause})
	if !errors.Is(err, ErrMiss) || !errors.Is(err, cause) || errors.Is(err, ErrClosed) {
		t.Errorf("%v: wrong matches", err)
	}
	if got := MissReason(err); got != Damaged {
		t.Errorf("MissReason = %q", got)
	}
	if got := MissReason(ErrMiss); got != Absent {
		t.Errorf("MissReason(ErrMiss) = %q", got)
	}
	if got := MissReason(ErrClosed); got != "" {
		t.Errorf("MissReason(ErrClosed) = %q", got)
	}
	want := "loading kernel: cache miss in disk /c: key 01" + strings.Repeat("00", 31) + " damaged: sum differs"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
}

func TestCounters(t *testing.T) {
	var c Counters
	c.Hit(10)
	c.Hit(5)
	c.Miss(Absent)
	c.Miss(Damaged)
	c.Miss(Damaged)
	c.Miss("no such reason")
	c.GetError()
	c.Put(100)
	c.PutError()
	c.Evict(3)
	c.UpkeepError()
	want := Stats{
		Hits: 2, BytesOut: 15, GetErrors: 1,
		Misses: map[Reason]int64{Absent: 1, Damaged: 2, Unreadable: 1},
		Puts:   1, BytesIn: 100, PutErrors: 1, Evictions: 3, UpkeepErrors: 1,
	}
	got := c.Stats()
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got.Missed() != 4 {
		t.Errorf("Missed = %d, want 4", got.Missed())
	}
}

// mapStore is a tier whose faults the test sets.
type mapStore struct {
	name           string
	items          map[Key]Item
	getErr, putErr error
	puts, closes   int
	Counters
}

func (m *mapStore) Name() string { return m.name }

func (m *mapStore) Get(_ context.Context, key Key) (Item, error) {
	if m.getErr != nil {
		return Item{}, m.getErr
	}
	if item, ok := m.items[key]; ok {
		return item, nil
	}
	return Item{}, &MissError{Store: m.name, Key: key, Reason: Absent}
}

func (m *mapStore) Put(_ context.Context, key Key, item Item) error {
	m.puts++
	if m.putErr != nil {
		return m.putErr
	}
	m.items[key] = item
	return nil
}

func (m *mapStore) Close() error { m.closes++; return nil }

func threeTiers() (near, mid, far *mapStore, tiered *Tiered) {
	near = &mapStore{name: "near", items: map[Key]Item{}}
	mid = &mapStore{name: "mid", items: map[Key]Item{}}
	far = &mapStore{name: "far", items: map[Key]Item{}}
	return near, mid, far, NewTiered(near, mid, far)
}

func TestTieredHitFillsNearerTiers(t *testing.T) {
	near, mid, far, tiered := threeTiers()
	key, item := Key{1}, Item{Value: []byte("code"), Label: "image k"}
	mid.items[key] = item
	got, err := tiered.Get(t.Context(), key)
	if d := cmp.Diff(item, got); err != nil || d != "" {
		t.Fatalf("Get: %v\n%s", err, d)
	}
	if d := cmp.Diff(map[Key]Item{key: item}, near.items); d != "" {
		t.Errorf("near tier not filled, label included:\n%s", d)
	}
	if far.puts != 0 || mid.puts != 0 {
		t.Errorf("puts: mid %d, far %d; want none", mid.puts, far.puts)
	}
	if s := tiered.Stats(); s.Hits != 1 || s.BytesOut != 4 || s.Puts != 0 {
		t.Errorf("stats %+v", s)
	}
}

// localStore is a tier on a disk of this machine.
type localStore struct{ *mapStore }

func (localStore) Local() bool { return true }

// A hit in the system's folder fills the memory, not the user's folder.
func TestTieredLocalHitFillsNoLocalTier(t *testing.T) {
	near, mid, far, _ := threeTiers()
	tiered := NewTiered(near, localStore{mid}, localStore{far})
	key, item := Key{1}, Item{Value: []byte("code"), Label: "image k", Detail: "opt: O3"}
	far.items[key] = item
	if got, err := tiered.Get(t.Context(), key); err != nil || cmp.Diff(item, got) != "" {
		t.Fatalf("Get: %v", err)
	}
	if near.puts != 1 || mid.puts != 0 || cmp.Diff(item, near.items[key]) != "" {
		t.Errorf("puts: near %d, mid %d; want 1 and 0", near.puts, mid.puts)
	}
	if err := tiered.Put(t.Context(), Key{2}, item); err != nil || mid.puts != 1 || far.puts != 1 {
		t.Errorf("Put: %v, mid %d, far %d", err, mid.puts, far.puts)
	}
}

func TestTieredPassesOverFaults(t *testing.T) {
	near, mid, far, tiered := threeTiers()
	down := errors.New("remote down")
	near.getErr, near.putErr = down, down
	mid.putErr = ErrReadOnly
	key, item := Key{2}, Item{Value: []byte("x")}
	far.items[key] = item
	if got, err := tiered.Get(t.Context(), key); err != nil || string(got.Value) != "x" {
		t.Errorf("Get behind two faulty tiers = %q, %v", got.Value, err)
	}

	other := Key{3}
	err := tiered.Put(t.Context(), other, item)
	if !errors.Is(err, down) || errors.Is(err, ErrReadOnly) {
		t.Errorf("Put = %v; want only the fault of the near tier", err)
	}
	if _, ok := far.items[other]; !ok {
		t.Error("Put did not reach the far tier")
	}
	near.putErr = ErrReadOnly
	if err := tiered.Put(t.Context(), other, item); err != nil {
		t.Errorf("Put past two read-only tiers = %v", err)
	}
	far.putErr = ErrReadOnly
	if err := tiered.Put(t.Context(), other, item); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Put with read-only tiers alone = %v, want ErrReadOnly", err)
	}
}

func TestTieredErrorIsTheMostTelling(t *testing.T) {
	near, mid, far, tiered := threeTiers()
	key := Key{4}
	if _, err := tiered.Get(t.Context(), key); MissReason(err) != Absent {
		t.Errorf("Get = %v, want absent", err)
	}
	mid.getErr = &MissError{Store: "mid", Key: key, Reason: Damaged}
	if _, err := tiered.Get(t.Context(), key); MissReason(err) != Damaged {
		t.Errorf("Get = %v, want damaged", err)
	}
	down := errors.New("remote down")
	far.getErr = down
	if _, err := tiered.Get(t.Context(), key); !errors.Is(err, down) || errors.Is(err, ErrMiss) {
		t.Errorf("Get = %v, want the fault of the far tier", err)
	}
	want := Stats{Misses: map[Reason]int64{Absent: 1, Damaged: 1}, GetErrors: 1}
	if d := cmp.Diff(want, tiered.Stats()); d != "" {
		t.Error(d)
	}
	if near.puts != 0 {
		t.Error("a miss filled a tier")
	}
}

func TestTieredClosesOnce(t *testing.T) {
	near, mid, far, tiered := threeTiers()
	for range 2 {
		if err := tiered.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if near.closes != 1 || mid.closes != 1 || far.closes != 1 {
		t.Errorf("closes %d %d %d, want 1 each", near.closes, mid.closes, far.closes)
	}
	if tiered.Name() != "near + mid + far" {
		t.Errorf("Name = %q", tiered.Name())
	}
}
