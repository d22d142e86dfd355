package kiln_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kilnjit/kiln"
)

// warmChild runs one kernel with the cache in dir and prints whether libLLVM
// is mapped and how often it compiled.
func warmChild(dir string) error {
	e, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Dir: dir}})
	if err != nil {
		return err
	}
	defer e.Close()
	m, err := e.Load(ctx, kiln.Bytes("poly.ll", []byte(polyIR)))
	if err != nil {
		return err
	}
	k, err := m.Kernel("horner")
	if err != nil {
		return err
	}
	var y float32
	if err := k.Launch(ctx, kiln.Arg(float32(2)), kiln.Const(float32(3)), kiln.Const(float32(4)), kiln.Arg(float32(5)), kiln.Result(&y)); err != nil {
		return err
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	s := e.Stats()
	fmt.Printf("y=%g llvm=%t compiles=%d summaries=%d\n", y, strings.Contains(string(maps), "libLLVM"), s.Compiles, s.Summaries)
	return nil
}

// A process that finds everything in the disk cache never opens libLLVM.
func TestWarmProcessOpensNoLLVM(t *testing.T) {
	dir := t.TempDir()
	run := func() string {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "KILN_TEST_WARM="+dir)
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if got, want := run(), "y=25 llvm=true compiles=1 summaries=1\n"; got != want {
		t.Errorf("first process: %swant %s", got, want)
	}
	if got, want := run(), "y=25 llvm=false compiles=0 summaries=0\n"; got != want {
		t.Errorf("second process: %swant %s", got, want)
	}
}
