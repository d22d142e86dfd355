package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/envconf"
	"github.com/kilnjit/kiln/internal/llvm"
)

func TestExitCode(t *testing.T) {
	for want, errs := range map[int][]error{
		exitFailed:  {errors.New("any"), errReported, kiln.ErrFault, &kiln.FaultError{}},
		exitUsage:   {usage("x"), &envconf.Error{}, kiln.ErrArgument, kiln.ErrLaunch, &compile.Error{Err: compile.ErrBadRequest}},
		exitMissing: {errNotReady, &missingError{"x"}, source.ErrNoClang, llvm.ErrNoLLVM, &compile.Error{Err: compile.ErrMissing}},
		exitInput:   {&inputError{errors.New("x")}, &source.Error{}, image.ErrFormat, os.ErrNotExist, &compile.Error{Err: compile.ErrNoKernel}},
		exitCompile: {&compile.Error{}, &compile.Error{Err: compile.ErrUnsupported}},
	} {
		for _, err := range errs {
			if got := exitCode(err); got != want {
				t.Errorf("exitCode(%T %v) = %d, want %d", err, err, got, want)
			}
		}
	}
}

func TestExtent(t *testing.T) {
	for text, want := range map[string]string{"64": "64", "16,16": "16,16", "1,1,8": "1,1,8", "4,1,1": "4", "4,1": "4", "0": "0", "2,3,1": "2,3"} {
		var e extent
		if err := e.UnmarshalText([]byte(text)); err != nil || e.String() != want || !e.given {
			t.Errorf("extent %q = %q, %v, want %q", text, e, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "1,,1", "1,2,3,4", "4294967296", "1.5"} {
		if err := new(extent).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("extent %q: no error", text)
		}
	}
}

func TestPrinted(t *testing.T) {
	for ns, want := range map[int64]string{
		0: "0 ns", 999: "999 ns", 1000: "1.00 µs", 12345: "12.3 µs", 999_999: "1000 µs", 1_234_567: "1.23 ms",
		123_456_789: "123 ms", 1_500_000_000: "1.50 s", 75_000_000_000: "75 s",
	} {
		if got := duration(ns); got != want {
			t.Errorf("duration(%d) = %q, want %q", ns, got, want)
		}
	}
	for bytes, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.00 KiB", 1 << 20: "1.00 MiB", 150 << 30: "150 GiB", 3 << 50: "3072 TiB"} {
		if got := size(bytes); got != want {
			t.Errorf("size(%d) = %q, want %q", bytes, got, want)
		}
	}
}

// TestModels: the command line of one command is that part of the whole one.
func TestModels(t *testing.T) {
	for _, c := range commands {
		var whole, one bytes.Buffer
		if code := run([]string{c.name, "--help"}, nil, &one, io.Discard, nil); code != exitOK {
			t.Errorf("%s --help: exit code %d", c.name, code)
		}
		parser, err := model(new(flags), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, node := range parser.Model.Children {
			if node.Name == c.name {
				whole.WriteString(node.Help)
			}
		}
		if diff := cmp.Diff(c.help, whole.String()); diff != "" || !strings.Contains(one.String(), "Usage: kiln "+c.name) {
			t.Errorf("%s: help (-want +got):\n%s\n%s", c.name, diff, &one)
		}
	}
}
