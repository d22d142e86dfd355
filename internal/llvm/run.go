package llvm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/kilnjit/kiln/internal/ffi"
	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// FatalError is a fault that LLVM does not return from. The thread that met
// it is given up, with the contexts and target machines that it was using.
type FatalError struct {
	// What is what Run was asked to do.
	What string
	// Message is LLVM's own text.
	Message string
}

// Error returns what was being done and LLVM's text.
func (e *FatalError) Error() string { return e.What + ": LLVM fault: " + e.Message }

// PanicError is a Go panic inside [Run].
type PanicError struct {
	// What is what Run was asked to do.
	What string
	// Value is what was panicked with.
	Value any
	// Stack is the panicking goroutine's stack as text.
	Stack string
}

// Error returns what was being done and the panic's value.
func (e *PanicError) Error() string { return fmt.Sprintf("%s: panic: %v", e.What, e.Value) }

// ErrTooManyFaults is returned by [Run] once so many threads have been lost
// to faults that no more are risked in this process.
var ErrTooManyFaults = errors.New("too many faults in LLVM: restart the process or compile in a worker")

// maxLostThreads is the number of threads that may be lost. Each keeps about
// 1 MB.
var maxLostThreads atomic.Int64

func init() { maxLostThreads.Store(64) }

var lostThreads atomic.Int64

// LostThreads returns how many threads faults have taken from the process.
func LostThreads() int { return int(lostThreads.Load()) }

// A run is one call of Run on its thread.
type run struct {
	what   string
	result chan error
	state  atomic.Int32
}

const (
	runWaiting = iota
	runBegun
	runCancelled
)

// runs is the run on each thread, by thread id.
var runs sync.Map

// currentRun returns the run on the calling thread, nil if there is none.
func currentRun() *run {
	r, ok := runs.Load(unix.Gettid())
	if !ok {
		return nil
	}
	return r.(*run)
}

// Run calls fn on a thread of its own and returns fn's error. what names the
// work in errors. All use of LLVM happens inside Run, for this is where its
// faults become errors: a fatal error in LLVM is returned as a [*FatalError]
// and never reaches the process, a panic as a [*PanicError], and a function
// that the library lacks as a [*capi.MissingSymbol]. That holds for fn's own
// goroutine, not for others that it starts.
//
// After a fatal error the contexts and target machines last used by fn are
// given up: their methods return [ErrGivenUp], closing them does nothing.
// What else fn was about to do, deferred calls too, does not happen: fn must
// not hold a lock that others wait for.
//
// A call into LLVM cannot be interrupted. If ctx ends before fn has begun, Run
// returns ctx's error at once; afterwards fn runs to its end, and looks at ctx
// itself where that makes sense.
func Run(ctx context.Context, what string, fn func() error) error {
	if !Opened() {
		return fmt.Errorf("%s: %w", what, ErrNotOpen)
	}
	if lost := lostThreads.Load(); lost >= maxLostThreads.Load() {
		return fmt.Errorf("%s: %w (%d threads lost)", what, ErrTooManyFaults, lost)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	r := &run{what: what, result: make(chan error, 1)}
	go r.thread(fn)
	select {
	case err := <-r.result:
		return err
	case <-ctx.Done():
		if r.state.CompareAndSwap(runWaiting, runCancelled) {
			return fmt.Errorf("%s: %w", what, ctx.Err())
		}
		return <-r.result
	}
}

func (r *run) thread(fn func() error) {
	if !r.state.CompareAndSwap(runWaiting, runBegun) {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tid := unix.Gettid()
	runs.Store(tid, r)
	defer runs.Delete(tid)

	err := fmt.Errorf("%s: the goroutine ended before the work did", r.what)
	defer func() {
		if p := recover(); p != nil {
			err = r.panicked(p)
		}
		r.result <- err
	}()
	err = fn()
}

func (r *run) panicked(p any) error {
	if missing, ok := p.(*capi.MissingSymbol); ok {
		return fmt.Errorf("%s: %w", r.what, missing)
	}
	return &PanicError{What: r.what, Value: p, Stack: string(debug.Stack())}
}

// onFatalError is LLVM's fatal error handler. LLVM ends the process once it
// returns, so on a thread of ours it does not. On any other it does what LLVM
// does without a handler: it prints.
func onFatalError(reason uintptr) uintptr {
	r := currentRun()
	if r == nil {
		fmt.Fprintf(os.Stderr, "LLVM ERROR: %s\n", ffi.GoString(reason))
		return 0
	}
	giveUp(r)
	lostThreads.Add(1)
	runs.Delete(unix.Gettid())
	r.result <- &FatalError{What: r.what, Message: ffi.GoString(reason)}
	select {}
}
