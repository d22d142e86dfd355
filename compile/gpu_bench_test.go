package compile

import (
	"context"
	"testing"
	"time"

	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// BenchmarkPTX sets PTX through the engine against libLLVM alone on the same
// module, as BenchmarkCompile does for a CPU.
func BenchmarkPTX(b *testing.B) {
	c := newCompiler(b, Config{Tools: bare})
	whole := spmdModule(b, "bench.sm_80.raw.bc")
	for _, kernel := range []string{"saxpy", "matmul_tiled", "reduce_block", "stencil7", "poly"} {
		b.Run(kernel, func(b *testing.B) {
			r := gpuRequest(b, c, alone(b, whole, kernel), kernel, "sm_80")
			ours, raw := time.Hour, time.Hour
			for b.Loop() {
				began := time.Now()
				mustCompile(b, c, r)
				ours = min(ours, time.Since(began))
				began = time.Now()
				if err := rawPTX(&r); err != nil {
					b.Fatal(err)
				}
				raw = min(raw, time.Since(began))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(ours.Microseconds()), "µs-kiln")
			b.ReportMetric(float64(raw.Microseconds()), "µs-raw")
			b.ReportMetric(float64(ours)/float64(raw), "ratio")
		})
	}
}

// rawPTX is the least that libLLVM needs for PTX.
func rawPTX(r *Request) error {
	return llvm.Run(context.Background(), "raw", func() error {
		context := llvm.NewContext()
		defer context.Close()
		m, err := context.Parse("raw", r.Module)
		if err != nil {
			return err
		}
		machine, err := llvm.NewMachine(llvm.MachineOptions{Triple: r.Target.Triple, CPU: r.Target.Processor, Features: "+ptx70"})
		if err != nil {
			return err
		}
		defer machine.Close()
		capi.SetTarget(m.Ref(), machine.Triple())
		capi.SetDataLayout(m.Ref(), machine.DataLayout())
		if err := m.RunPasses("default<O3>", machine, llvm.PassOptions{}); err != nil {
			return err
		}
		_, err = machine.Emit(m, llvm.Assembly)
		return err
	})
}

// BenchmarkCubin shows what an assembler adds to the PTX, and how much of that
// is not its own, in µs.
func BenchmarkCubin(b *testing.B) {
	for _, assembler := range []string{tool.NVJitLink, tool.PTXAS} {
		b.Run(assembler, func(b *testing.B) {
			search := tool.Search{CUDA: []string{cuda(b, "cuda12")}, Only: true, Assembler: assembler}
			c := newCompiler(b, Config{Tools: search})
			cubin := gpuRequest(b, c, alone(b, spmdModule(b, "bench.sm_80.raw.bc"), "matmul_tiled"), "matmul_tiled", "sm_80")
			ptx := cubin
			ptx.Tools.Assembler = tool.Identity{}
			text := mustCompile(b, c, ptx).Payload
			assemble := search.Assemblers().Tools[0]
			whole, front, own := time.Hour, time.Hour, time.Hour
			for b.Loop() {
				began := time.Now()
				mustCompile(b, c, cubin)
				whole = min(whole, time.Since(began))
				began = time.Now()
				mustCompile(b, c, ptx)
				front = min(front, time.Since(began))
				began = time.Now()
				if _, err := assemble.Assemble(context.Background(), text, "sm_80", false); err != nil {
					b.Fatal(err)
				}
				own = min(own, time.Since(began))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(whole.Microseconds()), "µs-cubin")
			b.ReportMetric(float64(front.Microseconds()), "µs-PTX")
			b.ReportMetric(float64(own.Microseconds()), "µs-assembler")
			b.ReportMetric(float64((whole - front - own).Microseconds()), "µs-between")
		})
	}
}

// BenchmarkDeviceLibrary shows what linking a kernel that needs the device
// library takes, in µs.
func BenchmarkDeviceLibrary(b *testing.B) {
	var link time.Duration
	c := newCompiler(b, Config{Tools: tool.Search{CUDA: []string{cuda(b, "cuda12")}, Only: true, Assembler: "none"}, Observe: func(e Event) {
		if e.Stage == StageLink {
			link = min(link, e.Duration)
		}
	}})
	const module = ptxHeader + `declare float @__nv_expf(float)
define ptx_kernel void @k(ptr %p) {
  %x = load float, ptr %p
  %y = call float @__nv_expf(float %x)
  store float %y, ptr %p
  ret void
}
`
	r := gpuRequest(b, c, []byte(module), "k", "sm_80")
	link = time.Hour
	for b.Loop() {
		mustCompile(b, c, r)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(link.Microseconds()), "µs-link")
}
