package main

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/image"
)

// checkOutcome is how the kernel's buffers compare with the reference's.
type checkOutcome struct {
	File string `json:"file"`
	Same bool   `json:"same"`
	// Largest is the largest difference found, relative as Tolerance is.
	Largest   number64 `json:"largest"`
	Tolerance float64  `json:"tolerance"`
	// Difference is the first argument that differs, or the result.
	Difference *difference `json:"difference,omitempty"`
}

// difference is one argument that is not as the reference has it.
type difference struct {
	// Argument is its position from 0, -1 for the returned value.
	Argument int `json:"argument"`
	// Count is how many elements differ, Element the first of them from 0.
	Count     int      `json:"count"`
	Element   int      `json:"element"`
	Kernel    number64 `json:"kernel"`
	Reference number64 `json:"reference"`
}

func (c *checkOutcome) String() string {
	d := c.Difference
	switch {
	case d == nil:
		return fmt.Sprintf("same as %s (largest difference %.2g, tolerance %.2g)", c.File, c.Largest, c.Tolerance)
	case d.Argument < 0:
		return fmt.Sprintf("DIFFERS from %s: returned %s, the reference %s", c.File, sum(float64(d.Kernel)), sum(float64(d.Reference)))
	}
	return fmt.Sprintf("DIFFERS from %s: %d elements of argument %d, the first is element %d: kernel %s, reference %s",
		c.File, d.Count, d.Argument, d.Element, sum(float64(d.Kernel)), sum(float64(d.Reference)))
}

// check runs the reference and compares every buffer and the result.
func (s *session) check(ctx context.Context, c *runCommand, k *image.Kernel, b *bound, result []byte) (*checkOutcome, error) {
	end := s.progress.begin("checking against " + c.Check)
	defer end()
	r := &reference{k, b, c.Grid.dims, c.Block.dims}
	buffers, returned, err := r.run(ctx, c.Check)
	if err != nil {
		return nil, err
	}
	outcome := &checkOutcome{File: c.Check, Tolerance: c.Tolerance}
	if t, ok := resultType(&k.Result); ok {
		outcome.compare(-1, t, result, returned)
	}
	for i, buffer := range b.buffers {
		if buffer != nil {
			outcome.compare(i, b.args[i].Type, buffer, buffers[i])
		}
	}
	outcome.Same = outcome.Difference == nil
	return outcome, nil
}

// compare looks at every element. Whole numbers must be the same. Floats may
// differ by the tolerance times the larger of the reference's own value and
// the root of the mean square of all of them, so that values near zero are not
// held to more digits than the sums they come from.
func (c *checkOutcome) compare(position int, t argument.Type, got, want []byte) {
	n, found := len(want)/t.Size(), difference{Argument: position}
	scale := 0.0
	if t.Float() {
		for i := range n {
			if v := t.Load(want, i); !math.IsNaN(v) && !math.IsInf(v, 0) {
				scale += v * v
			}
		}
		scale = math.Sqrt(scale / float64(max(n, 1)))
	}
	for i := range n {
		apart := apart(t, got, want, i, scale)
		if apart > float64(c.Largest) {
			c.Largest = number64(apart)
		}
		if apart > c.Tolerance {
			if found.Count++; found.Count == 1 {
				found.Element, found.Kernel, found.Reference = i, number64(t.Load(got, i)), number64(t.Load(want, i))
			}
		}
	}
	if found.Count > 0 && c.Difference == nil {
		c.Difference = &found
	}
}

// apart returns how far element i of the two is apart, relative to the greater
// of scale and the wanted value; infinite for whole numbers that differ.
func apart(t argument.Type, got, want []byte, i int, scale float64) float64 {
	from, to := i*t.Size(), (i+1)*t.Size()
	if bytes.Equal(got[from:to], want[from:to]) {
		return 0
	}
	if !t.Float() {
		return math.Inf(1)
	}
	g, w := t.Load(got, i), t.Load(want, i)
	switch {
	case g == w, math.IsNaN(g) && math.IsNaN(w):
		return 0
	case math.IsNaN(g), math.IsNaN(w), math.IsInf(g, 0), math.IsInf(w, 0):
		return math.Inf(1)
	}
	return math.Abs(g-w) / max(math.Abs(w), scale, math.SmallestNonzeroFloat64)
}
