package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
)

type runCommand struct {
	File string `arg:"" help:"Bitcode or textual IR (.bc, .ll), a source (.c, .cu, .hip, .cl) where clang is installed, a program or container that holds bitcode, or - for the input."`
	step
}

// step is one launch.
type step struct {
	Kernel string   `arg:"" help:"The kernel's name in the file."`
	Args   []string `arg:"" optional:"" name:"arg" help:"The kernel's arguments, in order."`

	launchFlags
	Check     string   `placeholder:"REF.C" help:"Compare with the C function of the kernel's name in this file."`
	Tolerance float64  `default:"1e-5" help:"Largest difference that --check accepts, relative to the size of a buffer's values."`
	Rtol      *float64 `placeholder:"R" help:"Instead of --tolerance: accept elements that differ by up to A + R times the reference's value."`
	Atol      *float64 `placeholder:"A" help:"Instead of --tolerance: see --rtol. What of the two is left out is 0."`
	Repeat    int      `default:"0" placeholder:"N" help:"Launch N times more and print the least and the median time."`
}

// Help is shown by kiln run --help.
func (*runCommand) Help() string {
	return "Arguments:\n\n  " + indent(argument.Grammar) + `

Several kernels of the file run one after the other where -- stands between them, each with flags of its own:

  kiln run file.cu fill --grid 4 --block 64 as:x:f32[256]=0 f32=2 -- scale --grid 4 --block 64 out:use:x f32=3`
}

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

// Run launches the kernels, one after the other, until one fails or differs
// from its reference.
func (c *runCommand) Run(s *session) error {
	steps := []*step{&c.step}
	for _, args := range s.further {
		next, err := parseStep(s, args)
		if err != nil {
			return err
		}
		steps = append(steps, next)
	}
	arguments := make([][]argument.Argument, len(steps))
	for i := range steps {
		var err error
		if arguments[i], err = parseArguments(steps[i].Args); err != nil {
			return err
		}
		if err := steps[i].valid(); err != nil {
			return err
		}
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
	var results []*launchResult
	named := buffers{}
	for i, step := range steps {
		seen = observed{}
		result, err := step.launch(ctx, s, engine, module, arguments[i], named, &seen)
		if err != nil {
			return err
		}
		results = append(results, result)
		if !s.json {
			if err := s.printLaunch(result); err != nil {
				return err
			}
		}
		if result.Check != nil && !result.Check.Same {
			break
		}
	}
	if s.json {
		if err := s.printLaunches(c.File, results, len(steps)); err != nil {
			return err
		}
	}
	if last := results[len(results)-1]; last.Check != nil && !last.Check.Same {
		return errReported
	}
	return nil
}

// printLaunches prints one launch as itself and several as a list.
func (s *session) printLaunches(file string, results []*launchResult, steps int) error {
	if steps == 1 {
		return s.printJSON(results[0])
	}
	return s.printJSON(struct {
		File     string          `json:"file"`
		Launches []*launchResult `json:"launches"`
	}{file, results})
}

// valid checks the flags that need no file for it.
func (c *step) valid() error {
	if _, err := c.sharedBytes(); err != nil {
		return err
	}
	switch {
	case c.Repeat < 0:
		return usage("--repeat=%d: it takes a number from 0", c.Repeat)
	case c.Check == "" && (c.Rtol != nil || c.Atol != nil):
		return usage("--rtol and --atol go with --check REF.C")
	case c.Check != "":
		if _, err := os.Stat(c.Check); err != nil {
			return &inputError{err}
		}
	}
	return c.accepted().valid()
}

func (c *step) accepted() *tolerance { return &tolerance{c.Tolerance, c.Rtol, c.Atol} }

// launch runs one step.
func (c *step) launch(ctx context.Context, s *session, engine *kiln.Engine, module *kiln.Module, args []argument.Argument, named buffers, seen *observed) (*launchResult, error) {
	kernel, err := findKernel(module, c.Kernel, compile.Options{Opt: c.O.OptLevel})
	if err != nil {
		return nil, err
	}
	shape, err := c.shape(kernel.Info(), c.ConstGrid, c.ConstBlock)
	if err != nil {
		return nil, err
	}
	b, err := bind(kernel.Info(), args, named)
	if err != nil {
		return nil, err
	}
	if c.Check != "" {
		if err := b.remember(); err != nil {
			return nil, err
		}
	}
	returned := newReturned(&kernel.Info().Result)
	launch := slices.Concat(shape, b.launch, returned.launch)

	start := time.Now()
	end := s.progress.begin("compiling " + c.Kernel)
	if s.config.TraceKeys {
		if err := traceKey(s.stderr, kernel, launch); err != nil {
			return nil, err
		}
	}
	err = kernel.Launch(ctx, launch...)
	end()
	if err != nil {
		return nil, err
	}
	result := &launchResult{
		File: module.Name(), Kernel: c.Kernel, Target: engine.Device().Target().Processor, Grid: c.Grid.dims, Block: c.Block.dims,
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
			return nil, err
		}
	}
	return result, c.measure(ctx, s, kernel, launch, result)
}

func (b *bound) outputs(k *image.Kernel) []outputSum {
	sums := []outputSum{}
	for i, a := range b.args {
		if a.Out {
			data := b.buffers[i]
			name := sourceName(&k.Params[i])
			if name == "" {
				name = a.Name
			}
			sums = append(sums, outputSum{i, name, a.Type.String(), len(data) / a.Type.Size(), number64(argument.Sum(a.Type, data))})
		}
	}
	return sums
}

// measure launches again and times each launch. The buffers go on from where
// the launch before left them.
func (c *step) measure(ctx context.Context, s *session, kernel *kiln.Kernel, launch []kiln.LaunchArg, result *launchResult) error {
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
