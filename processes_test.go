package kiln_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/kilnjit/kiln"
)

// manyKernels is a module of n kernels: k7(x) is x + 7, by way of a loop.
func manyKernels(n int) string {
	var ir strings.Builder
	for i := range n {
		fmt.Fprintf(&ir, `
define double @k%d(double %%x) {
entry:
  br label %%loop
loop:
  %%i = phi i32 [ 0, %%entry ], [ %%next, %%loop ]
  %%s = phi double [ %%x, %%entry ], [ %%t, %%loop ]
  %%next = add i32 %%i, 1
  %%t = fadd double %%s, 1.0
  %%more = icmp slt i32 %%next, %d
  br i1 %%more, label %%loop, label %%done
done:
  %%r = phi double [ %%t, %%loop ]
  ret double %%r
}
`, i, max(i, 1))
	}
	return ir.String()
}

// manyChild launches each of the kernels once, when it is told to begin, and
// prints how many answers were right and what it compiled itself: dir, number.
func manyChild(args []string) error {
	var n int
	if _, err := fmt.Sscan(args[1], &n); err != nil {
		return err
	}
	var begin string
	if _, err := fmt.Scan(&begin); err != nil {
		return err
	}
	e, err := kiln.Open(kiln.Options{
		Cache:  kiln.CacheOptions{Dir: args[0], Wait: time.Minute},
		Events: kiln.Events{Warning: func(err error) { fmt.Fprintln(os.Stderr, err) }},
	})
	if err != nil {
		return err
	}
	defer e.Close()
	m, err := e.Load(ctx, kiln.Bytes("many.ll", []byte(manyKernels(n))))
	if err != nil {
		return err
	}
	right := 0
	for i := range n {
		k, err := m.Kernel(fmt.Sprintf("k%d", i))
		if err != nil {
			return err
		}
		var y float64
		if err := k.Launch(ctx, kiln.Arg(0.5), kiln.Result(&y)); err != nil {
			return err
		}
		if y == 0.5+float64(max(i, 1)) {
			right++
		}
	}
	s := e.Stats()
	fmt.Println(right, s.Compiles, s.Summaries)
	return nil
}

// runMany starts the processes, lets them begin together, and returns the sums
// of what they print.
func runMany(t *testing.T, processes, kernels int, dir string) (right, compiles, summaries int) {
	t.Helper()
	var commands []*exec.Cmd
	var pipes []io.Writer
	outs, warnings := make([]bytes.Buffer, processes), make([]bytes.Buffer, processes)
	for i := range processes {
		c := exec.Command(os.Args[0], "child", "many", dir, fmt.Sprint(kernels))
		c.Stdout, c.Stderr = &outs[i], &warnings[i]
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		commands, pipes = append(commands, c), append(pipes, in)
	}
	for _, p := range pipes {
		if _, err := io.WriteString(p, "begin\n"); err != nil {
			t.Error(err)
		}
	}
	for i, c := range commands {
		if err := c.Wait(); err != nil {
			t.Errorf("process %d: %v\n%s", i, err, warnings[i].Bytes())
			continue
		}
		var r, n, s int
		if _, err := fmt.Sscan(outs[i].String(), &r, &n, &s); err != nil {
			t.Errorf("process %d printed %q", i, outs[i].String())
		}
		right, compiles, summaries = right+r, compiles+n, summaries+s
	}
	return right, compiles, summaries
}

// Eight processes that start on an empty cache and use the same 50 kernels
// compile each once (Olympus-HPC/proteus PR#354, pocl/pocl#430).
func TestProcessesCompileOnce(t *testing.T) {
	right, compiles, summaries := runMany(t, 8, 50, t.TempDir()+"/cache")
	if right != 400 || compiles != 50 || summaries != 1 {
		t.Errorf("%d right answers, %d compiles, %d summaries; want 400, 50 and 1", right, compiles, summaries)
	}
}

// Many processes of many tiny kernels (pocl/pocl#1480, pocl/pocl#586).
func TestProcessesPocl1480(t *testing.T) {
	const processes, kernels = 16, 60
	right, compiles, _ := runMany(t, processes, kernels, t.TempDir()+"/cache")
	if right != processes*kernels || compiles != kernels {
		t.Errorf("%d right answers and %d compiles, want %d and %d", right, compiles, processes*kernels, kernels)
	}
}
