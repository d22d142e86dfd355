package cpu_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/device/cpu"
	"github.com/kilnjit/kiln/device/devicetest"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

func TestDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.o")
	cmd := exec.Command("clang-22", "-fPIC", "-xc", "-c", "-o", path, "-")
	cmd.Stdin = strings.NewReader("int empty(void *frame) { return 0; }")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	object, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	native, err := target.Native()
	if err != nil {
		t.Fatal(err)
	}
	empty := &image.Image{Format: image.Object, Target: native, Kernel: "empty", Entry: "empty", Convention: image.Grid, Payload: object}
	devicetest.Run(t, func(t *testing.T) device.Device {
		d, err := cpu.Open(cpu.Options{Workers: 3})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}, empty)
}
