package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
)

type benchCommand struct {
	File   string   `arg:"" help:"Bitcode, textual IR or a source, as for run."`
	Kernel string   `arg:"" help:"The kernel's name in the file."`
	Args   []string `arg:"" optional:"" name:"arg" help:"The kernel's arguments, in order, as for run."`

	launchFlags
	Time time.Duration `default:"1s" help:"How long to launch each of the two versions."`
}

// Help is shown by kiln bench --help.
func (*benchCommand) Help() string {
	return `Launches two versions of the kernel by turns: the generic one, with nothing compiled in but what kiln compiles in by
itself, and the specialised one, with what const:, --const-block and --const-grid name or, where none of them is
given, with every number, the block and the grid. Buffers go on from where the launch before left them.

Arguments:

  ` + indent(argument.Grammar)
}

// benchResult is what bench prints with --json.
type benchResult struct {
	File        string       `json:"file"`
	Kernel      string       `json:"kernel"`
	Target      string       `json:"target"`
	Grid        [3]uint32    `json:"grid,omitzero"`
	Block       [3]uint32    `json:"block,omitzero"`
	Generic     benchVersion `json:"generic"`
	Specialised benchVersion `json:"specialised"`
	// Fixed is what the specialised version has compiled in: "a=2", "block=256".
	Fixed []string `json:"fixed"`
	// Speedup is the generic median over the specialised one.
	Speedup float64 `json:"speedup"`
}

// benchVersion is what one version took, in ns a launch.
type benchVersion struct {
	// Code is "compiled" or "cache", CompileNS what compiling took.
	Code      string  `json:"code"`
	CompileNS int64   `json:"compile_ns"`
	FirstNS   int64   `json:"first_ns"`
	Launches  int     `json:"launches"`
	Samples   int     `json:"samples"`
	MinNS     float64 `json:"min_ns"`
	MedianNS  float64 `json:"median_ns"`
	P90NS     float64 `json:"p90_ns"`

	launch []kiln.LaunchArg
	batch  int
	times  []float64
}

// Run measures both versions and prints them side by side.
func (c *benchCommand) Run(s *session) error {
	if c.Time <= 0 || c.Time > time.Hour {
		return usage("--time=%v: it takes a time up to an hour, such as 500ms or 3s", c.Time)
	}
	args, err := parseArguments(c.Args)
	if err != nil {
		return err
	}
	ctx := context.Background()
	var seen observed
	engine, err := s.openEngine(&seen)
	if err != nil {
		return err
	}
	defer engine.Close()
	module, err := s.load(ctx, engine, c.File)
	if err != nil {
		return err
	}
	kernel, err := findKernel(module, c.Kernel, compile.Options{Opt: c.O.OptLevel})
	if err != nil {
		return err
	}
	result := &benchResult{File: c.File, Kernel: c.Kernel, Target: engine.Device().Target().Processor}
	if err := c.prepare(kernel.Info(), args, result); err != nil {
		return err
	}
	result.Grid, result.Block = c.Grid.dims, c.Block.dims
	for _, v := range []*benchVersion{&result.Generic, &result.Specialised} {
		seen = observed{}
		if err := v.first(ctx, s, kernel, &seen); err != nil {
			return err
		}
	}
	if err := c.sample(ctx, s, kernel, result); err != nil {
		return err
	}
	result.Speedup = result.Generic.MedianNS / result.Specialised.MedianNS
	if s.json {
		return s.printJSON(result)
	}
	return result.print(s)
}

// prepare makes the arguments of both versions, on the same buffers.
func (c *benchCommand) prepare(k *image.Kernel, args []argument.Argument, r *benchResult) error {
	chosen := c.ConstGrid || c.ConstBlock || slices.ContainsFunc(args, func(a argument.Argument) bool { return a.Const })
	constGrid, constBlock := c.ConstGrid || !chosen, c.ConstBlock || !chosen
	plain := slices.Clone(args)
	for i := range plain {
		plain[i].Const = false
	}
	b, err := bind(k, plain, buffers{})
	if err != nil {
		return err
	}
	generic, err := c.shape(k, false, false)
	if err != nil {
		return err
	}
	specialised, err := c.shape(k, constGrid, constBlock)
	if err != nil {
		return err
	}
	r.Generic.launch = append(generic, b.launch...)
	for i := range args {
		value := b.launch[i]
		if fixable := args[i].Kind == argument.Scalar || b.values[i] != nil; args[i].Const || fixable && !chosen {
			value = b.constant(&k.Params[i], i)
			r.Fixed = append(r.Fixed, fixedName(&k.Params[i], &args[i], i))
		}
		specialised = append(specialised, value)
	}
	r.Specialised.launch = specialised
	if k.Convention == image.Grid && constBlock {
		r.Fixed = append(r.Fixed, "block="+c.Block.String())
	}
	if k.Convention == image.Grid && constGrid {
		r.Fixed = append(r.Fixed, "grid="+c.Grid.String())
	}
	if len(r.Fixed) == 0 {
		return usage("%s has nothing that could be compiled in; kiln run --repeat times it\n  %s", k.Name, signature(k))
	}
	returned := newReturned(&k.Result)
	r.Generic.launch = append(r.Generic.launch, returned.launch...)
	r.Specialised.launch = append(r.Specialised.launch, returned.launch...)
	return nil
}

// fixedName says what is compiled in: "a=2", or "argument 3=2" without a name.
func fixedName(p *image.Param, a *argument.Argument, i int) string {
	name := sourceName(p)
	if name == "" {
		name = fmt.Sprintf("argument %d", i)
	}
	_, value, _ := strings.Cut(a.Text, "=")
	return name + "=" + value
}

// first launches a version for the first time, and again to see how many
// launches a sample takes.
func (v *benchVersion) first(ctx context.Context, s *session, kernel *kiln.Kernel, seen *observed) error {
	end := s.progress.begin("compiling " + kernel.Name())
	defer end()
	start := time.Now()
	if err := kernel.Launch(ctx, v.launch...); err != nil {
		return err
	}
	v.FirstNS, v.CompileNS, v.Code = time.Since(start).Nanoseconds(), seen.compile.Nanoseconds(), "cache"
	if seen.compiles > 0 {
		v.Code = "compiled"
	}
	// A clock reading takes some 50 ns: a sample is at least 200 times that.
	const least = 10 * time.Microsecond
	for v.batch = 1; v.batch < 1<<20; v.batch *= 2 {
		took, err := v.time(ctx, kernel)
		if err != nil || took >= least {
			return err
		}
	}
	return nil
}

// time launches one batch.
func (v *benchVersion) time(ctx context.Context, kernel *kiln.Kernel) (time.Duration, error) {
	start := time.Now()
	for range v.batch {
		if err := kernel.Launch(ctx, v.launch...); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// maxSamples bounds what is kept of each version.
const maxSamples = 100_000

// sample takes samples of both versions by turns, so that what else the
// machine does meets both, until each has run for its time.
func (c *benchCommand) sample(ctx context.Context, s *session, kernel *kiln.Kernel, r *benchResult) error {
	end := s.progress.begin("launching " + kernel.Name())
	defer end()
	versions := []*benchVersion{&r.Generic, &r.Specialised}
	var spent [2]time.Duration
	for busy := true; busy; {
		busy = false
		for i, v := range versions {
			if len(v.times) > 0 && spent[i] >= c.Time || len(v.times) == maxSamples {
				continue
			}
			took, err := v.time(ctx, kernel)
			if err != nil {
				return err
			}
			spent[i] += took
			v.times = append(v.times, float64(took.Nanoseconds())/float64(v.batch))
			busy = true
		}
	}
	for _, v := range versions {
		slices.Sort(v.times)
		n := len(v.times)
		v.Samples, v.Launches = n, n*v.batch
		v.MinNS, v.MedianNS, v.P90NS = v.times[0], v.times[n/2], v.times[n*9/10]
	}
	return nil
}
