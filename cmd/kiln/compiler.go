package main

import (
	"cmp"
	"context"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/worker"
	"github.com/kilnjit/kiln/image"
)

// thisProgram is the program that runs, also when its file was replaced.
const thisProgram = "/proc/self/exe"

// workerOptions say that modules are compiled by a process of their own: they
// may come from anywhere, and LLVM crashes of some.
func (s *session) workerOptions() kiln.WorkerOptions {
	return kiln.WorkerOptions{
		Path:   cmp.Or(s.config.Compiler, thisProgram),
		Always: !s.config.InProcess,
		Time:   s.config.CompileTime, Memory: s.config.CompileMemory,
	}
}

// compiler compiles as the environment asks for, beside the cache.
type compiler struct {
	*compile.Compiler
	workers *worker.Pool // nil where it is done in this process
}

func (s *session) openCompiler(config compile.Config) (*compiler, error) {
	here, err := compile.New(config)
	if err != nil || s.config.InProcess {
		return &compiler{Compiler: here}, err
	}
	o := s.workerOptions()
	workers, err := worker.New(worker.Options{Path: o.Path, Time: o.Time, Memory: o.Memory, Compile: config, Processes: 1})
	return &compiler{here, workers}, err
}

// Compile makes the image that r asks for.
func (c *compiler) Compile(ctx context.Context, r compile.Request) (*image.Image, error) {
	if c.workers != nil {
		return c.workers.Compile(ctx, r)
	}
	return c.Compiler.Compile(ctx, r)
}

// Summarise describes a module.
func (c *compiler) Summarise(ctx context.Context, module []byte) (*image.Summary, error) {
	if c.workers != nil {
		return c.workers.Summarise(ctx, module)
	}
	return c.Compiler.Summarise(ctx, module)
}

// Close ends what was started.
func (c *compiler) Close() error {
	if c.workers != nil {
		return c.workers.Close()
	}
	return c.Compiler.Close()
}
