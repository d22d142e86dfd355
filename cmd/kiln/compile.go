package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

type compileCommand struct {
	File   string `arg:"" help:"Bitcode, textual IR or a source, as for run."`
	Kernel string `arg:"" help:"The kernel's name in the file."`

	Output   string   `short:"o" placeholder:"FILE" help:"Where the code goes; - is the output. Default: the kernel's name and .o."`
	Target   string   `default:"native" help:"What to compile for: native, a processor such as znver4, or triple/processor/features."`
	Const    []string `placeholder:"ARG=VALUE" sep:"none" help:"Compile an argument's value in, the argument by its position from 0 or its name. May be repeated."`
	Block    extent   `placeholder:"X[,Y[,Z]]" help:"Compile the block's size in."`
	Grid     extent   `placeholder:"X[,Y[,Z]]" help:"Compile the grid's size in."`
	O        level    `name:"opt" short:"O" default:"3" placeholder:"LEVEL" help:"Optimisation: 0, 1, 2, 3, s or z."`
	Pipeline string   `placeholder:"PASSES" help:"LLVM's text for a pass pipeline, instead of the level's."`
}

type compileResult struct {
	File      string `json:"file"`
	Kernel    string `json:"kernel"`
	Target    string `json:"target"`
	processor string
	Output    string        `json:"output"`
	Format    string        `json:"format"`
	Entry     string        `json:"entry"`
	Bytes     int           `json:"bytes"`
	Key       string        `json:"key"`
	CompileNS int64         `json:"compile_ns"`
	Stages    []stageResult `json:"stages"`
	Undefined []string      `json:"undefined"`
	Remarks   []string      `json:"remarks"`
}

type stageResult struct {
	Stage string `json:"stage"`
	NS    int64  `json:"ns"`
}

// Run compiles the kernel and writes its code.
func (c *compileCommand) Run(s *session) error {
	ctx := context.Background()
	var stages []stageResult
	compiler, err := s.openCompiler(compile.Config{LLVM: s.config.LLVM, DumpDir: s.config.Dump, Observe: func(e compile.Event) {
		if e.Warning != nil {
			fmt.Fprintf(s.stderr, "kiln: warning: %v\n", e.Warning)
			return
		}
		stages = append(stages, stageResult{string(e.Stage), e.Duration.Nanoseconds()})
	}})
	if err != nil {
		return err
	}
	defer compiler.Close()
	request := compile.Request{Kernel: c.Kernel, Toolchain: compiler.Toolchain(), Options: compile.Options{Opt: c.O.OptLevel, Pipeline: c.Pipeline}}
	if request.Target, err = c.target(compiler.LLVMMajor()); err != nil {
		return err
	}
	if request.Module, err = s.readBytes(ctx, c.File); err != nil {
		return err
	}
	if request.Spec, err = c.spec(ctx, compiler, request.Module); err != nil {
		return err
	}
	if s.config.TraceKeys {
		if err := request.Describe(s.stderr); err != nil {
			return err
		}
	}
	stages = nil
	start := time.Now()
	end := s.progress.begin("compiling " + c.Kernel)
	im, err := compiler.Compile(ctx, request)
	end()
	if err != nil {
		return err
	}
	result := &compileResult{
		File: c.File, Kernel: c.Kernel, Target: im.Target.String(), processor: im.Target.Processor, Output: c.Output, Format: im.Format.String(), Entry: im.Entry,
		Bytes: len(im.Payload), Key: fmt.Sprintf("%x", request.Digest()), CompileNS: time.Since(start).Nanoseconds(),
		Stages: stages, Undefined: append([]string{}, im.Undefined...), Remarks: append([]string{}, im.Remarks...),
	}
	return c.write(s, im, result)
}

func (c *compileCommand) target(major int) (target.Target, error) {
	t, err := target.Parse(c.Target)
	if err != nil {
		return t, usage("--target: %v", err)
	}
	if c.Target == "native" {
		return t.Narrow(major), nil
	}
	if err := t.Validate(major); err != nil {
		return t, usage("--target: %v", err)
	}
	return t, nil
}

// write puts the code where it is wanted and says so, beside it where the
// code itself goes to the output.
func (c *compileCommand) write(s *session, im *image.Image, result *compileResult) error {
	if c.Output == "-" {
		_, err := s.stdout.Write(im.Payload)
		return err
	}
	if c.Output == "" {
		result.Output = c.Kernel + ".o"
	}
	if err := os.WriteFile(result.Output, im.Payload, 0o644); err != nil {
		return &inputError{err}
	}
	if s.json {
		return s.printJSON(result)
	}
	printCompiled(s.stdout, result)
	return nil
}

func printCompiled(w io.Writer, r *compileResult) {
	fmt.Fprintf(w, "%s: %s for %s, %s of code, entry %s, in %s\n",
		r.Output, r.Format, r.processor, size(int64(r.Bytes)), r.Entry, duration(r.CompileNS))
	for _, stage := range r.Stages {
		fmt.Fprintf(w, "  %-10s %s\n", stage.Stage, duration(stage.NS))
	}
	if len(r.Undefined) > 0 {
		fmt.Fprintf(w, "  needs      %s\n", strings.Join(r.Undefined, " "))
	}
	for _, remark := range r.Remarks {
		fmt.Fprintf(w, "  remark     %s\n", remark)
	}
}

// readBytes returns a file's bitcode or IR, made by clang of a source.
func (s *session) readBytes(ctx context.Context, path string) ([]byte, error) {
	if source.LanguageOf(path) != source.Module {
		return s.compileSource(ctx, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &inputError{err}
	}
	return data, nil
}

// spec returns what --const, --block and --grid fix. Only constants need the
// module's summary: for the parameters' types.
func (c *compileCommand) spec(ctx context.Context, compiler *compiler, module []byte) (specialize.Spec, error) {
	spec := specialize.Spec{Block: c.Block.dims, Grid: c.Grid.dims}
	if len(c.Const) == 0 {
		return spec, nil
	}
	summary, err := compiler.Summarise(ctx, module)
	if err != nil {
		return spec, err
	}
	i := slices.IndexFunc(summary.Kernels, func(k image.Kernel) bool { return k.Name == c.Kernel })
	if i < 0 {
		return spec, &inputError{fmt.Errorf("%s: %w %q", c.File, compile.ErrNoKernel, c.Kernel)}
	}
	for _, text := range c.Const {
		constant, err := parseConstant(&summary.Kernels[i], text)
		if err != nil {
			return spec, usage("--const %s: %v\n  %s", text, err, signature(&summary.Kernels[i]))
		}
		spec.Constants = append(spec.Constants, constant)
	}
	slices.SortFunc(spec.Constants, func(a, b specialize.Constant) int { return a.Index - b.Index })
	return spec, nil
}

// parseConstant reads ARG=VALUE for one parameter of k.
func parseConstant(k *image.Kernel, text string) (specialize.Constant, error) {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return specialize.Constant{}, errors.New("no value: a constant looks like 2=5 or n=5")
	}
	index, err := strconv.Atoi(name)
	if err != nil {
		index = slices.IndexFunc(k.Params, func(p image.Param) bool { return sourceName(&p) == name })
	}
	if index < 0 || index >= len(k.Params) {
		return specialize.Constant{}, fmt.Errorf("%s has no argument %q", k.Name, name)
	}
	p := &k.Params[index]
	class, size := scalarClass(p.Type)
	if p.Kind != image.Scalar || class == "" {
		return specialize.Constant{}, fmt.Errorf("argument %d, %q, is no number", index, parameter(p))
	}
	a, err := argument.Parse(fmt.Sprintf("%s%d=%s", class, 8*size, value), index)
	if err != nil {
		return specialize.Constant{}, err
	}
	data := make([]byte, 8)
	for i := range data {
		data[i] = byte(a.Bits() >> (8 * i))
	}
	return specialize.Constant{Index: index, Bytes: data[:size]}, nil
}
