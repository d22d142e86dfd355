package compile

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/target"
)

// The errors of this package match one of these where the cause is the
// request's; anything else is a fault of the toolchain.
var (
	// ErrBadModule means that the module's bytes are no valid module: empty,
	// truncated, damaged, made by a newer LLVM, or IR that breaks LLVM's rules.
	ErrBadModule = errors.New("bad module")
	// ErrNoKernel means that the module has no kernel of the name asked for.
	ErrNoKernel = errors.New("no such kernel")
	// ErrUnsupported means that the request asks for something kiln does not
	// do, such as thread-local variables or another processor's host code.
	ErrUnsupported = errors.New("unsupported")
	// ErrBadRequest means that the request itself is wrong: an unknown
	// processor, a specialisation that does not fit the kernel, pipeline text
	// that LLVM does not know.
	ErrBadRequest = errors.New("bad request")
	// ErrMissing means that a tool or device library is needed and was not
	// found; the text lists every place that was looked at.
	ErrMissing = errors.New("missing tool")
	// ErrFault means that LLVM met a fault it does not return from, on input
	// that passed every check. The compile's thread and about 1 MB are lost.
	ErrFault = errors.New("fault in LLVM")
	// ErrTooManyFaults means that faults have cost this process so many threads
	// that it compiles no more. Package worker compiles elsewhere.
	ErrTooManyFaults = llvm.ErrTooManyFaults
)

// Stage is a step of a compile.
type Stage string

// The stages in the order they run. A host function is wrapped, a GPU kernel
// that is compiled for a CPU goes through SPMD; for a GPU it is linked with
// device libraries instead, and assembled in the end.
const (
	StageCheck      Stage = "check"
	StageParse      Stage = "parse"
	StageSummarise  Stage = "summarise"
	StageExtract    Stage = "extract"
	StageSpecialise Stage = "specialise"
	StageSPMD       Stage = "spmd"
	StageWrap       Stage = "wrap"
	StageLink       Stage = "link"
	StageOptimise   Stage = "optimise"
	StageGenerate   Stage = "generate"
	StageAssemble   Stage = "assemble"
	StageImage      Stage = "image"
)

// Error is why a compile ended, and where. It prints as one line; with %+v the
// full text of what LLVM said follows.
type Error struct {
	Stage Stage
	// Kernel is empty where the whole module is meant.
	Kernel string
	Target target.Target
	// Summary is one line, Log everything that LLVM said, or empty where the
	// summary is all.
	Summary, Log string
	// Err is the cause: one of the sentinels, a context's error or a fault of LLVM.
	Err error
}

// Error returns one line that names stage, kernel, target and what is wrong.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("compiling")
	if e.Kernel != "" {
		fmt.Fprintf(&b, " kernel %q", e.Kernel)
	}
	if e.Target != (target.Target{}) {
		// The features of a processor that was detected fill a page.
		fmt.Fprintf(&b, " for %s/%s", e.Target.Triple, e.Target.Processor)
	}
	fmt.Fprintf(&b, ": %s: %s", e.Stage, e.Summary)
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Format prints the error's line, and for %+v the log behind it.
func (e *Error) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		fmt.Fprintf(f, "%q", e.Error())
		return
	}
	io.WriteString(f, e.Error())
	if verb == 'v' && f.Flag('+') && e.Log != "" {
		fmt.Fprintf(f, "\n%s", strings.TrimRight(e.Log, "\n"))
	}
}

// fault is an error that matches kind and reads as text alone. cause is what
// LLVM or another package said, or nil.
type fault struct {
	kind  error
	text  string
	cause error
}

func (f *fault) Error() string { return f.text }

func (f *fault) Unwrap() []error {
	if f.cause == nil {
		return []error{f.kind}
	}
	return []error{f.kind, f.cause}
}

func faultf(kind error, format string, args ...any) error {
	return &fault{kind: kind, text: fmt.Sprintf(format, args...)}
}

// newError returns err as an Error of no stage yet: its first line as the
// summary, and everything that LLVM said as the log.
func newError(err error) *Error {
	e := &Error{Summary: firstLine(err.Error()), Err: err}
	if text := strings.TrimSpace(err.Error()); text != e.Summary {
		e.Log = text
	}
	if d, ok := errors.AsType[*llvm.DiagnosticError](err); ok {
		var log strings.Builder
		for _, diagnostic := range d.Diagnostics {
			fmt.Fprintf(&log, "%s: %s\n", diagnostic.Severity, strings.TrimSpace(diagnostic.Message))
		}
		e.Log = log.String()
	}
	if f, ok := errors.AsType[*llvm.FatalError](err); ok {
		e.Summary, e.Log = "LLVM fault: "+firstLine(f.Message), f.Message
		e.Err = &fault{kind: ErrFault, text: err.Error(), cause: err}
	}
	if p, ok := errors.AsType[*llvm.PanicError](err); ok {
		e.Log = p.Stack
	}
	return e
}

// firstLine returns the first line of s that is not blank.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
