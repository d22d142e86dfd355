package cpu

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/ffi"
)

// deep uses the goroutine's stack, so that it must grow and move.
func deep(n int) int {
	var room [512]byte
	room[n%512] = byte(n)
	if n == 0 {
		return 0
	}
	return deep(n-1) + int(room[n%512]) - int(byte(n)) + 1
}

// TestKernelCallsGo: what a kernel calls in Go may launch kernels, on the same
// and on another device, and these may fault.
func TestKernelCallsGo(t *testing.T) {
	d, other := open(t, 1), open(t, 1)
	good, far, bad := kernel(t, d, "mark"), kernel(t, other, "mark"), kernel(t, d, "trap")
	call := ffi.Callback(func(n int64) int64 {
		if deep(2000) != 2000 {
			t.Error("wrong depth")
		}
		for _, f := range []*function{good, far} {
			if err := mark(f, device.Dim{X: 20, Y: 1, Z: 1}); err != nil {
				t.Error(err)
			}
		}
		if err := bad.Launch(over(1, nil)); !errors.Is(err, device.ErrFault) {
			t.Errorf("inner fault: %v", err)
		}
		return n + 1
	})
	p := &struct {
		call uintptr
		sum  int64
	}{call: call}
	f := kernel(t, d, "callback")
	for _, groups := range []int{1, 10} {
		done := make(chan error)
		p.sum = 0
		go func() { done <- f.Launch(over(groups, block(p))) }()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if want := int64(groups * (groups + 1) / 2); p.sum != want {
			t.Errorf("sum %d, want %d", p.sum, want)
		}
	}
	if err := bad.Launch(over(1, nil)); !errors.Is(err, device.ErrFault) {
		t.Errorf("fault afterwards: %v", err)
	}
}

// TestForeignThreads: ebitengine/purego#60 and #458, progrium/env86#5: threads
// that are not Go's, the pool's, call into Go and launch from there, while the
// garbage collector never rests. It goes on in a process of its own, for threads
// that Go starts in a callback take over the name of the pool's, which other
// tests count.
func TestForeignThreads(t *testing.T) {
	const child = "KILN_TEST_FOREIGN_THREADS"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestForeignThreads$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestForeignThreads") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(stop)
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	d := open(t, 8)
	inner := load(t, d, imageOf(t, "kernels.c", "host", image.Host))
	f := kernel(t, d, "callbacks")
	var calls atomic.Int64
	call := ffi.Callback(func(n int64) int64 {
		calls.Add(1)
		garbage := make([]*[64]byte, 8)
		for i := range garbage {
			garbage[i] = new([64]byte)
		}
		p := &struct{ a, b, result float64 }{a: float64(n), b: 1}
		if err := inner.Launch(over(1, block(p))); err != nil || p.result != float64(n)*10+1 {
			t.Errorf("inner launch: %v, result %v", err, p.result)
		}
		runtime.KeepAlive(garbage)
		return n + 1
	})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const rounds, groups = 10, 1000
	p := &struct {
		call         uintptr
		caller       uint64
		sum, foreign int64
	}{call: call}
	here := &p.caller
	run(t, kernel(t, d, "who"), over(1, block(&here)))
	for range rounds {
		p.sum = 0
		run(t, f, over(groups, block(p)))
		if want := int64(groups * (groups + 1) / 2); p.sum != want {
			t.Errorf("sum %d, want %d", p.sum, want)
		}
	}
	if calls.Load() != rounds*groups || p.foreign == 0 {
		t.Errorf("%d calls, %d of them from foreign threads; want %d, and some", calls.Load(), p.foreign, rounds*groups)
	}
}
