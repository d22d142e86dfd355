package cpu

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// compiled returns the object of a source in testdata.
func compiled(tb testing.TB, source string) []byte {
	tb.Helper()
	object, err := compile(source)
	if err != nil {
		tb.Fatal(err)
	}
	return object
}

var objects sync.Map

func compile(source string) ([]byte, error) {
	once, _ := objects.LoadOrStore(source, sync.OnceValues(func() ([]byte, error) {
		dir, err := os.MkdirTemp("", "kiln-cpu-test")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "o")
		cmd := exec.Command(compiler, "-O2", "-fPIC", "-fstack-clash-protection", "-w", "-Inative",
			"-c", filepath.Join("testdata", source), "-o", path)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out)
		}
		return os.ReadFile(path)
	}))
	return once.(func() ([]byte, error))()
}

func open(tb testing.TB, workers int) *Device {
	tb.Helper()
	d, err := Open(Options{Workers: workers})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}

func imageOf(tb testing.TB, source, entry string, convention image.Convention) *image.Image {
	tb.Helper()
	native, err := target.Native()
	if err != nil {
		tb.Fatal(err)
	}
	return &image.Image{
		Format: image.Object, Target: native, Kernel: entry, Entry: entry,
		Convention: convention, Payload: compiled(tb, source),
	}
}

func load(tb testing.TB, d *Device, im *image.Image) *function {
	tb.Helper()
	lib, err := d.Load(context.Background(), im)
	if err != nil {
		tb.Fatal(err)
	}
	return lib.Function().(*function)
}

// kernel loads an entry of testdata/kernels.c that runs over a grid.
func kernel(tb testing.TB, d *Device, entry string) *function {
	tb.Helper()
	return load(tb, d, imageOf(tb, "kernels.c", entry, image.Grid))
}

// over is a launch of n groups of one work-item.
func over(n int, params []byte) *device.Launch {
	one := device.Dim{X: 1, Y: 1, Z: 1}
	return &device.Launch{Grid: device.Dim{X: uint32(n), Y: 1, Z: 1}, Block: one, Params: params}
}

func run(tb testing.TB, f *function, l *device.Launch) {
	tb.Helper()
	if err := f.Launch(l); err != nil {
		tb.Fatal(err)
	}
}

// tickRate returns the processor's ticks in a microsecond.
var tickRate = sync.OnceValue(func() uint64 {
	object, err := compile("kernels.c")
	if err != nil {
		panic(err)
	}
	clock := newClock(object)
	start, t := time.Now(), clock()
	time.Sleep(5 * time.Millisecond)
	ticks, elapsed := clock()-t, time.Since(start)
	return ticks / uint64(elapsed.Microseconds())
})
