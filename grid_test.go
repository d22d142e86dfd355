package kiln_test

import (
	"fmt"
	"testing"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/bench/workload"
)

var (
	barrierFree = []string{"saxpy", "matmul_naive", "stencil7", "nbody", "mandelbrot", "poly"}
	images      = []string{"sm_80.raw", "sm_80.O2", "gfx90a.raw", "gfx90a.O2", "x86_64"}
)

// The same kernels from every device target, generic and with every scalar
// and the launch's shape compiled in, on one worker and two.
func TestGridKernels(t *testing.T) {
	set, err := workload.Load("testdata/spmd", workload.Small)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		e := open(t, kiln.Options{Workers: workers})
		for _, image := range images {
			m, err := e.Load(t.Context(), kiln.File(set.Image(image)))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range barrierFree {
				for _, constant := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/workers=%d/constant=%t", image, name, workers, constant), func(t *testing.T) {
						k, err := m.Kernel(name)
						if err != nil {
							t.Fatal(err)
						}
						in := set.Kernel(name).Make()
						if err := k.Launch(t.Context(), in.Launch(constant)...); err != nil {
							t.Fatal(err)
						}
						if err := in.Check(); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

// The first sixteen block sizes have code of their own, all others share some.
func TestBlockSizes(t *testing.T) {
	set, err := workload.Load("testdata/spmd", workload.Small)
	if err != nil {
		t.Fatal(err)
	}
	e := open(t, kiln.Options{})
	m, err := e.Load(t.Context(), kiln.File(set.Image("sm_80.raw")))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		options kiln.KernelOptions
		want    int64
	}{{"own", kiln.KernelOptions{}, 17}, {"any", kiln.KernelOptions{AnyBlock: true}, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			k, err := m.KernelWithOptions("saxpy", tt.options)
			if err != nil {
				t.Fatal(err)
			}
			before := e.Stats().Specialisations
			for range 2 {
				for block := uint32(1); block <= 24; block++ {
					x, y := make([]float32, 240), make([]float32, 240)
					for i := range x {
						x[i], y[i] = float32(i), 1
					}
					if err := k.Launch(t.Context(), kiln.Grid(240/block+1), kiln.Block(block), kiln.Arg(y), kiln.Arg(x), kiln.Arg(float32(2)), kiln.Arg(int32(240))); err != nil {
						t.Fatal(err)
					}
					for i := range y {
						if y[i] != float32(2*i+1) {
							t.Fatalf("block %d: y[%d] = %g, want %d", block, i, y[i], 2*i+1)
						}
					}
				}
			}
			if got := e.Stats().Specialisations - before; got != tt.want {
				t.Errorf("%d forms of the kernel, want %d", got, tt.want)
			}
		})
	}
}
