package cpu

import (
	"context"
	"errors"
	"os"
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
		awaitWorkers(t, 3)
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
	awaitWorkers(t, 0)
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
