package kiln

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/worker"
	"github.com/kilnjit/kiln/image"
)

// WorkerOptions say when and how kernels are compiled in child processes, which
// run the kiln program and end after some seconds without work. The zero value
// compiles in this process until faults of LLVM have cost it 64 threads, and
// then by the kiln program that is found in PATH, with a warning.
type WorkerOptions struct {
	// Path is the kiln program. It must be of the version of this package.
	Path string
	// Always compiles nothing in this process: a crash of LLVM is then the error
	// of one compile, and the limits hold. Path is needed.
	Always bool
	// Processes bounds how many children there are; 0 means as many as the
	// process may use processors.
	Processes int
	// Time bounds one compile in a child, 0 for no bound.
	Time time.Duration
	// Memory bounds in bytes what a child may take for one compile, 0 for no
	// bound; less than 512 MiB may be too little.
	Memory int64
}

// compiler is what makes images and summaries, in this process or in others.
type compiler interface {
	Compile(context.Context, compile.Request) (*image.Image, error)
	Summarise(context.Context, []byte) (*image.Summary, error)
}

// compileWith has work done by a compiler that tells observe of its stages: one
// in this process, unless the options or its faults speak against it.
func compileWith[T any](e *Engine, observe func(compile.Event), work func(compiler) (T, error)) (T, error) {
	var none T
	if !e.options.Worker.Always {
		here, err := e.compiler()
		if err != nil {
			return none, err
		}
		value, err := work(here.Observing(observe))
		if !errors.Is(err, compile.ErrTooManyFaults) {
			return value, err
		}
		pool, missing := e.workers.open(&e.options)
		if missing != nil {
			return none, fmt.Errorf("%w; %w", err, missing)
		}
		e.warn("worker", errors.New("faults in LLVM have cost this process too many threads: kernels are compiled in child processes from now on"))
		return work(pool.Observing(observe))
	}
	pool, err := e.workers.open(&e.options)
	if err != nil {
		return none, err
	}
	return work(pool.Observing(observe))
}

// workers is an engine's pool of child processes, made when it is needed. The
// zero value is ready.
type workers struct {
	mu     sync.Mutex
	pool   *worker.Pool
	closed bool
}

func (w *workers) open(o *Options) (*worker.Pool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return nil, ErrClosed
	case w.pool != nil:
		return w.pool, nil
	}
	path := o.Worker.Path
	if path == "" {
		if o.Worker.Always {
			return nil, fmt.Errorf("%w: Options.Worker.Always is set, and Options.Worker.Path names no kiln program", worker.ErrStart)
		}
		var err error
		if path, err = exec.LookPath("kiln"); err != nil {
			return nil, fmt.Errorf("%w: no kiln program is in PATH, and Options.Worker.Path names none", worker.ErrStart)
		}
	}
	pool, err := worker.New(worker.Options{
		Path: path, Processes: o.Worker.Processes, Time: o.Worker.Time, Memory: o.Worker.Memory,
		Compile: compile.Config{LLVM: o.LLVM, DumpDir: o.DumpDir, Tools: o.Tools},
	})
	if err != nil {
		return nil, err
	}
	w.pool = pool
	return pool, nil
}

// close ends the child processes. None is started afterwards.
func (w *workers) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.pool == nil {
		return nil
	}
	return w.pool.Close()
}
