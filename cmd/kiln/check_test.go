package main

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
)

func TestNumberJSON(t *testing.T) {
	got, err := json.Marshal([]number64{1.5, number64(math.NaN()), number64(math.Inf(1)), number64(math.Inf(-1)), 0})
	if want := `[1.5,"NaN","+Inf","-Inf",0]`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestCompare(t *testing.T) {
	floats := func(values ...float32) []byte {
		data := make([]byte, 0, 4*len(values))
		for _, v := range values {
			bits := math.Float32bits(v)
			data = append(data, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
		}
		return data
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name      string
		kind      argument.Type
		got, want []byte
		first     int // element that differs, -1 for none
		count     int
	}{
		{"equal", argument.F32, floats(1, 2), floats(1, 2), -1, 0},
		{"within", argument.F32, floats(1, 2.00001), floats(1, 2), -1, 0},
		{"beyond", argument.F32, floats(1, 2.0001), floats(1, 2), 1, 1},
		{"near zero beside large ones", argument.F32, floats(1000, 0.001), floats(1000, 0.0), -1, 0},
		{"near zero alone", argument.F32, floats(0.001), floats(0.0005), 0, 1},
		{"NaN with NaN", argument.F32, floats(nan, inf), floats(nan, inf), -1, 0},
		{"NaN with a number", argument.F32, floats(1, nan, 3), floats(1, 2, nan), 1, 2},
		{"infinity with a number", argument.F32, floats(inf), floats(1), 0, 1},
		{"zeros of both signs", argument.F32, floats(0), floats(float32(math.Copysign(0, -1))), -1, 0},
		{"whole numbers", argument.U8, []byte{1, 2, 200}, []byte{1, 2, 201}, 2, 1},
		{"large whole numbers", argument.I64, []byte{1, 0, 0, 0, 0, 0, 32, 0}, []byte{0, 0, 0, 0, 0, 0, 32, 0}, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &checkOutcome{tolerance: tolerance{Tolerance: 1e-5}}
			c.compare(3, tt.kind, tt.got, tt.want)
			first, count := -1, 0
			if d := c.Difference; d != nil {
				first, count = d.Element, d.Count
				if d.Argument != 3 {
					t.Errorf("argument %d, want 3", d.Argument)
				}
			}
			if first != tt.first || count != tt.count {
				t.Errorf("first difference at %d of %d, want %d of %d", first, count, tt.first, tt.count)
			}
		})
	}
}

// TestCompareElementwise: --atol and --rtol bound each element by itself.
func TestCompareElementwise(t *testing.T) {
	pointer := func(v float64) *float64 { return &v }
	bytes := func(values ...byte) []byte { return values }
	tests := []struct {
		rtol, atol *float64
		kind       argument.Type
		got, want  []byte
		count      int
	}{
		{nil, pointer(1), argument.U8, bytes(1, 2, 250), bytes(2, 2, 249), 0},
		{nil, pointer(1), argument.U8, bytes(1, 2, 250), bytes(3, 2, 252), 2},
		{pointer(0.01), nil, argument.U8, bytes(200, 9), bytes(202, 10), 1},
		{pointer(0.01), pointer(1), argument.U8, bytes(200, 9), bytes(203, 10), 0},
		{pointer(0), nil, argument.I64, bytes(1, 0, 0, 0, 0, 0, 32, 0), bytes(0, 0, 0, 0, 0, 0, 32, 0), 1},
		{nil, pointer(1), argument.F32, bytes(0, 0, 0xc0, 0x7f), bytes(0, 0, 0x80, 0x3f), 1}, // NaN, 1
		{nil, pointer(1), argument.F32, bytes(0, 0, 0, 0x40), bytes(0, 0, 0x80, 0x3f), 0},    // 2, 1
	}
	for i, tt := range tests {
		c := &checkOutcome{tolerance: tolerance{Rtol: tt.rtol, Atol: tt.atol}}
		c.compare(0, tt.kind, tt.got, tt.want)
		count := 0
		if c.Difference != nil {
			count = c.Difference.Count
		}
		if count != tt.count {
			t.Errorf("%d: %d elements differ, want %d", i, count, tt.count)
		}
	}
}
