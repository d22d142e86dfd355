package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/kilnjit/kiln/internal/envconf"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kiln": main, "kiln-maps": mainWithMaps})
}

// mainWithMaps is kiln that says at its end whether libLLVM is in its mappings.
func mainWithMaps() {
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, envconf.Process())
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		fmt.Println(err)
		code = exitFailed
	}
	fmt.Printf("libLLVM mapped: %v\n", bytes.Contains(maps, []byte("libLLVM")))
	os.Exit(code)
}

func TestScripts(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	found, err := exec.Command("../../scripts/setup", "tools").Output()
	if err != nil {
		t.Fatal(err)
	}
	wheels := strings.TrimSpace(string(found))
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			only, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
			env.Setenv("ONLYKILN", only) // a PATH with nothing else on it
			env.Setenv("TESTDATA", testdata)
			env.Setenv("CUDA12", filepath.Join(wheels, "cuda12"))
			env.Setenv("CUDA13", filepath.Join(wheels, "cuda13"))
			env.Setenv("LONG", strings.Repeat("default<O3>,", 8000)+"globaldce")
			env.Setenv("KILN_CACHE_DIR", filepath.Join(env.WorkDir, "cache"))
			return nil
		},
		// What scripts/setup test could not fetch is left out.
		Condition: func(name string) (bool, error) {
			_, err := os.Stat(filepath.Join(wheels, name, "complete"))
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "damage": damage, "deep": deep},
	})
}

// exits runs a program and expects an exit code: exits CODE PROGRAM ARG...
func exits(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
