package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
)

type runCommand struct {
	File   string   `arg:"" help:"Bitcode or textual IR (.bc, .ll), or a source (.c, .cu, .hip, .cl) where clang is installed."`
	Kernel string   `arg:"" help:"The kernel's name in the file."`
	Args   []string `arg:"" optional:"" name:"arg" help:"The kernel's arguments, in order."`

	Grid       extent  `placeholder:"X[,Y[,Z]]" help:"Number of work-groups."`
	Block      extent  `placeholder:"X[,Y[,Z]]" help:"Work-items of a group."`
	ConstGrid  bool    `help:"Compile the grid's size into the kernel."`
	ConstBlock bool    `help:"Compile the block's size into the kernel."`
	Shared     string  `placeholder:"BYTES" help:"Dynamic shared memory of a group, such as 4Ki."`
	Check      string  `placeholder:"REF.C" help:"Compare with the C function of the kernel's name in this file."`
	Tolerance  float64 `default:"1e-5" help:"Largest difference that --check accepts, relative to the size of a buffer's values."`
	Repeat     int     `default:"0" placeholder:"N" help:"Launch N times more and print the least and the median time."`
	O          level   `name:"opt" short:"O" default:"3" placeholder:"LEVEL" help:"Optimisation: 0, 1, 2, 3, s or z."`
}

// Help is shown by kiln run --help.
func (*runCommand) Help() string { return "Arguments:\n\n  " + indent(argument.Grammar) }

// launchResult is what run prints with --json.
type launchResult struct {
	File   string `json:"file"`
	Kernel string `json:"kernel"`
	// Target is the processor the kernel was compiled for.
	Target string    `json:"target"`
	Grid   [3]uint32 `json:"grid,omitzero"`
	Block  [3]uint32 `json:"block,omitzero"`
	// Code says where the machine code came from: "compiled", "cache" or,
	// where nothing was launched, "none".
	Code      string `json:"code"`
	CompileNS int64  `json:"compile_ns"`
	// FirstNS is the first launch with all that came before it; RepeatMinNS and
	// RepeatMedianNS are of the launches of --repeat.
	FirstNS        int64         `json:"first_ns"`
	Repeat         int           `json:"repeat"`
	RepeatMinNS    int64         `json:"repeat_min_ns,omitzero"`
	RepeatMedianNS int64         `json:"repeat_median_ns,omitzero"`
	Result         *number64     `json:"result,omitempty"`
	Outputs        []outputSum   `json:"outputs"`
	Check          *checkOutcome `json:"check,omitempty"`
}

// outputSum is the sum of one out: buffer after the first launch.
type outputSum struct {
	Argument int      `json:"argument"` // from 0
	Name     string   `json:"name,omitempty"`
	Type     string   `json:"type"`
	Count    int      `json:"count"`
	Sum      number64 `json:"sum"`
}

// Run launches the kernel.
func (c *runCommand) Run(s *session) error {
	args := make([]argument.Argument, len(c.Args))
	for i, text := range c.Args {
		var err error
		if args[i], err = argument.Parse(text, i); err != nil {
			return usage("%v\n\n%s", err, argument.Grammar)
		}
	}
	shared, err := c.sharedBytes()
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
	kernel, err := module.KernelWithOptions(c.Kernel, kiln.KernelOptions{Compile: compile.Options{Opt: c.O.OptLevel}})
	if err != nil {
		return err
	}
	shape, err := c.shape(kernel.Info(), shared)
	if err != nil {
		return err
	}
	b, err := bind(kernel.Info(), args)
	if err != nil {
		return err
	}
	returned := newReturned(&kernel.Info().Result)
	launch := slices.Concat(shape, b.launch, returned.launch)

	start := time.Now()
	end := s.progress.begin("compiling " + c.Kernel)
	if s.config.TraceKeys {
		if err := traceKey(s.stderr, kernel, launch); err != nil {
			return err
		}
	}
	err = kernel.Launch(ctx, launch...)
	end()
	if err != nil {
		return err
	}
	result := &launchResult{
		File: c.File, Kernel: c.Kernel, Target: engine.Device().Target().Processor, Grid: c.Grid.dims, Block: c.Block.dims,
		Code: "none", CompileNS: seen.compile.Nanoseconds(), FirstNS: time.Since(start).Nanoseconds(), Repeat: c.Repeat,
		Outputs: b.outputs(kernel.Info()),
	}
	if t, ok := resultType(&kernel.Info().Result); ok {
		value := number64(t.Load(returned.bytes(), 0))
		result.Result = &value
	}
	switch {
	case seen.compiles > 0:
		result.Code = "compiled"
	case seen.hits > 0:
		result.Code = "cache"
	}
	if c.Check != "" {
		if result.Check, err = s.check(ctx, c, kernel.Info(), b, returned.bytes()); err != nil {
			return err
		}
	}
	if err := c.measure(ctx, s, kernel, launch, result); err != nil {
		return err
	}
	if err := s.printLaunch(result); err != nil {
		return err
	}
	if result.Check != nil && !result.Check.Same {
		return errReported
	}
	return nil
}

func (c *runCommand) sharedBytes() (uint32, error) {
	if c.Shared == "" {
		return 0, nil
	}
	n, err := argument.ParseCount(c.Shared)
	if err != nil || n > 1<<32-1 {
		return 0, usage("--shared=%s: it takes a number of bytes below 4Gi, such as 4Ki", c.Shared)
	}
	return uint32(n), nil
}

// shape returns the launch's extents. A host function has none.
func (c *runCommand) shape(k *image.Kernel, shared uint32) ([]kiln.LaunchArg, error) {
	if k.Convention == image.Host {
		if c.Grid.given || c.Block.given || c.ConstGrid || c.ConstBlock || shared != 0 {
			return nil, usage("%s is a host function, which runs once: leave --grid, --block and --shared out", k.Name)
		}
		return nil, nil
	}
	if !c.Block.given && k.ReqdBlock != [3]uint32{} {
		c.Block = extent{true, k.ReqdBlock}
	}
	if !c.Grid.given || !c.Block.given {
		return nil, usage("%s is a GPU kernel: give --grid X[,Y[,Z]] and --block X[,Y[,Z]]\n  %s", k.Name, signature(k))
	}
	grid, block := kiln.Grid, kiln.Block
	if c.ConstGrid {
		grid = kiln.ConstGrid
	}
	if c.ConstBlock {
		block = kiln.ConstBlock
	}
	return []kiln.LaunchArg{
		grid(c.Grid.dims[0], c.Grid.dims[1:]...), block(c.Block.dims[0], c.Block.dims[1:]...), kiln.Shared(shared),
	}, nil
}

func (b *bound) outputs(k *image.Kernel) []outputSum {
	sums := []outputSum{}
	for i, a := range b.args {
		if a.Out {
			data := b.buffers[i]
			sums = append(sums, outputSum{i, sourceName(&k.Params[i]), a.Type.String(), len(data) / a.Type.Size(), number64(argument.Sum(a.Type, data))})
		}
	}
	return sums
}

// measure launches again and times each launch. The buffers go on from where
// the launch before left them.
func (c *runCommand) measure(ctx context.Context, s *session, kernel *kiln.Kernel, launch []kiln.LaunchArg, result *launchResult) error {
	if c.Repeat <= 0 {
		return nil
	}
	end := s.progress.begin(fmt.Sprintf("launching %d times", c.Repeat))
	defer end()
	times := make([]int64, c.Repeat)
	for i := range times {
		start := time.Now()
		if err := kernel.Launch(ctx, launch...); err != nil {
			return err
		}
		times[i] = time.Since(start).Nanoseconds()
	}
	slices.Sort(times)
	result.RepeatMinNS, result.RepeatMedianNS = times[0], times[len(times)/2]
	return nil
}

// traceKey writes what the cache key of a launch is made of.
func traceKey(w io.Writer, k *kiln.Kernel, args []kiln.LaunchArg) error {
	request, err := k.Request(args...)
	if err != nil {
		return err
	}
	return request.Describe(w)
}
