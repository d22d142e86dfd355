package spmd_test

import (
	"context"
	"testing"
	"time"

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
		for _, kernel := range append([]string{"matmul_tiled", "reduce_block", "scan_block"}, barrierFree...) {
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

// BenchmarkLaunch runs the benchmark kernels whose work-items meet at their
// full size, on two workers that share the groups.
func BenchmarkLaunch(b *testing.B) {
	benchmarks := manifest(b, "full")
	for _, from := range []string{"bench.sm_80.raw", "bench.gfx90a.raw", "kernels.cl.x86_64"} {
		data := source(b, from)
		for _, kernel := range []string{"matmul_tiled", "reduce_block", "scan_block", "nbody_tiled", "histogram"} {
			bm := benchmarks[kernel]
			for _, fixed := range []bool{false, true} {
				name := from + "/" + kernel
				options := spmd.Options{MaxBlock: 256}
				if fixed {
					name, options.Block = name+"/fixed", bm.Block
				}
				b.Run(name, func(b *testing.B) {
					args, params, _ := bm.values(b)
					c := compile(b, data, kernel, params, options)
					groups := uint64(bm.Grid[0]) * uint64(bm.Grid[1]) * uint64(bm.Grid[2])
					least := time.Hour
					for b.Loop() {
						start := time.Now()
						half := make(chan bool)
						go func() {
							c.run(b, bm.Grid, bm.Block, 0, groups/2, args...)
							close(half)
						}()
						c.run(b, bm.Grid, bm.Block, groups/2, groups, args...)
						<-half
						least = min(least, time.Since(start))
					}
					b.ReportMetric(float64(least.Microseconds())/1000, "least-ms")
					t := c.timings
					b.ReportMetric(float64((t.lower+t.optimise+t.emit).Microseconds())/1000, "cold-ms")
					b.ReportMetric(float64(t.lower.Microseconds())/1000, "lower-ms")
				})
			}
		}
	}
}
