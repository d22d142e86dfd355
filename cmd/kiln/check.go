package main

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/image"
)

// tolerance is what a comparison accepts.
type tolerance struct {
	// Tolerance bounds the difference of floats relative to the larger of the
	// reference's value and the root mean square of the buffer.
	Tolerance float64 `json:"tolerance"`
	// Rtol and Atol, where one is given, take its place, for whole numbers too:
	// elements may differ by Atol + Rtol times the reference's value.
	Rtol *float64 `json:"rtol,omitempty"`
	Atol *float64 `json:"atol,omitempty"`
}

func (t *tolerance) elementwise() bool { return t.Rtol != nil || t.Atol != nil }

// terms returns Rtol and Atol, 0 for what is not given.
func (t *tolerance) terms() (rtol, atol float64) {
	if t.Rtol != nil {
		rtol = *t.Rtol
	}
	if t.Atol != nil {
		atol = *t.Atol
	}
	return rtol, atol
}

// valid tells whether the bounds are numbers from 0.
func (t *tolerance) valid() error {
	rtol, atol := t.terms()
	for name, v := range map[string]float64{"--tolerance": t.Tolerance, "--rtol": rtol, "--atol": atol} {
		if math.IsNaN(v) || v < 0 {
			return usage("%s=%g: it takes a number from 0, such as 1e-5", name, v)
		}
	}
	return nil
}

// checkOutcome is how the kernel's buffers compare with the reference's.
type checkOutcome struct {
	File string `json:"file"`
	Same bool   `json:"same"`
	// Largest is the largest difference found, relative as Tolerance is;
	// LargestAbsolute is the largest in itself.
	Largest         number64 `json:"largest"`
	LargestAbsolute number64 `json:"largest_absolute"`
	tolerance
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
	case d == nil && c.elementwise():
		rtol, atol := c.terms()
		return fmt.Sprintf("same as %s (largest difference %.2g, accepted %.2g + %.2g times the value)", c.File, c.LargestAbsolute, atol, rtol)
	case d == nil:
		return fmt.Sprintf("same as %s (largest difference %.2g, tolerance %.2g)", c.File, c.Largest, c.Tolerance)
	case d.Argument < 0:
		return fmt.Sprintf("DIFFERS from %s: returned %s, the reference %s", c.File, sum(float64(d.Kernel)), sum(float64(d.Reference)))
	}
	return fmt.Sprintf("DIFFERS from %s: %d elements of argument %d, the first is element %d: kernel %s, reference %s",
		c.File, d.Count, d.Argument, d.Element, sum(float64(d.Kernel)), sum(float64(d.Reference)))
}

// check runs the reference and compares every buffer and the result.
func (s *session) check(ctx context.Context, c *step, k *image.Kernel, b *bound, result []byte) (*checkOutcome, error) {
	end := s.progress.begin("checking against " + c.Check)
	defer end()
	r := &reference{k, c.Kernel, b, c.Grid.dims, c.Block.dims}
	buffers, returned, err := r.run(ctx, c.Check)
	if err != nil {
		return nil, err
	}
	outcome := &checkOutcome{File: c.Check, tolerance: *c.accepted()}
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

// compare looks at every element. Whole numbers must be the same, and floats
// may differ by the tolerance times the larger of the reference's own value and
// the root of the mean square of all of them, so that values near zero are not
// held to more digits than the sums they come from; or both may differ by what
// Atol and Rtol allow.
func (c *checkOutcome) compare(position int, t argument.Type, got, want []byte) {
	n, found := len(want)/t.Size(), difference{Argument: position}
	scale := rootMeanSquare(t, want)
	rtol, atol := c.terms()
	for i := range n {
		from, to := i*t.Size(), (i+1)*t.Size()
		if bytes.Equal(got[from:to], want[from:to]) {
			continue
		}
		g, w := t.Load(got, i), t.Load(want, i)
		absolute := apart(g, w)
		if !t.Float() {
			absolute = max(absolute, 1) // large ones may be equal as floats
		}
		relative := absolute / max(math.Abs(w), scale, math.SmallestNonzeroFloat64)
		c.LargestAbsolute = max(c.LargestAbsolute, number64(absolute))
		differs := absolute > atol+rtol*math.Abs(w)
		if !c.elementwise() {
			if !t.Float() || math.IsInf(absolute, 1) {
				relative = math.Inf(1)
			}
			differs = relative > c.Tolerance
		}
		c.Largest = max(c.Largest, number64(relative))
		if differs {
			if found.Count++; found.Count == 1 {
				found.Element, found.Kernel, found.Reference = i, number64(g), number64(w)
			}
		}
	}
	if found.Count > 0 && c.Difference == nil {
		c.Difference = &found
	}
}

// rootMeanSquare is taken over the finite elements; 0 for whole numbers.
func rootMeanSquare(t argument.Type, data []byte) float64 {
	if !t.Float() {
		return 0
	}
	squares, n := 0.0, len(data)/t.Size()
	for i := range n {
		if v := t.Load(data, i); !math.IsNaN(v) && !math.IsInf(v, 0) {
			squares += v * v
		}
	}
	return math.Sqrt(squares / float64(max(n, 1)))
}

// apart returns how far two values are apart, infinite where one is no finite
// number and the other is not the same.
func apart(g, w float64) float64 {
	switch {
	case g == w, math.IsNaN(g) && math.IsNaN(w):
		return 0
	case math.IsNaN(g), math.IsNaN(w), math.IsInf(g, 0), math.IsInf(w, 0):
		return math.Inf(1)
	}
	return math.Abs(g - w)
}
