package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/bench/workload"
	"github.com/kilnjit/kiln/internal/llvm"
)

var compileGPU = benchmark{
	name:  "compile-gpu",
	title: "Cold compile of a GPU kernel for the CPU",
	how: "Bitcode in memory to an image, nothing cached; each row is the slowest of the sm_80, gfx90a and x86-64 " +
		"(OpenCL C) images of the kernel. *LLVM's own* is its pass pipelines, its parser for the bitcode and its code " +
		"generator in the same compiles. The transformation is what kiln does in the stages extract, specialise and spmd, " +
		"text printing and parsing included, pass pipelines that run inside them not.",
	run: runCompileGPU,
}

var gpuKernels = []string{"saxpy", "matmul_naive", "stencil7", "nbody", "mandelbrot", "poly"}

// compiled is the times of one compile in ns.
type compiled struct{ total, llvm, transform float64 }

func runCompileGPU(ctx context.Context, b *bench) ([]row, error) {
	set, err := workload.Load("testdata/spmd", workload.Small)
	if err != nil {
		return nil, err
	}
	var totals, transforms []row
	for _, name := range gpuKernels {
		for _, constant := range []bool{false, true} {
			work := name + map[bool]string{true: ", all constant"}[constant]
			var total, transform row
			for _, image := range []string{"sm_80.raw", "gfx90a.raw", "x86_64"} {
				var all, own, changed []float64
				for range b.rounds(15, 2) {
					c, err := compileKernel(ctx, set.Image(image), set.Kernel(name), constant)
					if err != nil {
						return nil, fmt.Errorf("%s of %s: %w", name, image, err)
					}
					all, own, changed = append(all, c.total), append(own, c.llvm), append(changed, c.transform)
				}
				if s := scaled(all, "ms"); s.Min > total.Kiln.Min {
					total = row{Work: work + " (" + image + ")", Unit: "ms", Kiln: s,
						Against: []rival{{Name: "floor: LLVM's own", Sample: scaled(own, "ms")}}}.atMost(60, least)
				}
				if s := scaled(changed, "ms"); s.Min > transform.Kiln.Min {
					transform = row{Work: work + " (" + image + "), transformation", Unit: "ms", Kiln: s}.atMost(5, least)
				}
			}
			totals, transforms = append(totals, total), append(transforms, transform)
		}
	}
	return append(totals, transforms...), nil
}

// compileKernel compiles one kernel in an engine of its own.
func compileKernel(ctx context.Context, path string, kernel *workload.Kernel, constant bool) (c compiled, err error) {
	var passes time.Duration
	var result kiln.CompileResult
	engine, err := kiln.Open(kiln.Options{
		Workers: 1,
		Cache:   kiln.CacheOptions{Off: true},
		Events: kiln.Events{
			CompileBegin: func(kiln.CompileInfo) { passes = llvm.PassTime() },
			CompileEnd:   func(r kiln.CompileResult) { result, passes = r, llvm.PassTime()-passes },
		},
	})
	if err != nil {
		return c, err
	}
	defer engine.Close()
	module, err := engine.Load(ctx, kiln.File(path))
	if err != nil {
		return c, err
	}
	k, err := module.Kernel(kernel.Name)
	if err != nil {
		return c, err
	}
	if err := k.Launch(ctx, kernel.Make().Launch(constant)...); err != nil {
		return c, err
	}
	c.total = float64(result.Duration)
	c.llvm = float64(passes)
	for _, s := range result.Stages {
		switch s.Stage {
		case "parse", "generate":
			c.llvm += float64(s.Duration)
		case "extract", "specialise", "spmd", "optimise":
			// The pipelines of these are in passes; of optimise nothing else counts.
			c.transform += float64(s.Duration)
		}
	}
	c.transform -= float64(passes)
	if c.transform <= 0 || !strings.HasPrefix(result.Kernel, kernel.Name) {
		return c, fmt.Errorf("stages %v do not add up", result.Stages)
	}
	return c, nil
}
