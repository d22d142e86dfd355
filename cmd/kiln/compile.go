package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

type compileCommand struct {
	File   string `arg:"" help:"Bitcode, textual IR or a source, as for run."`
	Kernel string `arg:"" optional:"" help:"The kernel's name in the file; for bc there is none."`

	Emit       []string `enum:"bc,ir,opt-ir,asm,obj,image,ptx,cubin,sass,hsaco" placeholder:"KIND,..." help:"What to write: bc (the source's module, for programs to load), ir (the kernel made for the device, not yet optimised), opt-ir (optimised), asm, obj (machine code; PTX where no assembler is found), image (the same with all that a launch needs to know); for NVIDIA's GPUs also ptx, cubin and sass (the cubin as text), for AMD's hsaco. Default: what the output's name ends in, .bc, .ll, .s, .o, .kimg, .ptx, .cubin, .sass or .hsaco, else obj."`
	Output     string   `short:"o" placeholder:"FILE" help:"Where it goes; - is the output. Default: the name of the kernel, or of the file for bc, and .ir.ll or an ending as above."`
	Explain    bool     `help:"Print time and size of each stage, what the code takes of the processor, and what LLVM has to say of the kernel: what was vectorised, and what not and why. Where something is compiled in, also what the generic code takes."`
	Target     string   `default:"native" help:"What to compile for: native, a processor such as znver4, sm_90a or gfx942, or triple/processor/features."`
	Compare    []string `placeholder:"TARGET" sep:"none" help:"With --explain: what the code for this target takes. May be repeated."`
	Const      []string `placeholder:"ARG=VALUE" sep:"none" help:"Compile an argument's value in, the argument by its position from 0 or its name. May be repeated."`
	Block      extent   `placeholder:"X[,Y[,Z]]" help:"Compile the block's size in."`
	Grid       extent   `placeholder:"X[,Y[,Z]]" help:"Compile the grid's size in."`
	MaxBlock   uint32   `placeholder:"N" help:"For GPUs: promise that no launch has more work-items a block."`
	MinBlocks  uint32   `placeholder:"N" help:"For GPUs: ask for code of which so many blocks fit on a multiprocessor of NVIDIA's at once, or so many waves on an execution unit of AMD's."`
	CodeObject uint8    `placeholder:"V" help:"The version of AMD's code object, 4 to 6. Default: the module's, else 5."`
	O          level    `name:"opt" short:"O" default:"3" placeholder:"LEVEL" help:"Optimisation: 0, 1, 2, 3, s or z."`
	Pipeline   string   `placeholder:"PASSES" help:"LLVM's text for a pass pipeline, instead of the level's."`
}

type compileResult struct {
	File      string `json:"file"`
	Kernel    string `json:"kernel"`
	Target    string `json:"target"`
	processor string
	arch      target.Arch
	// Output is the first of Outputs.
	Output    string        `json:"output"`
	Outputs   []emitted     `json:"outputs"`
	Format    string        `json:"format"`
	Entry     string        `json:"entry"`
	Bytes     int           `json:"bytes"`
	Key       string        `json:"key"`
	CompileNS int64         `json:"compile_ns"`
	Stages    []stageResult `json:"stages"`
	Undefined []string      `json:"undefined"`
	Remarks   []string      `json:"remarks"`
	Explained *explanation  `json:"explained,omitempty"`
}

type stageResult struct {
	Stage string `json:"stage"`
	NS    int64  `json:"ns"`
	// Instructions is the IR's length after the stage, with --explain.
	Instructions int `json:"instructions,omitzero"`
}

// Run compiles the kernel and writes what is wanted of it.
func (c *compileCommand) Run(s *session) error {
	outputs, err := c.outputs()
	if err != nil {
		return err
	}
	if len(c.Compare) > 0 && !c.Explain {
		return usage("--compare goes with --explain")
	}
	if s.target, err = target.Parse(c.Target); err != nil {
		return usage("--target: %v", err)
	}
	ctx, stop := interruptible()
	defer stop()
	if outputs[0].Kind == "bc" {
		return c.writeModule(ctx, s, outputs[0])
	}
	dumps, err := newDumps(s.config.Dump, c.Explain || slices.ContainsFunc(outputs, func(o emitted) bool { return o.stageFile(s.target.Arch()) != "" }))
	if err != nil {
		return err
	}
	defer dumps.remove()
	var stages []stageResult
	compiler, err := s.openCompiler(compile.Config{LLVM: s.config.LLVM, DumpDir: dumps.folder, Tools: s.tools(), Observe: func(e compile.Event) {
		if e.Warning != nil {
			fmt.Fprintf(s.stderr, "kiln: warning: %v\n", e.Warning)
			return
		}
		stages = append(stages, stageResult{Stage: string(e.Stage), NS: e.Duration.Nanoseconds()})
	}})
	if err != nil {
		return err
	}
	defer compiler.Close()
	request, err := c.request(ctx, s, compiler, outputs)
	if err != nil {
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
	im, err := compiler.Compile(ctx, *request)
	end()
	if err != nil {
		return err
	}
	result := &compileResult{
		File: c.File, Kernel: c.Kernel, Target: im.Target.String(), processor: im.Target.Processor, arch: im.Target.Arch(), Format: im.Format.String(), Entry: im.Entry,
		Bytes: len(im.Payload), Key: fmt.Sprintf("%x", request.Digest()), CompileNS: time.Since(start).Nanoseconds(),
		Stages: stages, Undefined: append([]string{}, im.Undefined...), Remarks: append([]string{}, im.Remarks...),
		Outputs: outputs,
	}
	result.nameObjects(im.Format)
	if c.Explain {
		if result.Explained, err = c.explain(ctx, s, request, im, dumps, result.Stages); err != nil {
			return err
		}
	}
	if err := dumps.keep(); err != nil {
		return err
	}
	return c.write(ctx, s, compiler, im, dumps, result)
}

// request returns what the command line asks for.
func (c *compileCommand) request(ctx context.Context, s *session, compiler *compiler, outputs []emitted) (*compile.Request, error) {
	r := &compile.Request{Toolchain: compiler.Toolchain(), Options: compile.Options{Opt: c.O.OptLevel, Pipeline: c.Pipeline, CodeObject: c.CodeObject}}
	var err error
	if r.Target, err = parseTarget("--target", c.Target, compiler.LLVMMajor()); err != nil {
		return nil, err
	}
	if err := checkKinds(outputs, r.Target); err != nil {
		return nil, err
	}
	if err := c.settleTools(s, compiler, r, outputs); err != nil {
		return nil, err
	}
	if r.Module, err = s.readModule(ctx, c.File); err != nil {
		return nil, err
	}
	r.Kernel, r.Spec, err = c.resolve(ctx, compiler, r.Module)
	return r, err
}

// parseTarget reads the target that a flag names.
func parseTarget(flag, text string, major int) (target.Target, error) {
	t, err := target.Parse(text)
	if err != nil {
		return t, usage("%s: %v", flag, err)
	}
	if text == "native" {
		return t.Narrow(major), nil
	}
	if err := t.Validate(major); err != nil {
		return t, usage("%s: %v", flag, err)
	}
	return t, nil
}

// resolve returns the kernel's name in the module and what --const, --block and
// --grid fix. The module's summary is needed for the parameters' types, and for
// a C++ kernel that goes by its plain name.
func (c *compileCommand) resolve(ctx context.Context, compiler *compiler, module []byte) (string, specialize.Spec, error) {
	spec := specialize.Spec{Block: c.Block.dims, Grid: c.Grid.dims, MaxBlock: c.MaxBlock, MinBlocks: c.MinBlocks}
	summary, err := compiler.Summarise(ctx, module)
	if err != nil {
		return "", spec, err
	}
	name, err := fullName(c.File, c.Kernel, summary)
	if err != nil {
		return "", spec, err
	}
	i := slices.IndexFunc(summary.Kernels, func(k image.Kernel) bool { return k.Name == name })
	for _, text := range c.Const {
		constant, err := parseConstant(&summary.Kernels[i], text)
		if err != nil {
			return "", spec, usage("--const %s: %v\n  %s", text, err, signature(&summary.Kernels[i]))
		}
		spec.Constants = append(spec.Constants, constant)
	}
	slices.SortFunc(spec.Constants, func(a, b specialize.Constant) int { return a.Index - b.Index })
	return name, spec, nil
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
