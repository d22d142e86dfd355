package spmd_test

import (
	"context"
	"testing"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/spmd"
)

// BenchmarkLower takes kernels from a module in memory to the lowered module,
// LLVM's simplifying passes included. The module's other kernels are there too.
func BenchmarkLower(b *testing.B) {
	benchmarks := manifest(b, "small")
	for _, from := range []string{"bench.sm_80.raw", "bench.gfx90a.raw", "kernels.cl.x86_64"} {
		data := source(b, from)
		for _, kernel := range barrierFree {
			b.Run(from+"/"+kernel, func(b *testing.B) {
				bm := benchmarks[kernel]
				_, params, _ := bm.values(b)
				if _, _, err := image.Layout(params, nil); err != nil {
					b.Fatal(err)
				}
				err := llvm.Run(context.Background(), "benchmark", func() error {
					machine, err := llvm.NewMachine(llvm.MachineOptions{Triple: llvm.HostTriple()})
					if err != nil {
						return err
					}
					defer machine.Close()
					ctx := llvm.NewContext()
					defer ctx.Close()
					m, err := ctx.Parse(kernel, data)
					if err != nil {
						return err
					}
					for b.Loop() {
						r, err := spmd.Lower(m, kernel, spmd.Options{
							Triple: machine.Triple(), DataLayout: machine.DataLayout(), Machine: machine, Params: params,
						})
						if err != nil {
							return err
						}
						r.Module.Close()
					}
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
