// Package llvmtest runs tests that use LLVM: it opens the library, once for
// each version that a test binary is to be run on, and fails a run that
// leaves something open.
//
// A test package's TestMain calls [Main]; a test that calls [Again] runs the
// package's other tests on another version.
package llvmtest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/kilnjit/kiln/internal/llvm"
)

var version = flag.String("llvm", "", "version of libLLVM that the tests use, such as 19; the newest if empty")

// Main opens libLLVM, runs the tests and exits the process: with 1 if a test
// failed or something is still open at the end.
func Main(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	library, err := llvm.Locate(libraryName(*version))
	if err == nil {
		err = llvm.Open(library)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	for _, open := range llvm.Live() {
		fmt.Fprintf(os.Stderr, "left open: %s from\n%s", open.Kind, open.Stack)
		code = 1
	}
	return code
}

func libraryName(version string) string {
	if version == "" {
		return ""
	}
	return "libLLVM.so." + version + ".1"
}

// Again runs the tests of this binary that match the pattern once more, in a
// process of their own that uses the given major version. In such a process
// it skips the calling test.
func Again(t *testing.T, major int, pattern string) {
	t.Helper()
	if *version != "" {
		t.Skip("already one version among several")
	}
	command := exec.Command(os.Args[0], fmt.Sprintf("-llvm=%d", major), "-test.run="+pattern, "-test.v="+fmt.Sprint(testing.Verbose()))
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("on LLVM %d: %v\n%s", major, err, output)
	}
	if testing.Verbose() {
		t.Logf("on LLVM %d:\n%s", major, output)
	}
}

// Within calls fn with a new context inside [llvm.Run], closes the context
// and fails the test on an error.
func Within(t testing.TB, fn func(c *llvm.Context) error) {
	t.Helper()
	err := llvm.Run(context.Background(), t.Name(), func() error {
		c := llvm.NewContext()
		defer c.Close()
		return fn(c)
	})
	if err != nil {
		t.Fatal(err)
	}
}
