package cpu

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kilnjit/kiln/device"
)

type workParams struct{ ticks, threads, began *uint64 }

type workload struct {
	ticks, threads, began []uint64
	params                []byte
}

// newWorkload is groups that take the given times.
func newWorkload(times ...time.Duration) *workload {
	w := &workload{make([]uint64, len(times)), make([]uint64, len(times)), make([]uint64, len(times)), nil}
	for i, d := range times {
		w.ticks[i] = uint64(d) * tickRate() / 1000
	}
	w.params = block(&workParams{&w.ticks[0], &w.threads[0], &w.began[0]})
	return w
}

// participants returns the number of threads that groups ran on; it fails for
// a group that was not run.
func (w *workload) participants(t *testing.T) int {
	t.Helper()
	threads := map[uint64]bool{}
	for g, thread := range w.threads {
		if thread == 0 {
			t.Errorf("group %d was not run", g)
		}
		threads[thread] = true
	}
	return len(threads)
}

func TestLongLaunchesAreShared(t *testing.T) {
	for _, groups := range []int{2, 3, 16, 63, 64, 500} {
		d := open(t, 4)
		w := newWorkload(slices.Repeat([]time.Duration{time.Second / 100 / time.Duration(min(groups, 20))}, groups)...)
		f := kernel(t, d, "work")
		// The system may not give a worker a processor in time.
		most := 0
		for range 20 {
			clear(w.threads)
			run(t, f, over(groups, w.params))
			if most = max(most, w.participants(t)); most > 1 {
				break
			}
		}
		if most < 2 || most > 4 {
			t.Errorf("%d groups were run by %d threads", groups, most)
		}
	}
}

// TestUnbalancedGroups: neither what a kernel took before nor its first groups
// say that the later ones are short.
func TestUnbalancedGroups(t *testing.T) {
	times := make([]time.Duration, 400)
	short := newWorkload(times...)
	for i := range times[300:] {
		times[300+i] = time.Millisecond
	}
	long := newWorkload(times...)
	d := open(t, 2)
	untilWorkersTookPart(t, 5, func() bool {
		f := kernel(t, d, "work")
		for range 20 {
			run(t, f, over(len(times), short.params))
		}
		clear(long.threads)
		run(t, f, over(len(times), long.params))
		return long.participants(t) == 2
	})
}

func TestShortLaunchesStayOnTheirThread(t *testing.T) {
	d := open(t, 4)
	f := kernel(t, d, "work")
	w := newWorkload(slices.Repeat([]time.Duration{100}, 100)...)
	shared := 0
	for range 50 {
		clear(w.threads)
		run(t, f, over(100, w.params))
		if w.participants(t) > 1 {
			shared++
		}
		time.Sleep(time.Millisecond)
	}
	// A launch that the system interrupts looks like a long one.
	if shared > 10 {
		t.Errorf("%d of 50 launches were shared", shared)
	}
}

func TestOneWorkerHasNoPool(t *testing.T) {
	d := open(t, 1)
	w := newWorkload(slices.Repeat([]time.Duration{time.Millisecond}, 20)...)
	run(t, kernel(t, d, "work"), over(20, w.params))
	if n := w.participants(t); n != 1 {
		t.Errorf("run by %d threads", n)
	}
	awaitWorkers(t, 0)
}

// TestSleepersWakeEachOther: a long launch gets all workers, though its caller
// wakes only two.
func TestSleepersWakeEachOther(t *testing.T) {
	d := open(t, 9)
	f := kernel(t, d, "work")
	w := newWorkload(slices.Repeat([]time.Duration{time.Millisecond}, 200)...)
	run(t, f, over(200, w.params))
	untilWorkersTookPart(t, 10, func() bool {
		time.Sleep(5 * time.Millisecond)
		clear(w.threads)
		run(t, f, over(200, w.params))
		return w.participants(t) > 3
	})
}

// TestShortLaunchesInARow: workers are woken for launches that are too short
// to wake one for, when they come often.
func TestShortLaunchesInARow(t *testing.T) {
	d := open(t, 2)
	f := kernel(t, d, "work")
	w := newWorkload(slices.Repeat([]time.Duration{500}, 100)...) // 50 µs in all
	shared := 0
	for deadline := time.Now().Add(2 * time.Second); shared < 3 && time.Now().Before(deadline); {
		clear(w.threads)
		run(t, f, over(100, w.params))
		if w.participants(t) == 2 {
			shared++
		}
	}
	if shared < 3 {
		t.Errorf("%d launches were shared in two seconds", shared)
	}
}

// workerThreads returns the ids of the process's workers.
func workerThreads(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("/proc/self/task/*/comm")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, name := range names {
		// A thread may have ended since.
		if comm, err := os.ReadFile(name); err == nil && strings.TrimSpace(string(comm)) == "kiln-worker" {
			ids = append(ids, filepath.Base(filepath.Dir(name)))
		}
	}
	return ids
}

// awaitWorkers waits for the process to have n workers. A thread takes its name
// once it runs, and is seen for a moment after it has ended.
func awaitWorkers(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); len(workerThreads(t)) != n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d workers, want %d", len(workerThreads(t)), n)
		}
	}
}

// TestDevices: devices have pools of their own.
func TestDevices(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 3 {
		d := open(t, 2+i)
		f := kernel(t, d, "mark")
		wg.Go(func() {
			for j := range 30 {
				if err := mark(f, device.Dim{X: uint32(1 + j*10), Y: 3, Z: 1}); err != nil {
					t.Error(fmt.Errorf("device %d: %w", i, err))
				}
			}
		})
	}
	wg.Wait()
}
