package llvm

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// Severity is how bad a diagnostic is.
type Severity uint8

// The severities, worst first.
const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityRemark
	SeverityNote
)

// String returns the severity in lower case.
func (s Severity) String() string {
	return [...]string{"error", "warning", "remark", "note"}[min(s, SeverityNote)]
}

// Diagnostic is one thing that LLVM had to say.
type Diagnostic struct {
	Severity Severity
	Message  string
}

// DiagnosticError is the error of an operation that LLVM reported errors for.
type DiagnosticError struct {
	// What is what was being done, such as "parsing saxpy.bc".
	What string
	// Diagnostics has at least one error, and what else was said during the
	// operation, in order.
	Diagnostics []Diagnostic
}

// Error returns what was being done and the errors among the diagnostics.
func (e *DiagnosticError) Error() string {
	var texts []string
	for _, d := range e.Diagnostics {
		if d.Severity == SeverityError {
			texts = append(texts, d.Message)
		}
	}
	return e.What + ": " + strings.Join(texts, "; ")
}

// maxDiagnostics bounds what a context keeps. Errors are kept beyond it, up
// to twice as many.
const maxDiagnostics = 256

// diagnostics collects what LLVM says about a context.
type diagnostics struct {
	sync.Mutex
	list   []Diagnostic
	errors int
}

func (d *diagnostics) add(severity Severity, message string) {
	d.Lock()
	defer d.Unlock()
	if severity == SeverityError {
		d.errors++
	}
	if len(d.list) < maxDiagnostics || severity == SeverityError && len(d.list) < 2*maxDiagnostics {
		d.list = append(d.list, Diagnostic{severity, message})
	}
}

// mark returns where the diagnostics of an operation will begin.
func (d *diagnostics) mark() (length, errors int) {
	d.Lock()
	defer d.Unlock()
	return len(d.list), d.errors
}

// since returns an error if there were errors after the mark.
func (d *diagnostics) since(length, errors int, what string) error {
	d.Lock()
	defer d.Unlock()
	if d.errors == errors {
		return nil
	}
	e := &DiagnosticError{What: what, Diagnostics: append([]Diagnostic(nil), d.list[min(length, len(d.list)):]...)}
	if length >= len(d.list) {
		e.Diagnostics = []Diagnostic{{SeverityError, "too many errors"}}
	}
	return e
}

var (
	diagnosticHandler capi.DiagnosticHandler
	// collectors holds each context's diagnostics by the number that LLVM
	// hands back.
	collectors    sync.Map
	lastCollector atomic.Uintptr
)

// onDiagnostic is the diagnostic handler of every context. Without one LLVM
// prints, and ends the process on an error.
func onDiagnostic(info, collector uintptr) uintptr {
	d, ok := collectors.Load(collector)
	if !ok {
		return 0
	}
	severity := SeverityNote
	switch capi.GetDiagInfoSeverity(capi.DiagnosticInfo(info)) {
	case capi.DSError:
		severity = SeverityError
	case capi.DSWarning:
		severity = SeverityWarning
	case capi.DSRemark:
		severity = SeverityRemark
	}
	d.(*diagnostics).add(severity, capi.GetDiagInfoDescription(capi.DiagnosticInfo(info)).Take())
	return 0
}
