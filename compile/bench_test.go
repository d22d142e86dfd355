package compile

import (
	"context"
	"testing"
	"time"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/internal/llvm/llvmtest"
)

// BenchmarkCompile sets a cold compile of a host function against libLLVM
// alone on the same module (parse, default<O3>, emit), turn about in one run:
// "ratio" is the least time of the one over the least of the other.
func BenchmarkCompile(b *testing.B) {
	c := newCompiler(b, Config{})
	whole := hostModule(b, c)
	modules := map[string][]byte{
		"polynomial_all": alone(b, whole, "polynomial_all"),
		"saxpy":          alone(b, whole, "saxpy"),
		"box_sum":        alone(b, whole, "box_sum"),
	}
	for kernel, module := range modules {
		b.Run(kernel, func(b *testing.B) { compare(b, c, module, kernel) })
		b.Run(kernel+"/of_23", func(b *testing.B) { compare(b, c, whole, kernel) })
	}
}

func compare(b *testing.B, c *Compiler, module []byte, kernel string) {
	r := Request{Module: module, Kernel: kernel, Target: native(b, c), Toolchain: c.Toolchain()}
	ours, raw := time.Hour, time.Hour
	for b.Loop() {
		began := time.Now()
		if _, err := c.Compile(context.Background(), r); err != nil {
			b.Fatal(err)
		}
		ours = min(ours, time.Since(began))
		began = time.Now()
		if err := rawCompile(&r); err != nil {
			b.Fatal(err)
		}
		raw = min(raw, time.Since(began))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(ours.Microseconds()), "µs-kiln")
	b.ReportMetric(float64(raw.Microseconds()), "µs-raw")
	b.ReportMetric(float64(ours)/float64(raw), "ratio")
}

// rawCompile is the least that libLLVM needs for an object.
func rawCompile(r *Request) error {
	return llvm.Run(context.Background(), "raw", func() error {
		context := llvm.NewContext()
		defer context.Close()
		m, err := context.Parse("raw", r.Module)
		if err != nil {
			return err
		}
		machine, err := llvm.NewMachine(llvm.MachineOptions{Triple: r.Target.Triple, CPU: r.Target.Processor, Features: r.Target.Features})
		if err != nil {
			return err
		}
		defer machine.Close()
		capi.SetTarget(m.Ref(), machine.Triple())
		capi.SetDataLayout(m.Ref(), machine.DataLayout())
		if err := m.RunPasses("default<O3>", machine, llvm.PassOptions{}); err != nil {
			return err
		}
		_, err = machine.Emit(m, llvm.Object)
		return err
	})
}

// alone returns a module that holds the kernel and nothing else, as bitcode.
func alone(b testing.TB, module []byte, kernel string) []byte {
	b.Helper()
	var bitcode []byte
	llvmtest.Within(b, func(c *llvm.Context) error {
		m, err := c.Parse("alone", module)
		if err != nil {
			return err
		}
		code := newCode(c.Ref(), m.Ref())
		f, err := code.find(kernel)
		if err != nil {
			return err
		}
		code.isolate(f, 0)
		if err := m.RunPasses("globaldce", nil, llvm.PassOptions{}); err != nil {
			return err
		}
		capi.SetVisibility(f, capi.DefaultVisibility)
		// Both sides compile for the machine's target alone.
		for g := range code.functions {
			for _, name := range []string{"target-cpu", "target-features", "tune-cpu"} {
				capi.RemoveStringAttributeAtIndex(g, capi.AttributeFunctionIndex, name)
			}
		}
		bitcode, err = m.Bitcode()
		return err
	})
	return bitcode
}

func BenchmarkSummarise(b *testing.B) {
	c := newCompiler(b, Config{})
	module := hostModule(b, c)
	for b.Loop() {
		if _, err := c.Summarise(context.Background(), module); err != nil {
			b.Fatal(err)
		}
	}
}
