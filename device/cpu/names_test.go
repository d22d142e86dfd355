package cpu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/jitnames"
)

// TestNames checks that a kernel goes by its own name in perf's files, and that
// a fault tells the function.
func TestNames(t *testing.T) {
	folder := t.TempDir()
	d, err := Open(Options{Workers: 1, Names: Names{PerfMap: true, PerfDump: folder, Debugger: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(jitnames.PerfMapPath(os.Getpid())) })
	im := imageOf(t, "kernels.c", "recurse", image.Grid)
	im.Kernel = "my recursion"
	f := load(t, d, im)
	perfMap, err := os.ReadFile(jitnames.PerfMapPath(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{fmt.Sprintf("\n%x ", f.native.entry), " my recursion\n", " deeper\n"} {
		if !strings.Contains("\n"+string(perfMap), want) {
			t.Errorf("the map has no %q:\n%s", want, perfMap)
		}
	}
	if strings.Contains(string(perfMap), " recurse\n") {
		t.Errorf("the entry does not go by the kernel's name:\n%s", perfMap)
	}
	dump, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("jit-%d.dump", os.Getpid())))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(dump), "\x00my recursion\x00") {
		t.Error("the dump does not have the kernel")
	}

	var fault *device.FaultError
	if err := f.Launch(over(1, nil)); !errors.As(err, &fault) {
		t.Fatalf("error %v", err)
	}
	if fault.Function != "deeper" || fault.FunctionOffset < 0 || fault.FunctionOffset > 200 || !strings.Contains(fault.Error(), "(deeper + 0x") {
		t.Errorf("fault in %q + %#x: %v", fault.Function, fault.FunctionOffset, fault)
	}
	if err := f.library.Close(); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestNoNames: nothing is kept where nobody asked.
func TestNoNames(t *testing.T) {
	f := kernel(t, open(t, 1), "recurse")
	if f.library.named != nil {
		t.Error("names are kept")
	}
	var fault *device.FaultError
	if err := f.Launch(over(1, nil)); !errors.As(err, &fault) || fault.Function != "" || strings.Contains(fault.Error(), "deeper") {
		t.Errorf("error %v", err)
	}
}

func TestNamesCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := Open(Options{Workers: 1, Names: Names{PerfDump: file}}); d != nil || err == nil || !strings.Contains(err.Error(), "opening the CPU device: opening the dump file for perf: ") {
		t.Errorf("%v, %v", d, err)
	}
}
