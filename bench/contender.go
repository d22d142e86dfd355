package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/kilnjit/kiln/bench/workload"
)

// contender runs one kernel again and again. kiln is one, the others are
// programs of their own that speak as bench/peers/contender.h says.
type contender interface {
	// launches runs the kernel n times and returns each time in ns.
	launches(n int) ([]float64, error)
	close()
}

// program is a contender in another process.
type program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	// settle is how long its threads spin on after a launch.
	settle time.Duration
}

// startProgram starts a contender and checks the sum of its first output.
func startProgram(ctx context.Context, kernel *workload.Kernel, settle time.Duration, env []string, name string, args ...string) (*program, error) {
	p := &program{command: exec.CommandContext(ctx, name, args...), settle: settle}
	p.command.Env = append(p.command.Environ(), env...)
	p.command.Stderr = os.Stderr
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	line, err := p.out.ReadString('\n')
	var sum float64
	if _, scanErr := fmt.Sscanf(line, "ready %g", &sum); err != nil || scanErr != nil {
		p.close()
		return nil, fmt.Errorf("%s did not start", filepath.Base(name))
	}
	if !(math.Abs(sum-kernel.Sum) <= kernel.Tolerance*math.Abs(kernel.Sum)) {
		p.close()
		return nil, fmt.Errorf("%s: output of %s sums to %.9g, want %.9g", filepath.Base(name), kernel.Name, sum, kernel.Sum)
	}
	return p, nil
}

func (p *program) launches(n int) ([]float64, error) {
	if _, err := fmt.Fprintln(p.in, n); err != nil {
		return nil, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	var times []float64
	for word := range strings.FieldsSeq(line) {
		ms, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, err
		}
		times = append(times, ms*1e6)
	}
	time.Sleep(p.settle)
	return times, nil
}

func (p *program) close() {
	p.in.Close()
	p.command.Wait()
}

// spell writes a launch as contenders' programs read it.
func spell(name string, k *workload.Kernel) []string {
	words := []string{name}
	for _, extent := range [][3]uint32{k.Grid, k.Block} {
		for _, n := range extent {
			words = append(words, fmt.Sprint(n))
		}
	}
	for _, a := range k.Args {
		flags := "-"
		if a.Zero {
			flags += "z"
		}
		if a.Out {
			flags += "o"
		}
		words = append(words, fmt.Sprintf("%s:%d:%d:%g:%g:%s:%.9g", a.Kind, a.N, a.Seed, a.Lo, a.Hi, flags, a.Value))
	}
	return words
}

// threads is the environment that gives every contender as many threads.
func threads() []string {
	n := strconv.Itoa(runtime.NumCPU())
	return []string{"OMP_NUM_THREADS=" + n, "NUMBA_NUM_THREADS=" + n, "POCL_MAX_PTHREAD_COUNT=" + n}
}

// ompSettle is how long LLVM's OpenMP threads spin after their last work.
const ompSettle = 220 * time.Millisecond

// reference starts the C loops; name is the kernel's in reference.c.
func (b *bench) reference(ctx context.Context, name string, k *workload.Kernel) (contender, error) {
	binary, err := b.buildC(ctx, "reference.c", "-O3", "-march=native", "-fno-math-errno", "-fopenmp", "-w", "-lm")
	if err != nil {
		return nil, err
	}
	return startProgram(ctx, k, ompSettle, threads(), binary, spell(name, k)...)
}

func (b *bench) pocl(ctx context.Context, k *workload.Kernel) (contender, error) {
	binary, err := b.buildC(ctx, "pocl.c", "-O2", "-lOpenCL")
	if err != nil {
		return nil, err
	}
	env := append(threads(), "POCL_CACHE_DIR="+filepath.Join(b.dir, "pocl-cache"))
	return startProgram(ctx, k, 20*time.Millisecond, env, binary, spell(k.Name, k)...)
}

func (b *bench) numba(ctx context.Context, k *workload.Kernel) (contender, error) {
	python := numbaPython(b.peers)
	if python == "" {
		return nil, errors.New("not installed")
	}
	args := append([]string{filepath.Join("bench", "peers", "numba_contender.py")}, spell(k.Name, k)...)
	return startProgram(ctx, k, 50*time.Millisecond, threads(), python, args...)
}

// buildC compiles a program of bench/peers, once.
func (b *bench) buildC(ctx context.Context, source string, flags ...string) (string, error) {
	binary := filepath.Join(b.dir, strings.TrimSuffix(source, ".c"))
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	args := append([]string{filepath.Join("bench", "peers", source), "-o", binary}, flags...)
	if log, err := exec.CommandContext(ctx, "clang-22", args...).CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(string(log), "\n")
		return "", fmt.Errorf("does not compile (%s)", strings.TrimSpace(line))
	}
	return binary, nil
}

// setup asks the set-up script where something is; empty where it does not know.
func setup(ctx context.Context, what string) string {
	out, err := exec.CommandContext(ctx, filepath.Join("scripts", "setup"), what).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func numbaPython(peers string) string {
	python := filepath.Join(peers, "numba", "bin", "python")
	if _, err := os.Stat(python); peers == "" || err != nil {
		return ""
	}
	return python
}
