// Package workload holds the kernels that tests, the tour and the benchmarks
// run: their launch shapes, inputs made by a generator that any language can
// repeat, and the sums their outputs must have. The data is in testdata/spmd.
package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/kilnjit/kiln"
)

// Scale is a set of sizes.
type Scale string

// The scales: Small for tests, Full for measurements (16 Mi elements and the like).
const (
	Small Scale = "small"
	Full  Scale = "full"
)

// Set is all kernels at one scale.
type Set struct {
	// Folder is where the bitcode lies.
	Folder  string
	Scale   Scale
	kernels map[string]*Kernel
}

// Kernel is one kernel's launch.
type Kernel struct {
	Name        string
	Grid, Block [3]uint32
	Args        []Arg
	// Bytes and Flops are the least a launch moves and computes.
	Bytes, Flops float64
	// Sum is what the output's elements add up to; Tolerance is relative.
	Sum, Tolerance float64
}

// Arg is one argument: a buffer of N elements, or a scalar.
type Arg struct {
	Kind   string  `json:"kind"`
	N      int     `json:"n"`
	Seed   uint32  `json:"seed"`
	Lo, Hi float64 `json:",omitempty"`
	Zero   bool    `json:"zero"`
	Out    bool    `json:"out"`
	Value  float64 `json:"value"`
}

// Load reads the set in folder.
func Load(folder string, scale Scale) (*Set, error) {
	var manifest map[Scale]map[string]*Kernel
	if err := read(filepath.Join(folder, "manifest.json"), &manifest); err != nil {
		return nil, err
	}
	var expected map[string]json.RawMessage
	if err := read(filepath.Join(folder, "expected.json"), &expected); err != nil {
		return nil, err
	}
	sums := map[string]float64{}
	if err := json.Unmarshal(expected[string(scale)], &sums); err != nil {
		return nil, fmt.Errorf("expected sums of scale %s: %w", scale, err)
	}
	set := &Set{Folder: folder, Scale: scale, kernels: manifest[scale]}
	for name, k := range set.kernels {
		k.Name, k.Sum, k.Tolerance = name, sums[name], 1e-5
		switch name {
		case "mandelbrot":
			k.Tolerance = 1e-4 // contracted products move a few pixels by one step
		case "histogram":
			k.Tolerance = 0
		}
	}
	return set, nil
}

func read(path string, to any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Kernel returns the named kernel, nil where there is none.
func (s *Set) Kernel(name string) *Kernel { return s.kernels[name] }

// Image returns the path of the set's bitcode for a target: "sm_80.raw",
// "sm_80.O2", "gfx90a.raw", "gfx90a.O2" or "x86_64" (OpenCL C).
func (s *Set) Image(target string) string {
	if target == "x86_64" {
		return filepath.Join(s.Folder, "kernels.cl.x86_64.bc")
	}
	return filepath.Join(s.Folder, "bench."+target+".bc")
}

// Input is a kernel's arguments in memory.
type Input struct {
	kernel *Kernel
	values []any // []float32, []int32, []uint32, []byte, int32 or float32
}

// Make fills a kernel's arguments.
func (k *Kernel) Make() *Input {
	in := &Input{kernel: k}
	for _, a := range k.Args {
		in.values = append(in.values, a.value())
	}
	return in
}

func (a *Arg) value() any {
	switch a.Kind {
	case "i32s":
		return int32(a.Value)
	case "f32s":
		return float32(a.Value)
	case "f32":
		return fill(a, func(h uint32) float32 { return float32(a.Lo + (a.Hi-a.Lo)*float64(h>>8)/(1<<24)) })
	case "u8":
		return fill(a, func(h uint32) byte { return byte(h >> 24) })
	case "i32":
		return fill(a, func(h uint32) int32 { return int32(h) })
	default:
		return fill(a, func(h uint32) uint32 { return h })
	}
}

func fill[T any](a *Arg, of func(uint32) T) []T {
	s := make([]T, a.N)
	inHugePages(s)
	if !a.Zero {
		for i := range s {
			s[i] = of(uint32(i)*2654435761 + a.Seed*40503 + 12345)
		}
	}
	return s
}

// Launch returns the launch's arguments. With constant set, every scalar and
// the launch's shape are compiled in.
func (in *Input) Launch(constant bool) []kiln.LaunchArg {
	g, b := in.kernel.Grid, in.kernel.Block
	args := []kiln.LaunchArg{kiln.Grid(g[0], g[1], g[2]), kiln.Block(b[0], b[1], b[2])}
	if constant {
		args = []kiln.LaunchArg{kiln.ConstGrid(g[0], g[1], g[2]), kiln.ConstBlock(b[0], b[1], b[2])}
	}
	for _, v := range in.values {
		switch v := v.(type) {
		case int32:
			args = append(args, scalar(constant, v))
		case float32:
			args = append(args, scalar(constant, v))
		case []float32:
			args = append(args, kiln.Arg(v))
		case []int32:
			args = append(args, kiln.Arg(v))
		case []uint32:
			args = append(args, kiln.Arg(v))
		case []byte:
			args = append(args, kiln.Arg(v))
		}
	}
	return args
}

func scalar[T any](constant bool, v T) kiln.LaunchArg {
	if constant {
		return kiln.Const(v)
	}
	return kiln.Arg(v)
}

// Reset makes the output what it was when the input was made.
func (in *Input) Reset() {
	for i := range in.kernel.Args {
		if a := &in.kernel.Args[i]; a.Out {
			in.values[i] = a.value()
		}
	}
}

// Output returns the output: a []float32, []int32 or []uint32, nil where there is none.
func (in *Input) Output() any {
	for i, a := range in.kernel.Args {
		if a.Out {
			return in.values[i]
		}
	}
	return nil
}

// Size is the kernel's first whole number: how many elements, rows or bodies.
func (k *Kernel) Size() int {
	for _, a := range k.Args {
		if a.Kind == "i32s" {
			return int(a.Value)
		}
	}
	return 0
}

// Sum adds up the output's elements; a histogram's bins count by their number.
func (in *Input) Sum() float64 {
	for i, a := range in.kernel.Args {
		if !a.Out {
			continue
		}
		switch v := in.values[i].(type) {
		case []float32:
			return sum(v, false)
		case []int32:
			return sum(v, false)
		case []uint32:
			return sum(v, in.kernel.Name == "histogram")
		}
	}
	return math.NaN()
}

func sum[T float32 | int32 | uint32](s []T, weighted bool) (total float64) {
	for i, x := range s {
		if weighted {
			total += float64(i) * float64(x)
		} else {
			total += float64(x)
		}
	}
	return total
}

// Check returns an error unless the output's sum is the expected one. It holds
// after the first launch on fresh input.
func (in *Input) Check() error {
	got, want := in.Sum(), in.kernel.Sum
	if off := math.Abs(got - want); !(off <= in.kernel.Tolerance*math.Abs(want)) {
		return fmt.Errorf("%s: output sums to %.9g, want %.9g", in.kernel.Name, got, want)
	}
	return nil
}
