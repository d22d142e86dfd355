package spmd_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd"
)

var (
	pointerParam = image.Param{Kind: image.Pointer, Type: "ptr", Size: 8, Align: 8}
	intParam     = image.Param{Type: "i32", Size: 4, Align: 4}
)

// feature is one launch of a kernel of features_gpu.inc with what it must write.
type feature struct {
	kernel string
	args   []int32 // the arguments behind the output
	// write puts the expected values into out, for a block of 256.
	write func(out []float32)
	ints  bool
}

func each(f func(t int) float32) func([]float32) {
	return func(out []float32) {
		for t := range 256 {
			out[t] = f(t)
		}
	}
}

var features = []feature{
	{kernel: "f_bar_if", args: []int32{0}, write: each(func(int) float32 { return -1 })},
	{kernel: "f_bar_if", args: []int32{1}, write: each(func(t int) float32 { return float32(255 - t) })},
	{kernel: "f_bar_loop", args: []int32{0}, write: each(func(t int) float32 { return float32(t) })},
	{kernel: "f_bar_loop", args: []int32{5}, write: each(func(t int) float32 { return float32((t+10)&255) + 5 })},
	{kernel: "f_bar_loop", args: []int32{11}, write: each(barLoop(8))},
	{kernel: "f_bar_early_exit", args: []int32{200}, write: each(func(t int) float32 {
		if t >= 200 {
			return -7
		}
		return float32(199 - t)
	})},
	{kernel: "f_bar_switch", args: []int32{0}, write: each(func(t int) float32 { return float32(255 - t) })},
	{kernel: "f_bar_switch", args: []int32{1}, write: each(func(t int) float32 { return float32(t^1) + 1 })},
	{kernel: "f_bar_switch", args: []int32{2}, write: each(func(t int) float32 { return float32(t ^ 1) })},
	{kernel: "f_bar_switch", args: []int32{3}, write: each(func(int) float32 { return 0 })},
	{kernel: "f_bar_nested", args: []int32{3, 5}, write: each(barNested(3, 5))},
	{kernel: "f_private", args: []int32{5}, write: each(func(t int) float32 { return float32(16*t+120) + float32(255-t+5) })},
}

func barLoop(turns int) func(int) float32 {
	return func(t int) float32 {
		v := make([]float32, 256)
		for i := range v {
			v[i] = float32(i)
		}
		for k := range turns {
			w := make([]float32, 256)
			for i := range w {
				w[i] = v[(i+k)&255] + 1
			}
			v = w
		}
		return v[t]
	}
}

func barNested(n, m int) func(int) float32 {
	return func(t int) float32 {
		sum := 0
		for i := range n {
			for j := range m {
				sum += (t+j)&255 + i
			}
		}
		return float32(sum)
	}
}

// TestBarrierFeatures runs the kernels of features_gpu.inc with barriers in
// each form.
func TestBarrierFeatures(t *testing.T) {
	block := [3]uint32{256, 1, 1}
	forms := map[string]spmd.Options{"regions": {}, "fixed": {Block: block}, "coroutines": {Form: spmd.Coroutine}}
	for _, from := range featureImages {
		for form, options := range forms {
			if strings.HasSuffix(from, ".O0") && form != "regions" {
				continue
			}
			t.Run(from+"/"+form, func(t *testing.T) {
				t.Parallel()
				kernels := map[string]*compiled{}
				for _, f := range features {
					params, args := []image.Param{pointerParam}, []any{nil}
					for _, a := range f.args {
						params, args = append(params, intParam), append(args, a)
					}
					c := kernels[f.kernel]
					if c == nil {
						c = compile(t, source(t, from), f.kernel, params, options)
						kernels[f.kernel] = c
					}
					if ran := strings.Contains(c.result.Remarks[0], "regions for "); ran != (form != "coroutines") {
						t.Errorf("%s: remarks %q", f.kernel, c.result.Remarks)
					}
					out, want := make([]float32, 256), make([]float32, 256)
					for i := range out {
						out[i], want[i] = -7, -7
					}
					f.write(want)
					args[0] = out
					c.launch(t, [3]uint32{1, 1, 1}, block, args...)
					if d := cmp.Diff(want, out); d != "" {
						t.Errorf("%s %v: %s", f.kernel, f.args, d)
					}
				}
			})
		}
	}
}
