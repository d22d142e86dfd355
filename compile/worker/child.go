package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/kilnjit/kiln/compile"
)

// Argument is the only argument of the kiln program when it is a worker.
const Argument = "compile-worker"

// startWithin is how long a child may take to be ready.
const startWithin = 30 * time.Second

// child is one process that answers requests, one at a time.
type child struct {
	options *Options
	command *exec.Cmd
	in, out *os.File
	printed *printed
	ended   chan struct{} // closed when the process is gone
	uses    int
	unfit   bool // for another request
	silent  bool // while it was last asked
	retire  *time.Timer
}

// start returns a child that has answered the greeting.
func start(ctx context.Context, shared *children) (*child, error) {
	c := &child{options: &shared.options, printed: new(printed), ended: make(chan struct{})}
	if err := c.launch(); err != nil {
		return nil, fmt.Errorf("%w: starting %s: %w", ErrStart, c.options.Path, err)
	}
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	defer context.AfterFunc(ctx, c.kill)()
	var w welcome
	err := send(c.in, &greeting{protocol, compile.Revision, shared.library, c.options.Compile.DumpDir, c.options.Memory, c.options.Compile.Tools})
	if err == nil {
		err = receive(c.out, &w)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		err = ended(ctx)
	case err != nil:
		c.end()
		err = fmt.Errorf("it is no kiln program: %s", strings.TrimSpace(c.obituary()+"\n"+c.printed.String()))
	case w.Protocol != protocol || w.Revision != compile.Revision:
		err = fmt.Errorf("it is of another version: engine revision %d and protocol %d, not %d and %d", w.Revision, w.Protocol, compile.Revision, protocol)
	case w.Fault != "":
		err = errors.New(w.Fault)
	case w.Toolchain != shared.toolchain:
		err = fmt.Errorf("it finds LLVM %s (build %s), not %s (build %s)", w.Toolchain.Version, w.Toolchain.BuildID, shared.toolchain.Version, shared.toolchain.BuildID)
	default:
		return c, nil
	}
	c.end()
	return nil, fmt.Errorf("%w: %s: %w", ErrStart, c.options.Path, err)
}

func (c *child) launch() error {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return err
	}
	defer theirOut.Close()
	c.in, c.out = in, out
	c.command = &exec.Cmd{
		Path:       c.options.Path,
		Args:       []string{"kiln", Argument},
		Stdout:     c.printed,
		Stderr:     c.printed,
		ExtraFiles: []*os.File{theirIn, theirOut},
		// What a terminal sends to its foreground group is for the host.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		WaitDelay:   time.Second,
	}
	// A crash is told by its first lines; the stacks of Go say nothing of it.
	c.command.Env = append(c.command.Environ(), "GOTRACEBACK=none")
	if err := c.command.Start(); err != nil {
		in.Close()
		out.Close()
		return err
	}
	go func() {
		// How it ended is in ProcessState.
		_ = c.command.Wait()
		close(c.ended)
	}()
	return nil
}

// kill ends the process. What waits for an answer sees the pipe's end.
func (c *child) kill() { _ = c.command.Process.Kill() }

// end ends the process and returns when it is gone. It may be called again.
func (c *child) end() {
	c.in.Close()
	select {
	case <-c.ended:
	case <-time.After(100 * time.Millisecond):
		c.kill()
		<-c.ended
	}
	c.out.Close()
}

// ask returns the child's answer, encoded. A child that has died, was killed, or
// has lost a thread, is unfit afterwards.
func (c *child) ask(ctx context.Context, q *question, observe func(compile.Event), begin func(compile.Stage)) ([]byte, error) {
	if c.options.Compile.Begin == nil {
		begin = func(compile.Stage) {}
	}
	stop := context.AfterFunc(ctx, c.kill)
	stage := compile.StageCheck
	c.silent = true
	err := send(c.in, q)
	for err == nil {
		var m message
		if err = receive(c.out, &m); err != nil {
			break
		}
		c.silent = false
		if m.Event != nil && observe != nil {
			observe(m.Event.unpack())
		}
		switch {
		case m.Begun != "":
			stage = m.Begun
			begin(stage)
		case m.Done && m.Fault != nil:
			failed := m.Fault.unpack()
			c.unfit = !stop() || errors.Is(failed, compile.ErrFault)
			return nil, failed
		case m.Done:
			c.unfit = !stop()
			return m.Reply, nil
		}
	}
	c.unfit = true
	stop()
	c.end()
	return nil, c.death(ctx, q, stage)
}

// death explains why there is no answer.
func (c *child) death(ctx context.Context, q *question, stage compile.Stage) error {
	e := &compile.Error{Stage: stage, Kernel: q.Request.Kernel, Target: q.Request.Target, Log: c.printed.String()}
	if ctx.Err() != nil {
		e.Err = ended(ctx)
		e.Summary = e.Err.Error()
		return e
	}
	why := "LLVM ended its process: " + c.obituary()
	matches := []error{compile.ErrFault}
	outOfMemory := outOfMemory(e.Log)
	e.Log = withoutStacks(e.Log)
	if c.options.Memory > 0 && outOfMemory {
		matches = append(matches, ErrLimit)
		why = fmt.Sprintf("%v: it took more than %d MiB of memory (%s)", ErrLimit, c.options.Memory>>20, why)
	}
	e.Summary = why
	e.Err = &cause{why, matches}
	return e
}

// outOfMemory tells from what LLVM, the C++ library or Go's runtime says that
// there was no more memory.
func outOfMemory(log string) bool {
	for _, sign := range []string{"out of memory", "bad_alloc", "cannot allocate memory", "Allocation failed", "Buffer allocation failed"} {
		if strings.Contains(log, sign) {
			return true
		}
	}
	return false
}
