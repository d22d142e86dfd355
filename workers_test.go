package kiln_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/worker"
)

// testWorker runs the test binary, which TestMain makes a worker.
func testWorker(t *testing.T) kiln.WorkerOptions {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return kiln.WorkerOptions{Path: path, Always: true}
}

// unselectable is a kernel that passes every check and that LLVM ends the
// process over.
const unselectable = `
define void @k(ptr %p) {
  %v = load <4 x i32>, ptr %p
  %r = call <4 x i32> @llvm.aarch64.neon.sqdmulh.v4i32(<4 x i32> %v, <4 x i32> %v)
  store <4 x i32> %r, ptr %p
  ret void
}
declare <4 x i32> @llvm.aarch64.neon.sqdmulh.v4i32(<4 x i32>, <4 x i32>)
`

func horner(e *kiln.Engine) error {
	m, err := e.Load(ctx, kiln.Bytes("poly.ll", []byte(polyIR)))
	if err != nil {
		return err
	}
	k, err := m.Kernel("horner")
	if err != nil {
		return err
	}
	var y float32
	if err := k.Launch(ctx, kiln.Arg(float32(2)), kiln.Arg(float32(3)), kiln.Arg(float32(4)), kiln.Arg(float32(5)), kiln.Result(&y)); err != nil {
		return err
	}
	if y != 25 {
		return fmt.Errorf("y = %g, want 25", y)
	}
	return nil
}

// An engine whose compiles run in children survives what LLVM crashes of.
func TestWorkerAlways(t *testing.T) {
	var stages []string
	e := open(t, kiln.Options{
		Worker: testWorker(t), Cache: kiln.CacheOptions{Off: true},
		Events: kiln.Events{CompileEnd: func(r kiln.CompileResult) {
			for _, s := range r.Stages {
				stages = append(stages, s.Stage)
			}
		}},
	})
	if err := horner(e); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(stages, " "); got != "parse summarise check parse extract specialise wrap optimise generate image" {
		t.Errorf("stages %s", got)
	}
	deep := "@g = external global " + strings.Repeat("[1 x ", 400_000) + "i8" + strings.Repeat("]", 400_000)
	_, err := e.Load(ctx, kiln.Bytes("deep.ll", []byte(deep)))
	failed, ok := errors.AsType[*kiln.CompileError](err)
	if !ok || !errors.Is(err, compile.ErrFault) || failed.Stage != compile.StageParse || !strings.Contains(failed.Log, "SIGSEGV") {
		t.Errorf("a module that LLVM crashes of: %v", err)
	}
	m, err := e.Load(ctx, kiln.Bytes("poly2.ll", []byte(polyIR+"; other\n")))
	if err != nil {
		t.Fatal(err)
	}
	if k, err := m.Kernel("horner"); err != nil {
		t.Error(err)
	} else if k.Signature() == "" {
		t.Error("no signature after the crash")
	}
}

// kavon/atJIT#4: an error within the limit names kernel and stage, and the
// kernel compiled before goes on.
func TestWorkerTimeAtJIT4(t *testing.T) {
	o := testWorker(t)
	o.Time = 300 * time.Millisecond
	e := open(t, kiln.Options{Worker: o, Cache: kiln.CacheOptions{Off: true}})
	if err := horner(e); err != nil {
		t.Fatal(err)
	}
	r := compile.Request{Module: []byte(polyIR), Kernel: "horner", Target: e.Device().Target(), Options: compile.Options{Pipeline: strings.Repeat("default<O3>,", 10_000) + "globaldce"}}
	c, err := compile.New(compile.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r.Target, r.Toolchain = r.Target.Narrow(c.LLVMMajor()), c.Toolchain()
	began := time.Now()
	_, err = e.Compile(ctx, r)
	failed, ok := errors.AsType[*kiln.CompileError](err)
	if !ok || !errors.Is(err, worker.ErrLimit) || failed.Kernel != "horner" || failed.Stage != compile.StageOptimise {
		t.Errorf("%v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := horner(e); err != nil {
		t.Error(err)
	}

	// A caller that leaves does not wait for LLVM.
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := e.Compile(short, r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a caller that leaves: %v", err)
	}
}

// The host's own program is never started: without a path there is no worker.
func TestWorkerNeedsAPath(t *testing.T) {
	e := open(t, kiln.Options{Worker: kiln.WorkerOptions{Always: true}, Cache: kiln.CacheOptions{Off: true}})
	if err := horner(e); !errors.Is(err, worker.ErrStart) || !strings.Contains(err.Error(), "Options.Worker.Path") {
		t.Errorf("%v", err)
	}
}

// faultyChild loses threads to LLVM until compiles move to workers, whose
// program is args[0] or, where that is empty, found in PATH.
func faultyChild(args []string) error {
	var warnings []string
	e, err := kiln.Open(kiln.Options{
		Worker: kiln.WorkerOptions{Path: args[0]}, Cache: kiln.CacheOptions{Off: true},
		Events: kiln.Events{Warning: func(err error) { warnings = append(warnings, err.Error()) }},
	})
	if err != nil {
		return err
	}
	defer e.Close()
	for i := range 66 {
		m, err := e.Load(ctx, kiln.Bytes("bad.ll", []byte(unselectable)))
		if err != nil {
			return err
		}
		k, err := m.Kernel("k")
		if err != nil {
			return err
		}
		err = k.Launch(ctx, kiln.Arg(make([]int32, 4)))
		if !errors.Is(err, compile.ErrFault) {
			return fmt.Errorf("compile %d: %w", i, err)
		}
	}
	if err := horner(e); err != nil {
		return err
	}
	fmt.Println(strings.Join(warnings, "; "))
	return nil
}

// Faults cost a process at most 64 threads; then its compiles move to workers.
func TestWorkersAfterFaults(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(path, program string) (string, error) {
		child := exec.Command(self, "child", "faulty", program)
		child.Env = append(os.Environ(), "PATH="+path)
		out, err := child.CombinedOutput()
		return string(out), err
	}
	const moved = "kernels are compiled in child processes from now on\n"
	if out, err := run("/nosuch", self); err != nil || !strings.HasSuffix(out, moved) {
		t.Errorf("with a path: %v, %s", err, out)
	}
	folder := t.TempDir()
	if out, err := run(folder, ""); err == nil || !strings.Contains(out, "too many faults") || !strings.Contains(out, "no kiln program is in PATH") {
		t.Errorf("without a program: %v, %s", err, out)
	}
	if err := os.Symlink(self, filepath.Join(folder, "kiln")); err != nil {
		t.Fatal(err)
	}
	if out, err := run(folder, ""); err != nil || !strings.HasSuffix(out, moved) {
		t.Errorf("with a program in PATH: %v, %s", err, out)
	}
}
