package llvm

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrGivenUp is returned by the methods of what a fault has taken.
var ErrGivenUp = errors.New("given up after a fault in LLVM")

// ErrClosed is returned by the methods of what has been closed.
var ErrClosed = errors.New("already closed")

const (
	stateOpen = iota
	stateClosed
	stateGivenUp
)

// handle is what contexts, modules and target machines have in common: being
// open, closed once, or lost, and being counted.
type handle struct {
	kind  string
	owner *handle // what it lives in, nil for itself
	state atomic.Int32
	user  atomic.Pointer[run] // the run that used it last; of the owner alone
	stack []uintptr
}

func (h *handle) root() *handle {
	if h.owner != nil {
		return h.owner
	}
	return h
}

var live struct {
	sync.Mutex
	handles map[*handle]struct{}
}

// born counts h as open.
func (h *handle) born(kind string) {
	h.kind = kind
	var callers [16]uintptr
	h.stack = slices.Clone(callers[:runtime.Callers(3, callers[:])])
	h.root().user.Store(currentRun())
	live.Lock()
	defer live.Unlock()
	if live.handles == nil {
		live.handles = map[*handle]struct{}{}
	}
	live.handles[h] = struct{}{}
}

// use ties h to the run on this thread, and returns an error unless h is open.
func (h *handle) use() error {
	switch h.state.Load() {
	case stateClosed:
		return fmt.Errorf("%s: %w", h.kind, ErrClosed)
	case stateGivenUp:
		return fmt.Errorf("%s: %w", h.kind, ErrGivenUp)
	}
	h.root().user.Store(currentRun())
	return nil
}

// end reports whether the caller is the one to close h.
func (h *handle) end() bool {
	if !h.state.CompareAndSwap(stateOpen, stateClosed) {
		return false
	}
	live.Lock()
	defer live.Unlock()
	delete(live.handles, h)
	return true
}

// giveUp marks what r used last as lost.
func giveUp(r *run) {
	live.Lock()
	defer live.Unlock()
	for h := range live.handles {
		if h.root().user.Load() == r && h.state.CompareAndSwap(stateOpen, stateGivenUp) {
			delete(live.handles, h)
		}
	}
}

// LiveHandle is something that has been opened and not closed.
type LiveHandle struct {
	// Kind is "context", "module" or "target machine".
	Kind string
	// Stack is where it was opened, a line a frame.
	Stack string
}

// Live returns what is open at the moment. What a fault has taken is not
// counted.
func Live() []LiveHandle {
	live.Lock()
	defer live.Unlock()
	var open []LiveHandle
	for h := range live.handles {
		open = append(open, LiveHandle{Kind: h.kind, Stack: stackText(h.stack)})
	}
	slices.SortFunc(open, func(a, b LiveHandle) int {
		return strings.Compare(a.Kind+a.Stack, b.Kind+b.Stack)
	})
	return open
}

func stackText(pcs []uintptr) string {
	if len(pcs) == 0 {
		return ""
	}
	var b strings.Builder
	frames := runtime.CallersFrames(pcs)
	for {
		frame, more := frames.Next()
		fmt.Fprintf(&b, "%s %s:%d\n", frame.Function, frame.File, frame.Line)
		if !more {
			return b.String()
		}
	}
}
