package spmd_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd"
)

// launches are the shapes that random programs run in, with the form that each
// is to bring out.
var launches = []struct {
	name        string
	grid, block [3]uint32
	options     spmd.Options
}{
	{"lanes, run-time sizes", [3]uint32{2, 2, 1}, [3]uint32{32, 2, 1}, spmd.Options{}},
	{"8 lanes, fixed", [3]uint32{3, 1, 1}, [3]uint32{24, 1, 2}, spmd.Options{Block: [3]uint32{24, 1, 2}, Grid: [3]uint32{3, 1, 1}}},
	{"rows joined", [3]uint32{2, 1, 2}, [3]uint32{4, 4, 2}, spmd.Options{Block: [3]uint32{4, 4, 2}}},
	{"items, run-time sizes", [3]uint32{2, 1, 1}, [3]uint32{7, 2, 1}, spmd.Options{}},
}

func pointers(n int) []image.Param {
	params := make([]image.Param, n)
	for i := range params {
		params[i] = image.Param{Kind: image.Pointer, Type: "ptr", Size: 8, Align: 8}
	}
	return params
}

// TestRandomPrograms compares what random kernels compute in each form with
// what an interpreter of their source says.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := drawProgram(r)
		source := []byte(p.ir())
		shape := launches[rapid.IntRange(0, len(launches)-1).Draw(r, "launch")]
		input := rapid.SliceOfN(rapid.Int32Range(-100, 1000), inputSize, inputSize).Draw(r, "input")
		items := shape.grid[0] * shape.grid[1] * shape.grid[2] * shape.block[0] * shape.block[1] * shape.block[2]
		m := &machine{grid: shape.grid, block: shape.block, input: input}
		m.output, m.counts = make([]int32, items*outputSize), make([]int32, counters)
		m.run(p)
		c, err := compileError(t, source, "k", pointers(3), shape.options)
		if err != nil {
			r.Fatalf("%v\n%s", err, source)
		}
		output, counts := make([]int32, items*outputSize), make([]int32, counters)
		c.launch(t, shape.grid, shape.block, output, input, counts)
		c.image.Close()
		if !slices.Equal(counts, m.counts) {
			r.Errorf("counters %v, want %v", counts, m.counts)
		}
		for i := range output {
			if output[i] != m.output[i] {
				r.Errorf("item %d: output %v, want %v", i/outputSize,
					output[i/outputSize*outputSize:][:outputSize], m.output[i/outputSize*outputSize:][:outputSize])
				break
			}
		}
		if r.Failed() {
			r.Fatalf("%s: %v\n%s", shape.name, c.result.Remarks, p)
		}
	})
}
