package compile

import (
	"context"
	"fmt"
	"time"

	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/target"
)

// ErrNoLLVM is matched by the error of [New] where no usable libLLVM is found;
// the text says what to install.
var ErrNoLLVM = llvm.ErrNoLLVM

// Config is what a compiler is given that does not change what it makes. The
// zero value works.
type Config struct {
	// LLVM is the path of libLLVM, or its file name in one of the usual
	// folders; empty means the newest that is found.
	LLVM string
	// DumpDir is a folder in which each compile writes what every stage made,
	// in a folder of its own. It is made where it does not exist. Empty means
	// no dumps.
	DumpDir string
	// Observe is told of each stage as it ends, on the goroutine of the
	// compile; nil means nobody is. It must be safe for concurrent use and
	// must not call the compiler.
	Observe func(Event)
	// Begin is told of each stage before it starts, as Observe is of its end.
	Begin func(Stage)
	// Tools says where assemblers and device libraries for GPUs are looked for.
	Tools tool.Search
}

// Compiler compiles with one libLLVM, which is opened by the first compile
// and not before. It is safe for concurrent use; different compiles run side
// by side.
type Compiler struct {
	config    Config
	library   llvm.Library
	toolchain Toolchain
	machines  *machines
	tools     *tools
}

// New finds libLLVM, without opening it, and returns a compiler that uses it.
// Errors match [ErrNoLLVM] where there is none.
func New(config Config) (*Compiler, error) {
	library, err := llvm.Locate(config.LLVM)
	if err != nil {
		return nil, err
	}
	return &Compiler{
		config:    config,
		library:   library,
		toolchain: Toolchain{BuildID: library.BuildID, Version: library.Version},
		machines:  new(machines),
		tools:     newTools(config.Tools, library.Major),
	}, nil
}

// Close frees what the compiler keeps between compiles, at most four of LLVM's
// target machines. It can still be used, and then keeps nothing. Closing again
// does nothing. libLLVM stays open.
func (c *Compiler) Close() error { return c.machines.close() }

// Observing returns the same compiler with another observer, nil for none. One
// Close is for both.
func (c *Compiler) Observing(observe func(Event)) *Compiler {
	other := *c
	other.config.Observe = observe
	return &other
}

// Toolchain identifies the compiler's libLLVM, for requests to carry.
func (c *Compiler) Toolchain() Toolchain { return c.toolchain }

// LLVMPath returns the path of the compiler's libLLVM.
func (c *Compiler) LLVMPath() string { return c.library.Path }

// LLVMMajor returns the major version of the compiler's libLLVM.
func (c *Compiler) LLVMMajor() int { return c.library.Major }

// Compile makes the image that r asks for. The result depends on r alone; r
// and what it refers to must not be modified meanwhile. The context is looked
// at between stages, since LLVM cannot be interrupted. Every error is an
// [*Error]; the image is nil exactly when there is one.
func (c *Compiler) Compile(ctx context.Context, r Request) (*image.Image, error) {
	j := &job{compiler: c, ctx: ctx, request: &r, kernel: r.Kernel, target: r.Target}
	if err := j.step(StageCheck, j.check); err != nil {
		return nil, err
	}
	j.dump = newDump(c.config.DumpDir, &r, j.warn)
	var im *image.Image
	err := j.within(func(context *llvm.Context) (err error) {
		im, err = j.compile(context)
		return err
	})
	if err != nil {
		return nil, err
	}
	return im, nil
}

// Summarise describes a module, given as bitcode or textual IR: its kernels
// and variables. Every error is an [*Error]; the summary is nil exactly when
// there is one.
func (c *Compiler) Summarise(ctx context.Context, module []byte) (*image.Summary, error) {
	j := &job{compiler: c, ctx: ctx, request: &Request{Module: module}}
	var s *image.Summary
	err := j.within(func(context *llvm.Context) error {
		m, identity, err := j.parse(context)
		if err != nil {
			return err
		}
		return j.step(StageSummarise, func() error {
			s = newCode(context.Ref(), m.Ref()).summarise(identity.Producer)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// job is one compile or summary under way.
type job struct {
	compiler *Compiler
	ctx      context.Context
	request  *Request
	kernel   string
	target   target.Target
	dump     *dump
	stage    Stage
	began    time.Time
}

// within opens LLVM, calls fn with a new context on a thread of its own, and
// turns what LLVM does not return from into an error of the stage it met.
func (j *job) within(fn func(*llvm.Context) error) error {
	j.begin(StageParse)
	if err := llvm.Open(j.compiler.library); err != nil {
		return j.fail(err)
	}
	what := "compiling"
	if j.kernel != "" {
		what = fmt.Sprintf("compiling kernel %q", j.kernel)
	}
	err := llvm.Run(j.ctx, what, func() error {
		context := llvm.NewContext()
		defer context.Close()
		return fn(context)
	})
	if err != nil {
		return j.fail(err)
	}
	return nil
}

func (j *job) begin(stage Stage) {
	j.stage, j.began = stage, time.Now()
	if j.compiler.config.Begin != nil {
		j.compiler.config.Begin(stage)
	}
}

// step runs one stage, unless the context has ended, and reports it.
func (j *job) step(stage Stage, fn func() error) error {
	j.begin(stage)
	if err := j.ctx.Err(); err != nil {
		return j.fail(err)
	}
	j.dump.next()
	if err := fn(); err != nil {
		return j.fail(err)
	}
	j.report(Event{Duration: time.Since(j.began)})
	return nil
}

// fail returns err as an [*Error] of the stage under way, once.
func (j *job) fail(err error) error {
	if e, ok := err.(*Error); ok {
		return e
	}
	e := newError(err)
	e.Stage, e.Kernel, e.Target = j.stage, j.kernel, j.target
	j.report(Event{Duration: time.Since(j.began), Err: e})
	return e
}

func (j *job) warn(err error) { j.report(Event{Warning: err}) }

func (j *job) report(e Event) {
	if j.compiler.config.Observe == nil {
		return
	}
	e.Stage, e.Kernel, e.Target = j.stage, j.kernel, j.target
	j.compiler.config.Observe(e)
}
