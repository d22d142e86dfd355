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
