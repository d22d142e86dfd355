package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

type markParams struct {
	counts *uint32
	groups uint64
	block  [3]uint32
}

// mark launches the kernel of that name and tells which group was not run once.
func mark(f *function, grid device.Dim) error {
	counts := make([]uint32, grid.Count()+1)
	p := &markParams{&counts[0], grid.Count(), [3]uint32{4, 3, 2}}
	if err := f.Launch(&device.Launch{Grid: grid, Block: device.Dim{X: 4, Y: 3, Z: 2}, Params: block(p)}); err != nil {
		return fmt.Errorf("grid %v: %w", grid, err)
	}
	for g, n := range counts[:len(counts)-1] {
		if n != 1 {
			return fmt.Errorf("grid %v: group %d was run %d times", grid, g, n)
		}
	}
	if counts[len(counts)-1] != 0 {
		return fmt.Errorf("grid %v: a group past the last was run", grid)
	}
	return nil
}

func TestEachGroupOnce(t *testing.T) {
	grids := []device.Dim{
		{X: 1, Y: 1, Z: 1}, {X: 2, Y: 1, Z: 1}, {X: 1, Y: 1, Z: 3}, {X: 7, Y: 5, Z: 3}, {X: 63, Y: 1, Z: 1},
		{X: 64, Y: 1, Z: 1}, {X: 1, Y: 65, Z: 1}, {X: 1000, Y: 1, Z: 1}, {X: 101, Y: 103, Z: 7},
		{X: 1, Y: 1 << 16, Z: 1}, {X: 1 << 20, Y: 1, Z: 1}, {X: 127, Y: 129, Z: 65},
	}
	for _, workers := range []int{1, 2, 8} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			d := open(t, workers)
			for _, grid := range grids {
				// A function that has never been launched, and one that has.
				f := kernel(t, d, "mark")
				for range 3 {
					if err := mark(f, grid); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}

func TestNoGroups(t *testing.T) {
	f := kernel(t, open(t, 2), "trap")
	for _, grid := range []device.Dim{{}, {X: 0, Y: 1, Z: 1}, {X: 5, Y: 5, Z: 0}} {
		if err := f.Launch(&device.Launch{Grid: grid}); err != nil {
			t.Errorf("grid %v: %v", grid, err)
		}
	}
}

func TestHostFunction(t *testing.T) {
	f := load(t, open(t, 0), imageOf(t, "kernels.c", "host", image.Host))
	p := &struct{ a, b, result float64 }{a: 4, b: 2}
	for _, l := range []*device.Launch{{Params: block(p)}, over(1, block(p))} {
		p.result = 0
		run(t, f, l)
		if p.result != 42 {
			t.Errorf("result %v, want 42", p.result)
		}
	}
}

type sumsParams struct {
	in, out *float64
	row     uint64
}

func TestSums(t *testing.T) {
	const groups, row = 3000, 700
	in, out := make([]float64, groups*row), make([]float64, groups)
	for i := range in {
		in[i] = float64(i%1000) / 8
	}
	p := &sumsParams{&in[0], &out[0], row}
	for _, workers := range []int{1, 2, 8} {
		f := kernel(t, open(t, workers), "sums")
		for range 3 {
			clear(out)
			run(t, f, over(groups, block(p)))
			for g := range groups {
				want := 0.0
				for _, v := range in[g*row : (g+1)*row] {
					want += v
				}
				if out[g] != want {
					t.Fatalf("%d workers: sum of group %d is %v, want %v", workers, g, out[g], want)
				}
			}
		}
	}
}

func TestStatus(t *testing.T) {
	d := open(t, 2)
	f := kernel(t, d, "status")
	for _, groups := range []int{1, 10, 1000} {
		for _, code := range []int32{1, 77, math.MaxInt32, -1} {
			err := f.Launch(over(groups, block(&code)))
			var got *device.StatusError
			if !errors.As(err, &got) || *got != (device.StatusError{Kernel: "status", Code: code}) {
				t.Errorf("%d groups, code %d: error %v", groups, code, err)
			}
			if !errors.Is(err, device.ErrStatus) {
				t.Errorf("%v does not match ErrStatus", err)
			}
		}
		run(t, f, over(groups, block(new(int32))))
	}
}

type memoryParams struct{ shared, context, ticks uint64 }

func TestMemory(t *testing.T) {
	for _, workers := range []int{1, 4} {
		d := open(t, workers)
		for _, c := range []struct {
			shared  uint32
			context uint64
		}{{0, 0}, {8, 0}, {0, 8}, {40, 4096}, {1 << 20, 64}, {48, 3 << 20}} {
			im := imageOf(t, "kernels.c", "memory", image.Grid)
			im.ContextBytes = c.context
			f := load(t, d, im)
			for _, groups := range []int{1, 32, 200} {
				l := over(groups, block(&memoryParams{uint64(c.shared), c.context, 20 * tickRate()}))
				l.SharedBytes = c.shared
				run(t, f, l)
			}
		}
	}
}

func TestMemoryThatThereIsNot(t *testing.T) {
	d := open(t, 2)
	im := imageOf(t, "kernels.c", "empty", image.Grid)
	for _, bytes := range []uint64{1 << 45, 1 << 62, math.MaxUint64} {
		im.ContextBytes = bytes
		f := load(t, d, im)
		if err := f.Launch(over(1, nil)); !errors.Is(err, device.ErrMemory) || !strings.Contains(err.Error(), `"empty"`) {
			t.Errorf("context of %d bytes: error %v, want ErrMemory", bytes, err)
		}
	}
	run(t, kernel(t, d, "empty"), over(1, nil))
}

func TestLoadRefuses(t *testing.T) {
	d := open(t, 1)
	tests := []struct {
		name   string
		change func(*image.Image)
		says   string
	}{
		{"format", func(im *image.Image) { im.Format = image.PTX }, "not a relocatable object"},
		{"target", func(im *image.Image) { im.Target = target.Target{Triple: "aarch64-unknown-linux-gnu"} }, "aarch64-unknown-linux-gnu"},
		{"stack", func(im *image.Image) { im.StackBytes = 256<<10 + 1 }, "262145 bytes is over 262144"},
		{"entry", func(im *image.Image) { im.Entry = "absent" }, `"absent"`},
		{"payload", func(im *image.Image) { im.Payload = im.Payload[:len(im.Payload)/2] }, "elfload"},
		{"no payload", func(im *image.Image) { im.Payload = nil }, "elfload"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			im := imageOf(t, "kernels.c", "empty", image.Grid)
			tt.change(im)
			lib, err := d.Load(context.Background(), im)
			if lib != nil || !errors.Is(err, device.ErrImage) {
				t.Fatalf("library %v, error %v", lib, err)
			}
			for _, s := range []string{`kernel "empty"`, tt.says} {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q does not say %q", err, s)
				}
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := d.Load(ctx, imageOf(t, "kernels.c", "empty", image.Grid)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled load: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, workers := range []int{-1, MaxWorkers + 1} {
		d, err := Open(Options{Workers: workers})
		if d != nil || err == nil || !strings.Contains(err.Error(), fmt.Sprint(workers)) {
			t.Errorf("%d workers: %v, %v", workers, d, err)
		}
	}
}

func TestLaunchAllocatesNothing(t *testing.T) {
	d := open(t, 2)
	f := device.Function(kernel(t, d, "empty"))
	for _, groups := range []int{1, 1000} {
		l := over(groups, nil)
		if n := testing.AllocsPerRun(1000, func() {
			if err := f.Launch(l); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%d groups: %v allocations a launch", groups, n)
		}
	}
}

// TestConcurrentLaunches launches from many goroutines while garbage is
// collected all the time.
func TestConcurrentLaunches(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	d := open(t, 4)
	shared := kernel(t, d, "mark")
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			own := kernel(t, d, "mark")
			for j := range 20 {
				grid := device.Dim{X: 1 + r.Uint32N(300), Y: 1 + r.Uint32N(20), Z: 1 + r.Uint32N(3)}
				f := own
				if j%2 == 0 {
					f = shared
				}
				if err := mark(f, grid); err != nil {
					t.Error(err)
					return
				}
				runtime.Gosched()
			}
			if err := own.library.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
