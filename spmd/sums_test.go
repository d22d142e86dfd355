package spmd_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd"
)

const samples = "../testdata/spmd/"

type benchmark struct {
	Grid, Block [3]uint32
	Args        []benchmarkArg
}

type benchmarkArg struct {
	Kind      string
	N         int
	Seed      uint32
	Lo, Hi    float64
	Value     float64
	Zero, Out bool
}

func manifest(t testing.TB, scale string) map[string]benchmark {
	t.Helper()
	var all map[string]map[string]benchmark
	readJSON(t, samples+"manifest.json", &all)
	return all[scale]
}

func expected(t testing.TB, scale string) map[string]float64 {
	t.Helper()
	var all map[string]json.RawMessage
	readJSON(t, samples+"expected.json", &all)
	var sums map[string]float64
	if err := json.Unmarshal(all[scale], &sums); err != nil {
		t.Fatal(err)
	}
	return sums
}

func readJSON(t testing.TB, path string, to any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// values makes the arguments, and returns the index of the one to check.
func (b *benchmark) values(t testing.TB) (args []any, params []image.Param, out int) {
	t.Helper()
	for i, a := range b.Args {
		if a.Out {
			out = i
		}
		hash := func(k int) uint32 { return uint32(k)*2654435761 + a.Seed*40503 + 12345 }
		pointer := image.Param{Kind: image.Pointer, Type: "ptr", Size: 8, Align: 8}
		switch a.Kind {
		case "i32s":
			args = append(args, int32(a.Value))
			params = append(params, image.Param{Type: "i32", Size: 4, Align: 4})
			continue
		case "f32s":
			args = append(args, float32(a.Value))
			params = append(params, image.Param{Type: "float", Size: 4, Align: 4})
			continue
		case "f32":
			v := make([]float32, a.N)
			if !a.Zero {
				for k := range v {
					v[k] = float32(a.Lo + (a.Hi-a.Lo)*(float64(hash(k)>>8)/16777216))
				}
			}
			args = append(args, v)
		case "i32":
			args = append(args, make([]int32, a.N))
		case "u32":
			args = append(args, make([]uint32, a.N))
		case "u8":
			v := make([]uint8, a.N)
			for k := range v {
				v[k] = uint8(hash(k) >> 24)
			}
			args = append(args, v)
		default:
			t.Fatalf("argument kind %q", a.Kind)
		}
		params = append(params, pointer)
	}
	return args, params, out
}

func sum(t testing.TB, v any) (s float64) {
	t.Helper()
	switch v := v.(type) {
	case []float32:
		for _, x := range v {
			s += float64(x)
		}
	case []int32:
		for _, x := range v {
			s += float64(x)
		}
	case []uint32:
		for i, x := range v {
			s += float64(x) * float64(i) // a histogram's, so that places count
		}
	default:
		t.Fatalf("no sum of a %T", v)
	}
	return s
}

// images are the same kernels from three sources, before and after the
// device's own optimiser.
var images = []string{"bench.sm_80.raw", "bench.sm_80.O2", "bench.gfx90a.raw", "bench.gfx90a.O2", "kernels.cl.x86_64",
	"kernels.cl.spir64", "kernels.cl.amdgcn"}

var barrierFree = []string{"empty", "saxpy", "matmul_naive", "stencil7", "nbody", "mandelbrot", "poly"}

func source(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(samples + name + ".bc")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func checkSum(t *testing.T, kernel string, got, want float64) {
	t.Helper()
	tolerance := 1e-5
	if kernel == "mandelbrot" {
		tolerance = 1e-4 // contraction moves a few pixels
	}
	if math.Abs(got-want) > tolerance*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: sum %.9g, want %.9g", kernel, got, want)
	}
}

func TestSums(t *testing.T) {
	benchmarks, sums := manifest(t, "small"), expected(t, "small")
	for _, from := range images {
		data := source(t, from)
		for _, kernel := range barrierFree {
			b := benchmarks[kernel]
			for _, form := range []struct {
				name    string
				options spmd.Options
			}{
				{"run time", spmd.Options{}},
				{"fixed", spmd.Options{Block: b.Block, Grid: b.Grid}},
				{"items", spmd.Options{Lanes: 1}},
			} {
				if form.options.Lanes == 1 && !strings.HasSuffix(from, ".raw") {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", from, kernel, form.name), func(t *testing.T) {
					t.Parallel()
					args, params, out := b.values(t)
					c := compile(t, data, kernel, params, form.options)
					c.launch(t, b.Grid, b.Block, args...)
					checkSum(t, kernel, sum(t, args[out]), sums[kernel])
				})
			}
		}
	}
}
