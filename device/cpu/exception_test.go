package cpu

import (
	"errors"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
)

func throwing(t *testing.T, d *Device, entry string) *function {
	t.Helper()
	return load(t, d, imageOf(t, "throws.cpp", entry, image.Grid))
}

func TestExceptions(t *testing.T) {
	d := open(t, 2)
	nine := int32(9)
	tests := []struct {
		entry string
		want  device.ExceptionError
	}{
		{"throw_runtime_error", device.ExceptionError{Type: "St13runtime_error", Text: "boom 9"}},
		{"throw_int", device.ExceptionError{Type: "i"}},
		{"throw_long_text", device.ExceptionError{Type: "St11logic_error", Text: strings.Repeat("x", 255)}},
	}
	for _, tt := range tests {
		t.Run(tt.entry, func(t *testing.T) {
			tt.want.Kernel = tt.entry
			f := throwing(t, d, tt.entry)
			for _, groups := range []int{1, 4, 200} {
				err := f.Launch(over(groups, block(&nine)))
				var got *device.ExceptionError
				if !errors.As(err, &got) || !errors.Is(err, device.ErrException) {
					t.Fatalf("error %v, want an exception", err)
				}
				if diff := cmp.Diff(tt.want, *got); diff != "" {
					t.Errorf("exception differs (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestCleanups: destructors of the frames that an exception leaves are run.
func TestCleanups(t *testing.T) {
	d := open(t, 1)
	im := imageOf(t, "throws.cpp", "throw_runtime_error", image.Grid)
	f := load(t, d, im)
	count, _ := f.library.image.Symbol("count_cleanups")
	counter := function{enter: f.enter, device: f.device, library: f.library, kernel: f.kernel, native: f.native}
	counter.native.entry = count
	var n int32
	for i := range int32(3) {
		if err := f.Launch(over(1, block(new(int32)))); !errors.Is(err, device.ErrException) {
			t.Fatal(err)
		}
		run(t, &counter, over(1, block(&n)))
		if n != 2*(i+1) {
			t.Errorf("%d cleanups after %d exceptions, want two each", n, i+1)
		}
	}
}

func TestExceptionsThatStayInside(t *testing.T) {
	f := throwing(t, open(t, 2), "catches")
	for _, groups := range []int{1, 4, 200} {
		run(t, f, over(groups, nil))
	}
}

func TestExceptionInWorker(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d := open(t, 4)
	p := &elsewhereParams{threadOf(t, d), 1000 * tickRate()}
	untilWorkersTookPart(t, 100, func() bool {
		err := throwing(t, d, "throw_elsewhere").Launch(over(32, block(p)))
		if err == nil {
			return false
		}
		var got *device.ExceptionError
		if !errors.As(err, &got) || got.Text != "boom 2" {
			t.Fatalf("error %v, want boom 2", err)
		}
		run(t, throwing(t, d, "catches"), over(10, nil))
		return true
	})
}

// TestFaultBelowBarrier: a fault passes by handlers of exceptions.
func TestFaultBelowBarrier(t *testing.T) {
	f := throwing(t, open(t, 2), "fault_in_try")
	var null uint64
	for range 3 {
		err := f.Launch(over(1, block(&null)))
		var fault *device.FaultError
		if !errors.As(err, &fault) || fault.Signal != syscall.SIGSEGV {
			t.Fatalf("error %v, want a fault", err)
		}
	}
	var n int32
	target := &n
	if err := f.Launch(over(1, block(&target))); !errors.Is(err, device.ErrStatus) || n != 1 {
		t.Errorf("error %v, stored %d; want the status of a caught exception and 1", err, n)
	}
}

// TestBarrierOnDemand: only images that can throw are given the barrier.
func TestBarrierOnDemand(t *testing.T) {
	d := open(t, 1)
	if f := kernel(t, d, "mark"); f.native.barrier != 0 {
		t.Error("an image in C has a barrier")
	}
	if f := throwing(t, d, "throw_int"); f.native.barrier == 0 {
		t.Error("an image that throws has none")
	}
}
