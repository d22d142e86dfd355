package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/specialize"
)

// Compiles side by side give what they give alone, and leave nothing open.
func TestConcurrent(t *testing.T) {
	c := newCompiler(t, Config{})
	module, machine := hostModule(t, c), native(t, c)
	kernels := []string{"polynomial", "mixed", "box_sum", "prime", "scale", "fibonacci", "no_such"}
	want := map[string][]byte{}
	for _, k := range kernels[:6] {
		want[k] = compile(t, c, Request{Module: module, Kernel: k, Target: machine}).Payload
	}
	var group sync.WaitGroup
	for i := range 28 {
		group.Go(func() {
			kernel := kernels[i%len(kernels)]
			im, err := c.Compile(context.Background(), Request{Module: module, Kernel: kernel, Target: machine, Toolchain: c.Toolchain()})
			if kernel == "no_such" {
				if !errors.Is(err, ErrNoKernel) {
					t.Errorf("error %v, want ErrNoKernel", err)
				}
				return
			}
			if err != nil || !bytes.Equal(im.Payload, want[kernel]) {
				t.Errorf("%s: %v, or other bytes than alone", kernel, err)
			}
		})
	}
	group.Wait()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if open := llvm.Live(); len(open) > 0 {
		t.Errorf("%d handles are open: %v", len(open), open)
	}
}

// Compiles leave nothing behind: no handle, and no memory beyond what LLVM
// keeps once for the process.
func TestNothingIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("200 compiles")
	}
	c := newCompiler(t, Config{})
	r := Request{Module: hostModule(t, c), Kernel: "polynomial", Target: native(t, c)}
	round := func(n, from int) {
		for i := range n {
			r.Spec.Constants = []specialize.Constant{{Index: 1, Bytes: little(t, int32(from+i)%64)}}
			compile(t, c, r)
			if i%10 == 0 {
				_, err := c.Summarise(context.Background(), r.Module)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if open := llvm.Live(); len(open) > 1 || open[0].Kind != "target machine" {
			t.Fatalf("%d handles are open, want one target machine: %v", len(open), open)
		}
		runtime.GC()
	}
	// What LLVM and malloc keep for good is there after the first few hundred.
	round(250, 0)
	before := resident(t)
	round(200, 250)
	if grown := resident(t) - before; grown > 200*16<<10 {
		t.Errorf("%d KiB grown over 200 compiles", grown>>10)
	}
}

// resident returns the process's resident memory in bytes.
func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// What a machine compiled before leaves no trace in what it compiles next.
func TestMachineIsReused(t *testing.T) {
	c := newCompiler(t, Config{})
	fast := []byte(hostHeader + `
define float @f(float %x, float %y) #0 {
  %p = fmul float %x, %y
  %s = fadd float %p, %x
  %q = fdiv float %s, %y
  %m = call float @llvm.minnum.f32(float %q, float %p)
  ret float %m
}
declare float @llvm.minnum.f32(float, float)
attributes #0 = { "no-nans-fp-math"="true" "no-infs-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "frame-pointer"="all" }
`)
	exact := bytes.Replace(fast, []byte(" #0 {"), []byte(" {"), 1)
	alone := func(module []byte) []byte {
		other := newCompiler(t, Config{})
		defer other.Close()
		return compile(t, other, Request{Module: module, Kernel: "f"}).Payload
	}
	wantFast, wantExact := alone(fast), alone(exact)
	if bytes.Equal(wantFast, wantExact) {
		t.Fatal("the attributes make no difference: the test shows nothing")
	}
	for range 3 {
		if got := compile(t, c, Request{Module: fast, Kernel: "f"}).Payload; !bytes.Equal(got, wantFast) {
			t.Error("fast: other bytes than from a new machine")
		}
		if got := compile(t, c, Request{Module: exact, Kernel: "f"}).Payload; !bytes.Equal(got, wantExact) {
			t.Error("exact: other bytes than from a new machine")
		}
	}
	if n := len(llvm.Live()); n != 1 {
		t.Errorf("%d handles are open, want the one machine", n)
	}
	// As many as compile at once, but no more than a few stay.
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			r := Request{Module: exact, Kernel: "f", Options: Options{Codegen: CodegenLevel(i % 4)}, Target: native(t, c), Toolchain: c.Toolchain()}
			if _, err := c.Compile(context.Background(), r); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := len(llvm.Live()); n < 1 || n > mostIdle {
		t.Errorf("%d machines are kept, want 1 to %d", n, mostIdle)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := compile(t, c, Request{Module: exact, Kernel: "f"}).Payload; !bytes.Equal(got, wantExact) {
		t.Error("a closed compiler makes other bytes")
	}
	if n := len(llvm.Live()); n != 0 {
		t.Errorf("%d handles are open after Close", n)
	}
}
