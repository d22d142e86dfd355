package jitnames

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// spin is the program of testdata/spin, built and not yet started.
type spin struct {
	program, object, folder string
}

func buildSpin(t *testing.T) spin { return build(t, "./testdata/spin") }

// build returns a program and the kernel it runs, as clang makes it with flags.
func build(t *testing.T, source string, flags ...string) spin {
	t.Helper()
	dir := t.TempDir()
	s := spin{filepath.Join(dir, "spin"), filepath.Join(dir, "kernel.o"), filepath.Join(dir, "dumps")}
	build := exec.Command("go", "build", "-o", s.program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	compile := exec.Command("clang-22", append(flags, "-g", "-O1", "-fPIC", "-c", "testdata/kernel.c", "-o", s.object)...)
	for _, cmd := range []*exec.Cmd{build, compile} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	return s
}

// start runs cmd, which prints as spin does. Next waits for "ready", calls
// inside, and lets the kernel end.
func start(t *testing.T, cmd *exec.Cmd) (next func(inside func(pid int)), wait func() error) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	t.Cleanup(func() {
		if !ended {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	lines := bufio.NewScanner(out)
	next = func(inside func(pid int)) {
		if !lines.Scan() || lines.Text() != "ready" {
			cmd.Wait()
			ended = true
			t.Fatalf("%q, %v\n%s", lines.Text(), lines.Err(), errs.Bytes())
		}
		inside(cmd.Process.Pid)
		if _, err := io.WriteString(in, "x"); err != nil {
			t.Fatal(err)
		}
	}
	wait = func() error {
		for lines.Scan() {
		}
		ended = true
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%w\n%s", err, errs.Bytes())
		}
		return nil
	}
	return next, wait
}

func lookPath(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Skipf("no %s here", tool)
	}
}

// backtrace attaches gdb and returns the stacks of all threads.
func backtrace(t *testing.T, pid int) string {
	t.Helper()
	gdb := exec.Command("gdb", "-batch", "-nx", "-iex", "set auto-load off", "-p", fmt.Sprint(pid), "-ex", "thread apply all -q -s backtrace 3")
	gdb.Env = append(os.Environ(), "DEBUGINFOD_URLS=")
	out, err := gdb.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "Operation not permitted") {
		t.Skip("gdb may not attach here")
	}
	return string(out)
}

// TestGDB attaches gdb to a process whose threads are in a kernel: it shows the
// kernel's functions with the lines of their source. Without names it shows
// neither, and code that was taken back leaves no trace.
func TestGDB(t *testing.T) {
	lookPath(t, "gdb")
	s := buildSpin(t)
	inKernel := regexp.MustCompile(`(?m)^#0 +0x[0-9a-f]+ in count_up \(stop=0x[0-9a-f]+\) at .*testdata/kernel\.c:[45]$`)
	caller := regexp.MustCompile(`(?m)^#1 +0x[0-9a-f]+ in spin_kernel \(stop=0x[0-9a-f]+\) at .*testdata/kernel\.c:10$`)

	next, wait := start(t, exec.Command(s.program, "-debugger", s.object))
	for range 2 { // the second image lies where the first was
		next(func(pid int) {
			if out := backtrace(t, pid); !inKernel.MatchString(out) || !caller.MatchString(out) {
				t.Errorf("gdb shows:\n%s", out)
			}
		})
	}
	if err := wait(); err != nil {
		t.Error(err)
	}

	next, wait = start(t, exec.Command(s.program, s.object))
	next(func(pid int) {
		if out := backtrace(t, pid); strings.Contains(out, "count_up") || !strings.Contains(out, "#0 ") {
			t.Errorf("without names gdb shows:\n%s", out)
		}
	})
	next(func(int) {})
	if err := wait(); err != nil {
		t.Error(err)
	}
}

// TestGDBEngine is the same for a kernel that kiln has compiled with Debug.
func TestGDBEngine(t *testing.T) {
	lookPath(t, "gdb")
	s := build(t, "./testdata/engine", "-emit-llvm")
	next, wait := start(t, exec.Command(s.program, s.object))
	line := regexp.MustCompile(`(?m)^#0 +0x[0-9a-f]+ in count_up \(stop=0x[0-9a-f]+\) at .*testdata/kernel\.c:[45]$`)
	next(func(pid int) {
		if out := backtrace(t, pid); !line.MatchString(out) || !strings.Contains(out, "spin_kernel ()") {
			t.Errorf("gdb shows:\n%s", out)
		}
	})
	if err := wait(); err != nil {
		t.Error(err)
	}
}

// TestPerf records a process in a kernel: perf's report has the kernel's name,
// by the map file and by the dump file.
func TestPerf(t *testing.T) {
	lookPath(t, "perf")
	s := buildSpin(t)
	dir := t.TempDir()
	data := filepath.Join(dir, "perf.data")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("perf", args...)
		cmd.Env = append(os.Environ(), "HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("perf %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	record := []string{"record", "-q", "-k", "mono", "-e", "cpu-clock:u", "-F", "1000", "-o", data}
	if out, err := exec.Command("perf", append(record, "true")...).CombinedOutput(); err != nil {
		t.Skipf("perf may not record here: %v\n%s", err, out)
	}
	next, wait := start(t, exec.Command("perf", append(record, s.program, "-map", "-dump", s.folder, s.object)...))
	for range 2 {
		next(func(int) { exec.Command("sleep", "0.3").Run() })
	}
	if err := wait(); err != nil {
		t.Fatal(err)
	}
	dumps, err := filepath.Glob(filepath.Join(s.folder, "jit-*.dump"))
	if err != nil || len(dumps) != 1 {
		t.Fatalf("dump files %v, %v", dumps, err)
	}
	var pid int
	if _, err := fmt.Sscanf(filepath.Base(dumps[0]), "jit-%d.dump", &pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(PerfMapPath(pid)) })

	symbol := regexp.MustCompile(`(?m)^ +(\d+)\.\d+% .* (\S+) +\[\.\] count_up`)
	if out := run("report", "-f", "-i", data, "--stdio"); !symbol.MatchString(out) {
		t.Errorf("by the map file perf reports:\n%s", out)
	}
	merged := data + ".jit"
	run("inject", "--jit", "-f", "-i", data, "-o", merged)
	out := run("report", "-f", "-i", merged, "--stdio")
	if m := symbol.FindStringSubmatch(out); m == nil || !strings.HasPrefix(m[2], "jitted-") {
		t.Errorf("by the dump file perf reports:\n%s", out)
	}
}
