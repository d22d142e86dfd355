package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/worker"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/envconf"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/target"
)

// The exit codes, as docs/cli.md lists them. They do not change.
const (
	exitOK      = 0
	exitFailed  = 1 // the kernel failed, a check found a difference, a cache entry is bad
	exitUsage   = 2 // the command line, an argument or an environment variable is wrong
	exitMissing = 3 // a library or tool is not installed
	exitInput   = 4 // a file is not there or holds nothing usable
	exitCompile = 5 // kiln or LLVM could not compile the kernel

	exitInterrupted = 130 // as the shells have it for an interrupt
)

// usageError is a command line that asks for something that does not fit.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// missingError is something that is not installed.
type missingError struct{ text string }

func (e *missingError) Error() string { return e.text }

// inputError is a file that cannot be used.
type inputError struct{ err error }

func (e *inputError) Error() string { return e.err.Error() }
func (e *inputError) Unwrap() error { return e.err }

// errReported ends a command that has said itself what is wrong.
var errReported = errors.New("failed")

// exitCode returns the code that tells err's kind.
func exitCode(err error) int {
	matches := func(targets ...error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
	var (
		wrong   *usageError
		missing *missingError
		input   *inputError
		env     *envconf.Error
		refused *source.Error
		failed  *compile.Error
	)
	switch {
	case matches(context.Canceled):
		return exitInterrupted
	case errors.As(err, &wrong), errors.As(err, &env), matches(kiln.ErrArgument, kiln.ErrLaunch, compile.ErrBadRequest,
		target.ErrUnknownProcessor, target.ErrUnknownFeature, target.ErrUnknownTriple):
		return exitUsage
	case errors.As(err, &missing), matches(source.ErrNoClang, llvm.ErrNoLLVM, worker.ErrStart, compile.ErrMissing):
		return exitMissing
	case errors.As(err, &input), errors.As(err, &refused),
		matches(compile.ErrBadModule, compile.ErrNoKernel, image.ErrFormat, fs.ErrNotExist, fs.ErrPermission):
		return exitInput
	case errors.As(err, &failed):
		return exitCompile
	}
	return exitFailed
}

// fail tells err to the user and returns its exit code. With --json the
// error also goes to the output as an object.
func (s *session) fail(err error) int {
	code := exitCode(err)
	if errors.Is(err, errReported) {
		return code
	}
	text := err.Error()
	if code == exitInterrupted {
		text = "interrupted"
	}
	var failed *compile.Error
	if errors.As(err, &failed) {
		// What LLVM said is added where it is more than the summary has.
		if log := strings.TrimSpace(failed.Log); !strings.Contains(text, strings.TrimPrefix(log, "error: ")) {
			text += "\n" + log
		}
	}
	if errors.Is(err, worker.ErrStart) {
		text += "\nKILN_COMPILER=in-process compiles without a process of its own"
	}
	if errors.Is(err, llvm.ErrNoLLVM) && s.config.LLVM != "" {
		text += "\nKILN_LLVM=" + s.config.LLVM + " asks for that one; without it kiln takes the newest it finds, and kiln doctor lists them"
	}
	fmt.Fprintf(s.stderr, "kiln: %s\n", text)
	if s.json {
		s.printJSON(struct {
			Error    string `json:"error"`
			ExitCode int    `json:"exit_code"`
		}{text, code})
	}
	return code
}

// printJSON writes v, indented, to the output.
func (s *session) printJSON(v any) error {
	encoder := json.NewEncoder(s.stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
