package cpu_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/device/cpu"
	"github.com/kilnjit/kiln/device/devicetest"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

var (
	compiler = sync.OnceValues(func() (*compile.Compiler, error) { return compile.New(compile.Config{}) })
	images   sync.Map
)

// suiteImage compiles the suite's kernels for this machine, each once.
func suiteImage(t *testing.T, kernel string) *image.Image {
	t.Helper()
	if im, ok := images.Load(kernel); ok {
		return im.(*image.Image)
	}
	c, err := compiler()
	if err != nil {
		t.Fatal(err)
	}
	native, err := target.Native()
	if err != nil {
		t.Fatal(err)
	}
	im, err := c.Compile(context.Background(), compile.Request{
		Module: devicetest.Module, Kernel: kernel, Variables: kernel == "",
		Target: native.Narrow(c.LLVMMajor()), Toolchain: c.Toolchain(),
	})
	if err != nil {
		t.Fatalf("%+v", err)
	}
	images.Store(kernel, im)
	return im
}

func TestDevice(t *testing.T) {
	for _, workers := range []int{1, 2, 8} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			suite := devicetest.Suite{
				Open: func(t *testing.T) device.Device {
					d, err := cpu.Open(cpu.Options{Workers: workers})
					if err != nil {
						t.Fatal(err)
					}
					return d
				},
				Image: suiteImage,
			}
			suite.Run(t)
		})
	}
}
