package llvm_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// A fault is a module that LLVM cannot generate code for, and how it says so.
type fault struct {
	name    string
	machine llvm.MachineOptions
	ir      string
	message string
	fatal   bool // LLVM does not return from it
	only    int  // the major version that behaves so, 0 for all
}

var (
	x86   = llvm.MachineOptions{Triple: "x86_64-unknown-linux-gnu"}
	nvptx = llvm.MachineOptions{Triple: "nvptx64-nvidia-cuda", CPU: "sm_80", Features: "+ptx80"}
	amd   = llvm.MachineOptions{Triple: "amdgcn-amd-amdhsa", CPU: "gfx90a"}
)

var faults = []fault{
	{
		name: "intrinsic", machine: x86, fatal: true,
		ir: `declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
			define i32 @k() {
				%x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
				ret i32 %x
			}`,
		message: "Cannot select: intrinsic %llvm.nvvm.read.ptx.sreg.tid.x",
	},
	{
		name: "kernel alias", machine: nvptx, fatal: true,
		ir: `define ptx_kernel void @k() {
				ret void
			}
			@other = alias void (), ptr @k
			!nvvm.annotations = !{!0}
			!0 = !{ptr @k, !"kernel", i32 1}`,
		message: "NVPTX aliasee must be a non-kernel function definition",
	},
	{
		name: "inline assembly", machine: x86,
		ir: `define void @k() {
				call void asm sideeffect "no such instruction", ""()
				ret void
			}`,
		message: "unexpected token in argument list",
	},
	{
		name: "cmpxchg of constant memory", machine: amd,
		ir: `define void @k(ptr addrspace(4) %p, i32 %x) {
				%r = cmpxchg ptr addrspace(4) %p, i32 %x, i32 %x seq_cst seq_cst
				ret void
			}`,
		message: "Unsupported atomic address space",
	},
	{
		name: "wide cmpxchg", machine: nvptx, only: 22,
		ir: `define void @k(ptr %p, i128 %x) {
				%r = cmpxchg ptr %p, i128 %x, i128 %x seq_cst seq_cst
				ret void
			}`,
		message: "unsupported cmpxchg",
	},
	{
		name: "cmpxchg without an instruction", machine: nvptx, fatal: true, only: 19,
		ir: `define void @k(ptr addrspace(4) %p, i32 %x) {
				%r = cmpxchg ptr addrspace(4) %p, i32 %x, i32 %x seq_cst seq_cst
				ret void
			}`,
		message: "Cannot select: ",
	},
}

func (f *fault) applies() bool { return f.only == 0 || f.only == llvm.Current().Major }

// generate parses f's module and generates code for it. Called outside Run it
// has none of Run's guards.
func (f *fault) generate(guard func(c *llvm.Context)) error {
	machine, err := llvm.NewMachine(f.machine)
	if err != nil {
		return err
	}
	defer machine.Close()
	c := llvm.NewContext()
	defer c.Close()
	if guard != nil {
		guard(c)
	}
	m, err := c.Parse(f.name, []byte(f.ir))
	if err != nil {
		return err
	}
	capi.SetTarget(m.Ref(), machine.Triple())
	capi.SetDataLayout(m.Ref(), machine.DataLayout())
	output := llvm.Object
	if f.machine.Triple == nvptx.Triple {
		output = llvm.Assembly // it has no other
	}
	_, err = machine.Emit(m, output)
	return err
}

// check compares the error that a fault gave with what it should give.
func (f *fault) check(err error) error {
	var fatal *llvm.FatalError
	var reported *llvm.DiagnosticError
	switch {
	case err == nil || !strings.Contains(err.Error(), f.message):
		return fmt.Errorf("%s: error is %v, want one with %q", f.name, err, f.message)
	case f.fatal && (!errors.As(err, &fatal) || fatal.What != f.name):
		return fmt.Errorf("%s: error is a %T, want a %T", f.name, err, fatal)
	case !f.fatal && !errors.As(err, &reported):
		return fmt.Errorf("%s: error is a %T, want a %T", f.name, err, reported)
	}
	return nil
}

func goodCompile() error {
	good := fault{name: "good", machine: x86, ir: squareIR}
	return llvm.Run(context.Background(), "good", func() error { return good.generate(nil) })
}

// childMode tells a test binary started by child what to do.
const childMode = "KILN_LLVM_TEST_CHILD"

// child runs TestChild in a process of its own, on the same library.
func child(t *testing.T, mode string) (stderr string, err error) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^TestChild$", fmt.Sprintf("-llvm=%d", llvm.Current().Major))
	command.Env = append(os.Environ(), childMode+"="+mode)
	var stdout, errors strings.Builder
	command.Stdout, command.Stderr = &stdout, &errors
	err = command.Run()
	stderr = errors.String()
	if len(stderr) > 400 {
		stderr = stderr[:400] + "..."
	}
	if err != nil {
		t.Logf("%s: %v\n%s%s", mode, err, stdout.String(), stderr)
	}
	return stderr, err
}

func TestChild(t *testing.T) {
	mode, name, _ := strings.Cut(os.Getenv(childMode), ":")
	var f *fault
	for i := range faults {
		if faults[i].name == name && faults[i].applies() {
			f = &faults[i]
		}
	}
	guardless := func(c *llvm.Context) { capi.ContextSetDiagnosticHandler(c.Ref(), 0, 0) }
	run := func(guard func(c *llvm.Context)) error {
		return llvm.Run(context.Background(), f.name, func() error { return f.generate(guard) })
	}
	switch mode {
	case "":
		t.Skip("for child processes")
	case "guarded":
		if err := f.check(run(nil)); err != nil {
			t.Error(err)
		}
		if err := goodCompile(); err != nil {
			t.Errorf("after %s: %v", f.name, err)
		}
		if f.fatal != (llvm.LostThreads() == 1) {
			t.Errorf("%d threads lost", llvm.LostThreads())
		}
	case "no fatal handler":
		capi.ResetFatalErrorHandler()
		t.Errorf("survived: %v", run(nil))
	case "no diagnostic handler":
		t.Errorf("survived: %v", run(guardless))
	case "not our thread":
		t.Errorf("survived: %v", f.generate(nil))
	case "leak":
		if err := llvm.Run(context.Background(), "leak", func() error { llvm.NewContext().NewModule("m"); return nil }); err != nil {
			t.Error(err)
		}
	case "many":
		manyFaults(t)
	}
}

// TestFaults: each fault is an error, nothing reaches the error stream, and
// the process goes on to compile. Without the guard that the fault is for, it
// ends the process.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		if !f.applies() {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			if stderr, err := child(t, "guarded:"+f.name); err != nil || stderr != "" {
				t.Errorf("with the guards: %v, error stream %q", err, stderr)
			}
			mode, printed := "no diagnostic handler", "error: "
			if f.fatal {
				mode, printed = "no fatal handler", "LLVM ERROR: "
			}
			stderr, err := child(t, mode+":"+f.name)
			var exit *exec.ExitError
			if !errors.As(err, &exit) || !strings.Contains(stderr, printed) || strings.Contains(stderr, "survived") {
				t.Errorf("with %s: %v, error stream %q", mode, err, stderr)
			}
		})
	}
	t.Run("foreign thread", func(t *testing.T) {
		stderr, err := child(t, "not our thread:intrinsic")
		if err == nil || !strings.Contains(stderr, "LLVM ERROR: "+faults[0].message) {
			t.Errorf("a fault on a thread that is not Run's: %v, error stream %q", err, stderr)
		}
	})
}

// TestManyFaults: 200 fatal errors, 16 at a time, then a good compile.
func TestManyFaults(t *testing.T) {
	if stderr, err := child(t, "many"); err != nil || stderr != "" {
		t.Errorf("%v, error stream %q", err, stderr)
	}
}

func manyFaults(t *testing.T) {
	const rounds, atOnce = 200, 16
	llvm.SetMaxLostThreads(rounds)
	gate := make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for i := range rounds {
		f := &faults[i%2]
		gate <- struct{}{}
		group.Go(func() {
			err := llvm.Run(context.Background(), f.name, func() error { return f.generate(nil) })
			if err := f.check(err); err != nil {
				t.Error(err)
			}
			<-gate
		})
	}
	group.Wait()
	if got := llvm.LostThreads(); got != rounds {
		t.Errorf("%d threads lost, want %d", got, rounds)
	}
	if open := llvm.Live(); len(open) != 0 {
		t.Errorf("%d handles still counted as open", len(open))
	}
	if err := goodCompile(); !errors.Is(err, llvm.ErrTooManyFaults) {
		t.Errorf("at the limit: %v, want %v", err, llvm.ErrTooManyFaults)
	}
	llvm.SetMaxLostThreads(rounds + 1)
	if err := goodCompile(); err != nil {
		t.Errorf("after %d faults: %v", rounds, err)
	}
}
