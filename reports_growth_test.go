package kiln_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/device/cpu"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
)

// countingDevice counts what is loaded.
type countingDevice struct {
	device.Device
	loads atomic.Int32
}

func (d *countingDevice) Load(ctx context.Context, im *image.Image, globals ...uint64) (device.Library, error) {
	d.loads.Add(1)
	return d.Device.Load(ctx, im, globals...)
}

// apache/tvm PR#3158, NVIDIA/jitify PR#11, Genesis-Embodied-AI/quadrants PR#375:
// two threads that used a kernel first built it twice, or saw it half built. 64
// goroutines that launch a kernel first on two devices compile it once, summarise
// it once, and load it once a device; where each loads the module anew, it is
// still compiled once, and loaded once for each module, which has variables of
// its own.
func TestReport3158FirstUseOfManyThreads(t *testing.T) {
	for name, shared := range map[string]bool{"a module for each engine": true, "a module for each goroutine": false} {
		t.Run(name, func(t *testing.T) { firstUse(t, shared) })
	}
}

func firstUse(t *testing.T, shared bool) {
	dir := t.TempDir()
	var devices [2]*countingDevice
	var engines [2]*kiln.Engine
	var load [2]func() (*kiln.Module, error)
	for i := range engines {
		d, err := cpu.Open(cpu.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		devices[i] = &countingDevice{Device: d}
		engines[i] = open(t, kiln.Options{Device: devices[i], Cache: kiln.CacheOptions{Dir: dir, Wait: time.Minute}})
		load[i] = func() (*kiln.Module, error) { return engines[i].Load(ctx, kiln.Bytes("poly.ll", []byte(polyIR))) }
		if shared {
			load[i] = sync.OnceValues(load[i])
		}
	}
	var group sync.WaitGroup
	begin := make(chan struct{})
	for i := range 64 {
		group.Go(func() {
			<-begin
			m, err := load[i%2]()
			if err != nil {
				t.Error(err)
				return
			}
			k, err := m.Kernel("horner")
			if err != nil {
				t.Error(err)
				return
			}
			var y float32
			if err := k.Launch(ctx, kiln.Arg(float32(i)), kiln.Const(float32(2)), kiln.Arg(float32(3)), kiln.Arg(float32(4)), kiln.Result(&y)); err != nil {
				t.Error(err)
			}
			if x := float32(i); y != (2*x+3)*x+4 {
				t.Errorf("horner(%d) = %g", i, y)
			}
		})
	}
	close(begin)
	group.Wait()
	wantLoads := int32(32)
	if shared {
		wantLoads = 1
	}
	compiles, summaries := int64(0), int64(0)
	for i, e := range engines {
		s := e.Stats()
		compiles, summaries = compiles+s.Compiles, summaries+s.Summaries
		if loads := devices[i].loads.Load(); loads != wantLoads {
			t.Errorf("device %d: %d loads, want %d", i, loads, wantLoads)
		}
	}
	if compiles != 1 || summaries != 1 {
		t.Errorf("%d compiles and %d summaries, want 1 and 1", compiles, summaries)
	}
}

// growthChild compiles args[0] forms of a function in two engines, one after the
// other, and prints by how many bytes the second has grown the process once it is
// closed, and how many handles of LLVM are open then.
func growthChild(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	round := func(from int) error {
		e, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}})
		if err != nil {
			return err
		}
		m, err := e.Load(ctx, kiln.Bytes("many.ll", []byte(manyKernels(4))))
		if err != nil {
			return err
		}
		k, err := m.Kernel("k3")
		if err != nil {
			return err
		}
		for i := range n / 2 {
			var y float64
			if err := k.Launch(ctx, kiln.Const(float64(from+i)), kiln.Result(&y)); err != nil || y != float64(from+i+3) {
				return fmt.Errorf("form %d: %g, %w", from+i, y, err)
			}
		}
		if s := e.Stats(); s.Compiles != int64(n/2) {
			return fmt.Errorf("%d compiles, want %d", s.Compiles, n/2)
		}
		return e.Close()
	}
	size := func() (int, error) {
		runtime.GC()
		debug.FreeOSMemory()
		b, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			return 0, err
		}
		pages, err := strconv.Atoi(strings.Fields(string(b))[1])
		return pages * os.Getpagesize(), err
	}
	if err := round(0); err != nil {
		return err
	}
	before, err := size()
	if err != nil {
		return err
	}
	if err := round(n); err != nil {
		return err
	}
	after, err := size()
	fmt.Println(after-before, len(llvm.Live()))
	return err
}

// numba/numba#5976, #9731, crystal-lang/crystal#13952, llvm/llvm-project#114018:
// each compile lost 32 KiB and more for good. Of 2,000 different compiles in two
// engines, one after the other, the second leaves no more than malloc's
// arenas and 4 KiB for each, and LLVM has nothing open.
func TestReport5976GrowthOfManyCompiles(t *testing.T) {
	n := 2000
	if testing.Short() || raceEnabled {
		n = 400
	}
	stdout, stderr, err := childOutput(t, "growth", strconv.Itoa(n))
	if err != nil || stderr != "" {
		t.Fatalf("%v: %s", err, stderr)
	}
	var grown, handles int
	if _, err := fmt.Sscan(stdout, &grown, &handles); err != nil {
		t.Fatalf("it printed %q", stdout)
	}
	t.Logf("%d KiB over %d compiles", grown>>10, n/2)
	// malloc keeps arenas for some threads, which fill at different times.
	if limit := 4<<20 + n/2*4<<10; !raceEnabled && grown > limit || handles != 0 {
		t.Errorf("grown by %d KiB over %d compiles, at most %d wanted; %d handles of LLVM are open", grown>>10, n/2, limit>>10, handles)
	}
}
