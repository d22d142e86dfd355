package cpu

import (
	"errors"
	"testing"

	"github.com/kilnjit/kiln/device"
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
