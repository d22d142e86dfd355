package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/manifest"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/envconf"
	"github.com/kilnjit/kiln/specialize"
)

type cacheWarmCommand struct {
	Manifest string `arg:"" help:"A manifest, or the folder that KILN_RECORD named."`
	Target   string `placeholder:"T" help:"Compile for this target, such as native, and not for the one each kernel names."`
	Jobs     int    `short:"j" placeholder:"N" help:"How many compile at a time. Default: as many as there are processors."`
}

type warmResult struct {
	Kernels  int      `json:"kernels"`
	Compiled int      `json:"compiled"`
	Present  int      `json:"present"`
	Failed   []string `json:"failed"`
	NS       int64    `json:"ns"`
}

// warming is a warm-up under way.
type warming struct {
	engine   *kiln.Engine
	compiler *compile.Compiler
	target   string

	mu      sync.Mutex
	modules map[string]*kiln.Module
	data    map[string][]byte
}

// Run compiles what the manifest names and the cache lacks. What fails is told
// at the end; the rest is done all the same.
func (c *cacheWarmCommand) Run(s *session) error {
	if s.config.Cache != envconf.CacheOn {
		return usage("there is no cache to fill: KILN_CACHE is off or ro")
	}
	kernels, err := manifest.Read(c.Manifest)
	if err != nil {
		return &inputError{err}
	}
	compiler, err := compile.New(compile.Config{LLVM: s.config.LLVM, Tools: s.tools()})
	if err != nil {
		return err
	}
	defer compiler.Close()
	// What is recorded need not be recorded again.
	s.config.Record = ""
	var seen warmCount
	engine, err := s.openWarmEngine(&seen, c.Jobs)
	if err != nil {
		return err
	}
	defer engine.Close()
	w := &warming{
		engine: engine, compiler: compiler, target: c.Target,
		modules: map[string]*kiln.Module{}, data: map[string][]byte{},
	}
	began := time.Now()
	failed := w.all(s, kernels, c.Jobs)
	result := &warmResult{Kernels: len(kernels), Compiled: seen.compiled, Present: seen.present, Failed: []string{}, NS: time.Since(began).Nanoseconds()}
	for _, err := range failed {
		result.Failed = append(result.Failed, err.Error())
	}
	if s.json {
		err = s.printJSON(result)
	} else {
		_, err = fmt.Fprintf(s.stdout, "%d kernels: %d compiled, %d there already, %d failed, in %s\n",
			result.Kernels, result.Compiled, result.Present, len(failed), duration(result.NS))
	}
	if err == nil && len(failed) > 0 {
		err = errors.Join(failed...)
	}
	return err
}

// warmCount is what an engine did, from several goroutines.
type warmCount struct {
	mu                sync.Mutex
	compiled, present int
}

func (s *session) openWarmEngine(seen *warmCount, jobs int) (*kiln.Engine, error) {
	options := s.engineOptions()
	options.Worker.Processes = jobs
	options.Events.Warning = func(err error) { fmt.Fprintf(s.stderr, "kiln: warning: %v\n", err) }
	options.Events.CompileEnd = func(r kiln.CompileResult) {
		if r.Kernel != "" && r.Err == nil {
			seen.mu.Lock()
			seen.compiled++
			seen.mu.Unlock()
		}
	}
	options.Events.CacheLookup = func(l kiln.CacheLookup) {
		if l.Kernel != "" && l.Hit {
			seen.mu.Lock()
			seen.present++
			seen.mu.Unlock()
		}
	}
	return kiln.Open(options)
}

// all warms the cache with each kernel and returns what failed, in their order.
func (w *warming) all(s *session, kernels []manifest.Kernel, jobs int) []error {
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	tally := newTally(s.stderr, len(kernels))
	failed := make([]error, len(kernels))
	next := make(chan int)
	var group sync.WaitGroup
	for range min(jobs, len(kernels)) {
		group.Go(func() {
			for i := range next {
				failed[i] = w.one(&kernels[i])
				tally.step(kernels[i].Kernel)
			}
		})
	}
	for i := range kernels {
		next <- i
	}
	close(next)
	group.Wait()
	tally.end()
	return slices.DeleteFunc(failed, func(err error) bool { return err == nil })
}

// one makes sure that the cache has one kernel's image and its module's summary.
func (w *warming) one(k *manifest.Kernel) error {
	ctx := context.Background()
	if w.target != "" {
		k.Target = w.target
	}
	if k.Target == "native" {
		k.Target = ""
	}
	module, data, err := w.load(ctx, k.Module)
	if err != nil {
		return err
	}
	r, err := k.Request(w.compiler.LLVMMajor(), func(argument, value string) (specialize.Constant, error) {
		kernels := module.Summary().Kernels
		i := slices.IndexFunc(kernels, func(d image.Kernel) bool { return d.Name == k.Kernel })
		if i < 0 {
			return specialize.Constant{}, noKernel(k.Module, k.Kernel, module.Summary())
		}
		return parseConstant(&kernels[i], argument+"="+value)
	})
	if err != nil {
		return &inputError{err}
	}
	r.Module, r.ModuleDigest, r.Toolchain = data, module.Digest(), w.compiler.Toolchain()
	if r.Tools, err = w.compiler.Tools(r.Target); err != nil {
		return err
	}
	_, err = w.engine.Compile(ctx, r)
	return err
}

// load returns a module that several kernels may be of.
func (w *warming) load(ctx context.Context, path string) (*kiln.Module, []byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := w.modules[path]; m != nil {
		return m, w.data[path], nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, &inputError{err}
	}
	m, err := w.engine.Load(ctx, kiln.Bytes(path, data))
	if err != nil {
		return nil, nil, err
	}
	w.modules[path], w.data[path] = m, data
	return m, data, nil
}
