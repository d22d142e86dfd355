package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
)

// JSON returns the program as text to be kept.
func (p *Program) JSON() []byte {
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		panic(err) // no program holds what JSON cannot
	}
	return append(text, '\n')
}

// Parse reads a program that JSON has written.
func Parse(text []byte) (*Program, error) {
	p := new(Program)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("reading a program: %w", err)
	}
	return p, nil
}

// Diff tells where the buffers that a kernel wrote differ from those that it
// should have written, b; empty where they do not. NaN equals NaN.
func (b *Buffers) Diff(got *Buffers) string {
	for i, v := range b.Out {
		if got.Out[i] != v {
			at := i / outInts * outInts
			return fmt.Sprintf("item %d: ints %d, want %d", i/outInts, got.Out[at:at+outInts], b.Out[at:at+outInts])
		}
	}
	for i, v := range b.FOut {
		if g := got.FOut[i]; g != v && (g == g || v == v) {
			at := i / outFloats * outFloats
			return fmt.Sprintf("item %d: floats %g, want %g", i/outFloats, got.FOut[at:at+outFloats], b.FOut[at:at+outFloats])
		}
	}
	if !slices.Equal(b.Count, got.Count) {
		return fmt.Sprintf("counters %d, want %d", got.Count, b.Count)
	}
	if !slices.Equal(b.In, got.In) || !slices.EqualFunc(b.FIn, got.FIn, func(x, y float32) bool { return x == y || x != x && y != y }) {
		return "the input was written to"
	}
	return ""
}
