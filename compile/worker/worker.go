// Package worker compiles in child processes, so that what LLVM does to a
// process is done to one that nobody misses: a crash, a compile that never
// ends, or one that eats all memory, is one failed request.
//
// The children run the kiln program, never the host's own executable: a copy of
// the host would run its initialisers again, and may not be a Go program at
// all. The program must be of the same engine as the package; both ends check
// that before the first request.
package worker

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

var (
	// ErrStart is matched when no child could be started, or what was started
	// is no kiln program of this engine. The request has not been tried.
	ErrStart = errors.New("no compile worker")
	// ErrLimit is matched when a compile took more time or memory than it may.
	ErrLimit = errors.New("over the limit of a compile")
	// ErrClosed is matched by requests to a pool that is closed.
	ErrClosed = errors.New("the compile workers are closed")
)

// Options say what is run and what it may take. Path is needed, the rest may be
// zero.
type Options struct {
	// Path is the kiln program. It is not looked for.
	Path string
	// Compile is given to the children's compilers. Its callbacks are called in
	// this process, on the goroutine that asks.
	Compile compile.Config
	// Processes bounds how many children there are at a time; 0 stands for as
	// many as the process has processors.
	Processes int
	// Time bounds one request, 0 for no bound.
	Time time.Duration
	// Memory is how many bytes a child may take for one request beyond what it
	// has, 0 for no bound. Each thread of a process takes up to 128 MiB of
	// addresses, which count: less than 512 MiB may be too little.
	Memory int64
}

const (
	// idleAfter is how long a child waits for the next request.
	idleAfter = 10 * time.Second
	// mostUses bounds what leaks of LLVM can add up to.
	mostUses = 1000
)

// Pool is the children that answer requests. None is started before it is
// needed. It is safe for concurrent use, and so are the pools that Observing
// returns, which share its children.
type Pool struct {
	*children
	observe func(compile.Event)
}

// children is what pools share.
type children struct {
	options   Options
	compiler  *compile.Compiler
	library   string
	toolchain compile.Toolchain
	places    chan struct{}
	idleAfter time.Duration
	// base ends when the pool is closed.
	base  context.Context
	close context.CancelCauseFunc

	mu   sync.Mutex
	idle []*child
}

// New finds libLLVM, without opening it, and returns a pool that compiles with
// it. Errors match [compile.ErrNoLLVM] where there is none.
func New(o Options) (*Pool, error) {
	compiler, err := compile.New(o.Compile)
	if err != nil {
		return nil, err
	}
	if o.Processes == 0 {
		o.Processes = runtime.GOMAXPROCS(0)
	}
	shared := &children{
		options: o, compiler: compiler, library: compiler.LLVMPath(), toolchain: compiler.Toolchain(),
		places: make(chan struct{}, max(o.Processes, 1)), idleAfter: idleAfter,
	}
	shared.base, shared.close = context.WithCancelCause(context.Background())
	return &Pool{observe: o.Compile.Observe, children: shared}, nil
}

// Observing returns the same pool with another observer, nil for none. One
// Close is for both.
func (p *Pool) Observing(observe func(compile.Event)) *Pool {
	return &Pool{observe: observe, children: p.children}
}

// Toolchain identifies the libLLVM of the children, for requests to carry.
func (p *Pool) Toolchain() compile.Toolchain { return p.toolchain }

// Tools returns what the children make images for a target with, as
// [compile.Compiler.Tools] does.
func (p *Pool) Tools(t target.Target) (compile.Tools, error) { return p.compiler.Tools(t) }

// Compile makes the image that r asks for, as [compile.Compiler.Compile] does.
// It returns soon after ctx ends, whatever the child is at. Every error is a
// *compile.Error. It matches [compile.ErrFault] where the child died of the
// request, and then has what the child has printed as its log; [ErrLimit]
// where a limit was the cause; [ErrStart] where there is no child.
func (p *Pool) Compile(ctx context.Context, r compile.Request) (*image.Image, error) {
	if r.ModuleDigest == ([32]byte{}) {
		r.ModuleDigest = sha256.Sum256(r.Module)
	}
	reply, err := p.ask(ctx, &question{Request: r})
	if err != nil {
		return nil, err
	}
	im, err := image.UnmarshalImage(reply)
	if err != nil {
		return nil, &compile.Error{Stage: compile.StageImage, Kernel: r.Kernel, Target: r.Target, Summary: err.Error(), Err: err}
	}
	return im, nil
}

// Summarise describes a module, as [compile.Compiler.Summarise] does. Errors
// are those of Compile.
func (p *Pool) Summarise(ctx context.Context, module []byte) (*image.Summary, error) {
	reply, err := p.ask(ctx, &question{Summarise: true, Request: compile.Request{Module: module}})
	if err != nil {
		return nil, err
	}
	s, err := image.UnmarshalSummary(reply)
	if err != nil {
		return nil, &compile.Error{Stage: compile.StageSummarise, Summary: err.Error(), Err: err}
	}
	return s, nil
}

// Close ends the children, those at work too. Closing twice is harmless.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.close(ErrClosed)
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, c := range idle {
		c.end()
	}
	return nil
}

// ask has a child answer q.
func (p *Pool) ask(ctx context.Context, q *question) ([]byte, error) {
	failed := func(err error) error {
		return &compile.Error{Stage: compile.StageCheck, Kernel: q.Request.Kernel, Target: q.Request.Target, Summary: err.Error(), Err: err}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.base, func() { cancel(ErrClosed) })()
	select {
	case p.places <- struct{}{}:
		defer func() { <-p.places }()
	case <-ctx.Done():
		return nil, failed(ended(ctx))
	}
	for {
		c, err := p.take(ctx)
		if err != nil {
			return nil, failed(err)
		}
		reply, err := p.askChild(ctx, c, q)
		// A child that has waited may have been ended by somebody: the request
		// is not to blame, and has not been tried.
		ended := c.silent && c.uses > 0 && errors.Is(err, compile.ErrFault)
		p.give(c)
		if !ended {
			return reply, err
		}
	}
}

func (p *Pool) askChild(ctx context.Context, c *child, q *question) ([]byte, error) {
	if p.options.Time > 0 {
		var cancel context.CancelFunc
		cause := fmt.Errorf("%w: it took more than %v", ErrLimit, p.options.Time)
		ctx, cancel = context.WithTimeoutCause(ctx, p.options.Time, cause)
		defer cancel()
	}
	return c.ask(ctx, q, p.observe, p.options.Compile.Begin)
}

// ended returns why ctx is done: for a reason of the pool's own, or the caller's.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); errors.Is(cause, ErrClosed) || errors.Is(cause, ErrLimit) {
		return cause
	}
	return ctx.Err()
}

// take returns a child that waits, the last one used, or a new one.
func (p *Pool) take(ctx context.Context) (*child, error) {
	p.mu.Lock()
	for len(p.idle) > 0 {
		c := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if c.retire.Stop() {
			p.mu.Unlock()
			return c, nil
		}
	}
	p.mu.Unlock()
	return start(ctx, p.children)
}

// give keeps a child for the next request, unless it is no longer fit for one.
func (p *Pool) give(c *child) {
	c.uses++
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.unfit || c.uses >= mostUses || p.base.Err() != nil {
		go c.end()
		return
	}
	c.retire = time.AfterFunc(p.idleAfter, func() { p.drop(c) })
	p.idle = append(p.idle, c)
}

// drop ends a child that has waited for long.
func (s *children) drop(c *child) {
	s.mu.Lock()
	for i, other := range s.idle {
		if other == c {
			s.idle = append(s.idle[:i], s.idle[i+1:]...)
			break
		}
	}
	s.mu.Unlock()
	c.end()
}
