package cpu

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
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

func TestUnbalancedGroups(t *testing.T) {
	// The first groups say nothing of the later ones, which are long.
	times := make([]time.Duration, 400)
	for i := range times[300:] {
		times[300+i] = 200 * time.Microsecond
	}
	d := open(t, 2)
	untilWorkersTookPart(t, func() bool {
		w := newWorkload(times...)
		run(t, kernel(t, d, "work"), over(len(times), w.params))
		return w.participants(t) == 2
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
	if n := len(workerThreads(t)); n != 0 {
		t.Errorf("%d workers", n)
	}
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

func mappings(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(maps), "\n")
}

func TestOpenAndClose(t *testing.T) {
	cycle := func() {
		d, err := Open(Options{Workers: 4})
		if err != nil {
			t.Fatal(err)
		}
		im := imageOf(t, "kernels.c", "work", image.Grid)
		im.ContextBytes = 1 << 20
		lib, err := d.Load(context.Background(), im)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorkload(slices.Repeat([]time.Duration{100 * time.Microsecond}, 8)...)
		if err := lib.Function().Launch(over(8, w.params)); err != nil {
			t.Fatal(err)
		}
		// A thread takes its name once it runs.
		for deadline := time.Now().Add(5 * time.Second); len(workerThreads(t)) != 3; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d workers, want 3", len(workerThreads(t)))
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 {
		cycle()
	}
	before := mappings(t)
	for range 100 {
		cycle()
	}
	if n := len(workerThreads(t)); n != 0 {
		t.Errorf("%d workers left", n)
	}
	// The C library keeps a few stacks, and Go maps memory as it likes.
	if after := mappings(t); after > before+30 {
		t.Errorf("%d mappings before, %d after", before, after)
	}
}

func TestCloseWaitsForLaunches(t *testing.T) {
	for _, groups := range []int{1, 4} {
		d := open(t, 2)
		f := kernel(t, d, "flags")
		begun, ended := new(uint32), new(uint32)
		p := &struct {
			begun, ended *uint32
			ticks        uint64
		}{begun, ended, 30_000 * tickRate()}
		done := make(chan error, 1)
		go func() { done <- f.Launch(over(groups, block(p))) }()
		for atomic.LoadUint32(begun) == 0 {
			time.Sleep(100 * time.Microsecond)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if atomic.LoadUint32(ended) == 0 {
			t.Error("Close did not wait for the launch")
		}
		if err := <-done; err != nil {
			t.Errorf("launch under way: %v", err)
		}
		if err := f.Launch(over(1, block(p))); !errors.Is(err, device.ErrClosed) {
			t.Errorf("launch on a closed device: %v", err)
		}
		if _, err := d.Load(context.Background(), imageOf(t, "kernels.c", "empty", image.Grid)); !errors.Is(err, device.ErrClosed) {
			t.Errorf("load on a closed device: %v", err)
		}
		if err := d.Close(); err != nil {
			t.Errorf("second close: %v", err)
		}
	}
}

// TestCloseAmongLaunches: each launch either runs or finds the device closed.
func TestCloseAmongLaunches(t *testing.T) {
	for range 20 {
		d, err := Open(Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		f := kernel(t, d, "mark")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					err := mark(f, device.Dim{X: 40, Y: 1, Z: 1})
					if errors.Is(err, device.ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		time.Sleep(200 * time.Microsecond)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}

func TestLaunchOfClosedLibrary(t *testing.T) {
	d := open(t, 1)
	f := kernel(t, d, "empty")
	if n := f.library.Bytes(); n < 4096 || n > 1<<20 {
		t.Errorf("library of %d bytes", n)
	}
	for range 2 {
		if err := f.library.Close(); err != nil {
			t.Fatal(err)
		}
	}
	err := f.Launch(over(1, nil))
	if !errors.Is(err, device.ErrClosed) || !strings.Contains(err.Error(), `"empty"`) {
		t.Errorf("launch of a closed library: %v", err)
	}
}

// TestForgottenDevice: the threads of a device that is not closed end when
// nothing refers to it.
func TestForgottenDevice(t *testing.T) {
	func() {
		d, err := Open(Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		w := newWorkload(time.Millisecond, time.Millisecond)
		run(t, kernel(t, d, "work"), over(2, w.params))
	}()
	for deadline := time.Now().Add(10 * time.Second); len(workerThreads(t)) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d workers left", len(workerThreads(t)))
		}
		runtime.GC()
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
