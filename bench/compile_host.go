package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

var compileHost = benchmark{
	name:  "compile-host",
	title: "Cold compile of a host function",
	how: "`Engine.Compile` of a module with one function, nothing cached, against libLLVM called directly on the same " +
		"bytes for the same processor: parse, `default<O3>`, emit an object.",
	run: runCompileHost,
}

func runCompileHost(ctx context.Context, b *bench) ([]row, error) {
	compiler, err := compile.New(compile.Config{})
	if err != nil {
		return nil, err
	}
	defer compiler.Close()
	native, err := target.Native()
	if err != nil {
		return nil, err
	}
	native = native.Narrow(compiler.LLVMMajor())
	var rows []row
	for _, path := range []string{"examples/polynomial/polynomial.bc", "testdata/omp/mathk.x86_64.bc", "testdata/omp/generic.x86_64.bc"} {
		module, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		summary, err := compiler.Summarise(ctx, module)
		if err != nil {
			return nil, err
		}
		if len(summary.Kernels) != 1 {
			return nil, fmt.Errorf("%s has %d functions, want the one", path, len(summary.Kernels))
		}
		request := compile.Request{Module: module, Kernel: summary.Kernels[0].Name, Target: native, Toolchain: compiler.Toolchain()}
		times, err := timeCompiles(ctx, b, request)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		rows = append(rows, row{
			Work: filepath.Base(path), Unit: "ms", Kiln: scaled(times[0], "ms"),
			Against: []rival{{Name: "floor: raw libLLVM", Sample: scaled(times[1], "ms")}},
		}.times(1.10, least, "floor: raw libLLVM"))
	}
	return rows, nil
}

func timeCompiles(ctx context.Context, b *bench, request compile.Request) ([][]float64, error) {
	// An engine remembers what it has made, so each compile gets a new one;
	// opening it is not what is measured.
	rounds := b.rounds(60, 5)
	var engines []*kiln.Engine
	for range rounds + 1 {
		e, err := kiln.Open(kiln.Options{Workers: 1, Cache: kiln.CacheOptions{Off: true}})
		if err != nil {
			return nil, err
		}
		defer e.Close()
		engines = append(engines, e)
	}
	next := 0
	ours := func() error {
		_, err := engines[next].Compile(ctx, request)
		next++
		return err
	}
	raw := func() error { return rawCompile(ctx, request) }
	if err := ours(); err != nil { // opens LLVM
		return nil, err
	}
	return interleave(rounds, ours, raw)
}

// rawCompile does what any program would that calls libLLVM itself.
func rawCompile(ctx context.Context, r compile.Request) error {
	return llvm.Run(ctx, "compiling for the floor", func() error {
		c := llvm.NewContext()
		defer c.Close()
		m, err := c.Parse("module", r.Module)
		if err != nil {
			return err
		}
		machine, err := llvm.NewMachine(llvm.MachineOptions{Triple: r.Target.Triple, CPU: r.Target.Processor, Features: r.Target.Features})
		if err != nil {
			return err
		}
		defer machine.Close()
		// Both sides make code for this processor, not for the one of the file.
		for f := capi.GetFirstFunction(m.Ref()); f != 0; f = capi.GetNextFunction(f) {
			for _, name := range []string{"target-cpu", "target-features", "tune-cpu"} {
				capi.RemoveStringAttributeAtIndex(f, capi.AttributeFunctionIndex, name)
			}
		}
		if err := m.RunPasses("default<O3>", machine, llvm.PassOptions{}); err != nil {
			return err
		}
		_, err = machine.Emit(m, llvm.Object)
		return err
	})
}
