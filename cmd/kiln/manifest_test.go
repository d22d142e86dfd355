package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// workload is one kernel's launch in testdata/spmd/manifest.json.
type workload struct {
	Grid, Block [3]int
	Args        []struct {
		Kind      string
		N, Seed   int
		Lo, Hi    float64
		Value     float64
		Zero, Out bool
	}
}

// arguments spells the workload as a command line.
func (w *workload) arguments() []string {
	dims := func(d [3]int) string { return fmt.Sprintf("%d,%d,%d", d[0], d[1], d[2]) }
	args := []string{"--grid", dims(w.Grid), "--block", dims(w.Block)}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, a := range w.Args {
		text := ""
		if a.Out {
			text = "out:"
		}
		switch {
		case strings.HasSuffix(a.Kind, "s"):
			text += strings.TrimSuffix(a.Kind, "s") + "=" + strconv.FormatFloat(a.Value, 'f', -1, 64)
		case a.Zero:
			text += fmt.Sprintf("%s[%d]=0", a.Kind, a.N)
		case a.Kind == "u8":
			text += fmt.Sprintf("seed:%d:u8[%d]=rand", a.Seed, a.N)
		default:
			text += fmt.Sprintf("seed:%d:%s[%d]=%s..%s", a.Seed, a.Kind, a.N, number(a.Lo), number(a.Hi))
		}
		args = append(args, text)
	}
	return args
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestManifest runs the kernels from each device's bitcode and compares the
// sums with those that C and OpenCL programs got: those without barriers at
// both sizes, those with barriers at the small one. The race detector looks at
// the small size only: filling the large buffers under it takes minutes.
func TestManifest(t *testing.T) {
	var manifest map[string]map[string]*workload
	readJSON(t, "../../testdata/spmd/manifest.json", &manifest)
	var expected struct{ Full, Small map[string]float64 }
	readJSON(t, "../../testdata/spmd/expected.json", &expected)
	tolerances := map[string]float64{
		"saxpy": 1e-5, "matmul_naive": 1e-5, "stencil7": 1e-5, "nbody": 1e-5, "poly": 1e-5,
		"mandelbrot":   1e-4, // a few pixels change with the contraction of multiply and add
		"matmul_tiled": 1e-5, "reduce_block": 1e-5, "scan_block": 1e-5, "nbody_tiled": 1e-5,
	}
	barriers := []string{"matmul_tiled", "reduce_block", "scan_block", "nbody_tiled"}
	env := []string{"KILN_CACHE_DIR=" + t.TempDir(), "HOME=/none"}
	for _, file := range []string{"bench.sm_80.raw.bc", "bench.gfx90a.raw.bc", "kernels.cl.x86_64.bc"} {
		for size, sums := range map[string]map[string]float64{"full": expected.Full, "small": expected.Small} {
			for kernel, tolerance := range tolerances {
				if size == "full" && (raceEnabled || slices.Contains(barriers, kernel)) {
					continue
				}
				t.Run(file+"/"+size+"/"+kernel, func(t *testing.T) {
					args := append([]string{"run", "--json", "../../testdata/spmd/" + file, kernel}, manifest[size][kernel].arguments()...)
					var stdout, stderr bytes.Buffer
					if code := run(args, nil, &stdout, &stderr, env); code != exitOK {
						t.Fatalf("kiln %s\nexit code %d: %s", strings.Join(args, " "), code, &stderr)
					}
					var result struct{ Outputs []struct{ Sum float64 } }
					if err := json.Unmarshal(stdout.Bytes(), &result); err != nil || len(result.Outputs) != 1 {
						t.Fatalf("%v in %s", err, &stdout)
					}
					got, want := result.Outputs[0].Sum, sums[kernel]
					if math.Abs(got-want) > tolerance*math.Abs(want) {
						t.Errorf("sum %.9g, want %.9g\nkiln %s", got, want, strings.Join(args, " "))
					}
				})
			}
		}
	}
}
