package kiln_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kilnjit/kiln"
)

const pairIR = `
target triple = "x86_64-unknown-linux-gnu"
define i32 @sum(ptr %p, i8 %a, i16 %b, i8 %c, i32 %d, i8 %e) {
  %v = load i32, ptr %p
  %a1 = zext i8 %a to i32
  %b1 = zext i16 %b to i32
  %c1 = zext i8 %c to i32
  %e1 = zext i8 %e to i32
  %s1 = add i32 %v, %a1
  %s2 = add i32 %s1, %b1
  %s3 = add i32 %s2, %c1
  %s4 = add i32 %s3, %d
  %s5 = add i32 %s4, %e1
  ret i32 %s5
}
`

func sumKernel(t *testing.T, e *kiln.Engine) *kiln.Kernel {
	t.Helper()
	m, err := e.Load(t.Context(), kiln.Bytes("sum.ll", []byte(pairIR)))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("sum")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// sum launches the kernel with numbers of all sizes next to each other.
func sum(t *testing.T, k *kiln.Kernel, d int32) (got, want int32, err error) {
	p := []int32{1000}
	err = k.Launch(t.Context(), kiln.Arg(p), kiln.Arg(uint8(200)), kiln.Arg(uint16(60000)), kiln.Arg(uint8(7)), kiln.Const(d), kiln.Arg(uint8(255)), kiln.Result(&got))
	return got, 1000 + 200 + 60000 + 7 + d + 255, err
}

// More launches under way at once than an engine has places for: all wait for a
// compile.
func TestManyLaunchesAtOnce(t *testing.T) {
	const many = 150
	var waiting atomic.Int32
	hold := make(chan struct{})
	e := open(t, kiln.Options{Cache: kiln.CacheOptions{Off: true}, Events: kiln.Events{CacheLookup: func(l kiln.CacheLookup) {
		if l.Kernel != "" {
			waiting.Add(1)
			<-hold
		}
	}}})
	k := sumKernel(t, e)
	var group sync.WaitGroup
	for i := range int32(many) {
		group.Go(func() {
			if got, want, err := sum(t, k, i); err != nil || got != want {
				t.Errorf("%d, %v; want %d", got, err, want)
			}
		})
	}
	for waiting.Load() < many {
		time.Sleep(time.Millisecond)
	}
	// One that needs no compile finds a place as well.
	if err := k.Launch(t.Context(), kiln.Arg([]int32{1})); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("with one argument of six: %v", err)
	}
	close(hold)
	group.Wait()
}

// What only the arguments point to stays until the launch has ended.
func TestArgumentsAreKept(t *testing.T) {
	e := open(t, kiln.Options{Cache: kiln.CacheOptions{Off: true}})
	k := sumKernel(t, e)
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	for i := range int32(300) {
		if got, want, err := sum(t, k, i%4); err != nil || got != want {
			t.Fatalf("%d, %v; want %d", got, err, want)
		}
	}
	close(stop)
	group.Wait()
}
