package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/bench/workload"
)

//go:embed c/reference.c
var referenceSource []byte

// reference is the same kernels in C, compiled to a program of its own.
type reference struct {
	program string
	output  string // the file that a run writes
}

func compileReference(ctx context.Context, dir string) (*reference, error) {
	source := filepath.Join(dir, "reference.c")
	if err := os.WriteFile(source, referenceSource, 0o600); err != nil {
		return nil, err
	}
	r := &reference{program: filepath.Join(dir, "reference"), output: filepath.Join(dir, "output")}
	for _, compiler := range []string{"clang-22", "clang", "gcc", "cc"} {
		path, err := exec.LookPath(compiler)
		if err != nil {
			continue
		}
		command := exec.CommandContext(ctx, path, "-O3", "-march=native", "-fno-math-errno", "-pthread", source, "-o", r.program, "-lm")
		if log, err := command.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("compiling the C reference: %w\n%s", err, log)
		}
		return r, nil
	}
	return nil, errors.New("no C compiler: none of clang-22, clang, gcc and cc is on the PATH; on Debian type: apt-get install clang-22")
}

// run runs a kernel and returns the output of a first run on fresh input and
// the least time, in ms, of some more runs.
func (r *reference) run(ctx context.Context, k *workload.Kernel, runs int) (output []byte, ms float64, err error) {
	command := exec.CommandContext(ctx, r.program, k.Name, strconv.Itoa(k.Size()), strconv.Itoa(runs), r.output)
	printed, err := command.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("running %s in C: %w", k.Name, err)
	}
	if ms, err = strconv.ParseFloat(strings.TrimSpace(string(printed)), 64); err != nil {
		return nil, 0, fmt.Errorf("running %s in C: %w", k.Name, err)
	}
	output, err = os.ReadFile(r.output)
	return output, ms, err
}

// compare returns an error unless each element of got is that of want: floats
// to 1e-4 of the largest, and all but a few counts of steps.
func compare(got any, want []byte) error {
	order := binary.LittleEndian
	if n := binary.Size(got); n != len(want) {
		return fmt.Errorf("%d bytes of output, the C reference has %d", n, len(want))
	}
	switch got := got.(type) {
	case []float32:
		largest, apart := 0.0, 0.0
		for i, g := range got {
			w := math.Float32frombits(order.Uint32(want[4*i:]))
			largest = max(largest, math.Abs(float64(w)))
			apart = max(apart, math.Abs(float64(g)-float64(w)))
		}
		if !(apart <= 1e-4*largest) {
			return fmt.Errorf("elements up to %.3g apart from the C reference's, whose largest is %.3g", apart, largest)
		}
	case []int32:
		different := 0
		for i, g := range got {
			if g != int32(order.Uint32(want[4*i:])) {
				different++
			}
		}
		// Fused or not, products move a few points across the edge of the set.
		if different > len(got)/100 {
			return fmt.Errorf("%d of %d elements differ from the C reference's", different, len(got))
		}
	default:
		return fmt.Errorf("output of type %T has no comparison", got)
	}
	return nil
}
