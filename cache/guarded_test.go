package cache

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sickStore does what the test says, after a wait that no context ends.
type sickStore struct {
	*mapStore
	calls atomic.Int64
	hang  time.Duration
}

func (s *sickStore) Get(ctx context.Context, key Key) (Item, error) {
	s.calls.Add(1)
	time.Sleep(s.hang)
	return s.mapStore.Get(ctx, key)
}

func guarded(o GuardOptions) (*Guarded, *sickStore) {
	sick := &sickStore{mapStore: &mapStore{name: "remote", items: map[Key]Item{{1}: {Value: []byte("code")}}}}
	return NewGuarded(sick, o), sick
}

// mozilla/sccache#2820, #176 and PR#79: a remote that was sick made each compile
// wait for 60 s, and errors were counted as misses. A call waits no longer than
// it may, after some failures none is made, and one tries again later.
func TestSickRemoteSccache2820(t *testing.T) { synctest.Test(t, sickRemote) }

func sickRemote(t *testing.T) {
	g, sick := guarded(GuardOptions{Wait: 20 * time.Millisecond, Failures: 2, Rest: time.Minute})
	key := Key{1}
	if item, err := g.Get(t.Context(), key); err != nil || string(item.Value) != "code" {
		t.Fatalf("healthy: %q, %v", item.Value, err)
	}
	sick.hang = 200 * time.Millisecond
	for range 2 {
		began := time.Now()
		if _, err := g.Get(t.Context(), key); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrMiss) {
			t.Errorf("hanging: %v", err)
		}
		if took := time.Since(began); took != 20*time.Millisecond {
			t.Errorf("it took %v", took)
		}
	}
	time.Sleep(300 * time.Millisecond)
	synctest.Wait() // for the calls that hang
	sick.hang = 0
	sick.calls.Store(0)
	for range 100 {
		if _, err := g.Get(t.Context(), key); !errors.Is(err, ErrResting) || errors.Is(err, ErrMiss) {
			t.Fatalf("resting: %v", err)
		}
		if err := g.Put(t.Context(), key, Item{}); !errors.Is(err, ErrResting) {
			t.Fatalf("resting: Put = %v", err)
		}
	}
	if sick.calls.Load() != 0 || sick.puts != 0 {
		t.Errorf("%d calls while it rests", sick.calls.Load())
	}

	// One call tries it again, in vain; the next rest begins.
	time.Sleep(61 * time.Second)
	sick.getErr = errors.New("500")
	if _, err := g.Get(t.Context(), key); err != sick.getErr {
		t.Errorf("the probe: %v", err)
	}
	if _, err := g.Get(t.Context(), key); !errors.Is(err, ErrResting) || sick.calls.Load() != 1 {
		t.Errorf("after it: %v, %d calls", err, sick.calls.Load())
	}
	time.Sleep(61 * time.Second)
	sick.getErr = nil
	for range 3 {
		if _, err := g.Get(t.Context(), key); err != nil {
			t.Errorf("healthy again: %v", err)
		}
	}
	want := Stats{Hits: 4, BytesOut: 16, Misses: map[Reason]int64{}, GetErrors: 104, PutErrors: 100}
	if d := cmp.Diff(want, g.Stats()); d != "" {
		t.Error(d)
	}
}

// Misses, a caller who leaves and a store that takes nothing are no failures.
func TestGuardedTellsFailuresFromAnswers(t *testing.T) { synctest.Test(t, answersAndFailures) }

func answersAndFailures(t *testing.T) {
	g, sick := guarded(GuardOptions{Failures: 1})
	for range 3 {
		if _, err := g.Get(t.Context(), Key{2}); MissReason(err) != Absent {
			t.Errorf("a miss: %v", err)
		}
		sick.putErr = ErrReadOnly
		if err := g.Put(t.Context(), Key{2}, Item{}); !errors.Is(err, ErrReadOnly) {
			t.Errorf("read-only: %v", err)
		}
		sick.hang = 50 * time.Millisecond
		short, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		if _, err := g.Get(short, Key{1}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller who leaves: %v", err)
		}
		cancel()
		if _, err := g.Get(short, Key{1}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a caller who has left: %v", err)
		}
		time.Sleep(80 * time.Millisecond)
		synctest.Wait()
		sick.hang = 0
	}
	if s := g.Stats(); s.Missed() != 3 || s.PutErrors != 0 || s.GetErrors != 6 {
		t.Errorf("%+v", s)
	}
	if g.Name() != "remote" || g.Unwrap() != Store(sick) || g.Close() != nil || sick.closes != 1 {
		t.Error("the guard does not pass on what is the store's")
	}
}
