package llvm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
)

func TestRun(t *testing.T) {
	want := errors.New("mine")
	if err := llvm.Run(context.Background(), "work", func() error { return want }); err != want {
		t.Errorf("error is %v, want the function's own", err)
	}
	err := llvm.Run(context.Background(), "work", func() error { panic("boom") })
	var panicked *llvm.PanicError
	if !errors.As(err, &panicked) || panicked.Value != "boom" || err.Error() != "work: panic: boom" || !strings.Contains(panicked.Stack, "TestRun") {
		t.Errorf("panic gives %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := llvm.Run(ctx, "work", func() error { cancel(); return nil }); err != nil {
		t.Errorf("cancelled while running: %v", err)
	}
	began := false
	if err := llvm.Run(ctx, "work", func() error { began = true; return nil }); !errors.Is(err, context.Canceled) || began {
		t.Errorf("cancelled before: %v, began %v", err, began)
	}
}

// TestGivenUp: what a fault has taken is closed without a word, and is not
// counted as open; what other runs use is not touched.
func TestGivenUp(t *testing.T) {
	ctx := context.Background()
	var taken, other *llvm.Context
	var module *llvm.Module
	err := llvm.Run(ctx, "prepare", func() (err error) {
		taken, other = llvm.NewContext(), llvm.NewContext()
		module, err = taken.Parse("module", []byte(squareIR))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &faults[0]
	err = llvm.Run(ctx, f.name, func() error {
		machine, err := llvm.NewMachine(f.machine)
		if err != nil {
			return err
		}
		m, err := taken.Parse(f.name, []byte(f.ir))
		if err != nil {
			return err
		}
		_, err = machine.Emit(m, llvm.Object)
		return err
	})
	if err := f.check(err); err != nil {
		t.Fatal(err)
	}
	if open := llvm.Live(); len(open) != 1 {
		t.Errorf("open are %v, want the one context", open)
	}
	err = llvm.Run(ctx, "after", func() error {
		if _, err := taken.Parse("more", []byte(squareIR)); !errors.Is(err, llvm.ErrGivenUp) {
			t.Errorf("parsing into a lost context: %v, want %v", err, llvm.ErrGivenUp)
		}
		if err := module.Verify(); !errors.Is(err, llvm.ErrGivenUp) {
			t.Errorf("verifying a lost module: %v, want %v", err, llvm.ErrGivenUp)
		}
		module.Close()
		taken.Close()
		_, err := other.Parse("square", []byte(squareIR))
		other.Close()
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestMissingSymbol: calling what the library lacks names the symbol and who
// has it.
func TestMissingSymbol(t *testing.T) {
	err := llvm.Run(context.Background(), "work", func() error {
		if llvm.Current().Major == 19 {
			capi.GetNamedFunctionWithLength(0, "f")
		} else {
			capi.X86MMXType()
		}
		return nil
	})
	want := fmt.Sprintf("work: calling LLVMX86MMXType: %s does not have it; LLVM 19 does", llvm.Current().Path)
	if llvm.Current().Major == 19 {
		want = fmt.Sprintf("work: calling LLVMGetNamedFunctionWithLength: %s does not have it; LLVM 22 does", llvm.Current().Path)
	}
	var missing *llvm.MissingSymbol
	if !errors.As(err, &missing) || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

// TestConcurrent: compiles for all targets side by side, the targets being
// made ready meanwhile.
func TestConcurrent(t *testing.T) {
	arm := llvm.MachineOptions{Triple: "aarch64-unknown-linux-gnu"}
	var group sync.WaitGroup
	for i := range 16 {
		machine := []llvm.MachineOptions{x86, nvptx, amd, arm}[i%4]
		group.Go(func() {
			good := fault{name: machine.Triple, machine: machine, ir: "define void @k(ptr addrspace(1) %p) {\n  store i32 7, ptr addrspace(1) %p\n  ret void\n}\n"}
			err := llvm.Run(context.Background(), good.name, func() error { return good.generate(nil) })
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// TestLeftOpen: what a test leaves open fails the run, and is named.
func TestLeftOpen(t *testing.T) {
	stderr, err := child(t, "leak")
	for _, want := range []string{"left open: context from\n", "llvm_test.TestChild"} {
		if err == nil || !strings.Contains(stderr, want) {
			t.Errorf("%v, error stream %q, want one with %q", err, stderr, want)
		}
	}
}
