package spmd_test

import (
	"math"
	"math/bits"
	"os"
	"testing"

	"github.com/kilnjit/kiln/spmd"
)

const row = 48 // results of an item

func clamped(v, low, high int64) int32 { return int32(min(max(v, low), high)) }

func packed(b ...byte) int32 {
	return int32(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
}

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// integerResults are those of the kernel integers, by the definitions of
// OpenCL C.
func integerResults(a, b, c int32) []int32 {
	x, y := uint32(a), uint32(b)
	A, B, C := int64(a), int64(b), int64(c)
	diff := func(a, b int64) int32 { return int32(max(a, b) - min(a, b)) }
	high := func(a, b int32) int32 { return int32(int64(a) * int64(b) >> 32) }
	u4 := [4]byte{byte(a), byte(b), byte(c), byte(a >> 8)}
	h4 := [4]int16{int16(a), int16(b), int16(c), int16(a >> 8)}
	w := [4]int32{a, b, c, a ^ b}
	each := func(f func(i int) byte) int32 { return packed(f(0), f(1), f(2), f(3)) }
	pick := a
	if c&1 != 0 {
		pick = b
	}
	product := A * B
	r := []int32{
		int32((A + B) >> 1), int32((uint64(x) + uint64(y)) >> 1), int32((A + B + 1) >> 1), (int32(byte(a)) + int32(byte(b)) + 1) >> 1,
		diff(A, B), diff(int64(x), int64(y)), diff(int64(int8(a)), int64(int8(b))),
		high(a, b) + c, int32(uint32(uint64(x)*uint64(y)>>32) + x), clamped(A*B+C, math.MinInt32, math.MaxInt32), int32(uint32(min(uint64(x)*uint64(y)+uint64(x), math.MaxUint32))),
		int32(int16(a))<<16 | int32(uint16(b)), int32(int8(a))<<8 | int32(byte(b)),
		pick, a&^c | b&c,
		clamped(A, 0, 255), clamped(int64(x), -128, 127), clamped(A, -32768, 32767), int32(uint32(max(A, 0))), clamped(int64(x), math.MinInt32, math.MaxInt32),
		int32(A >> 33), int32(uint64(x) >> 33), int32(int8(a)), int32(uint32(min(max(product, 0), math.MaxUint32))),
		max(a, b), max(a, b), clamped(A, -1000, 1000) ^ clamped(B, -1000, 1000),
		each(func(i int) byte { return byte(min(int(u4[i])+int(u4[[4]int{1, 2, 3, 0}[i]]), 255)) }),
		each(func(i int) byte { return byte(max(int(int8(u4[i])), -int(int8(u4[i])))) }),
		each(func(i int) byte { return byte(bits.OnesCount8(u4[i]) + bits.LeadingZeros8(u4[i])) }),
		each(func(i int) byte { return bits.RotateLeft8(u4[i], i+1) }),
		int32(min(h4[0], h4[3])), int32(min(h4[1], h4[2]) ^ min(h4[3], h4[0])),
	}
	other, against := [4]int32{w[1], w[0], w[3], w[2]}, [4]int32{w[2], w[3], w[0], w[1]}
	var m [4]int32
	any, all := false, true
	for i := range m {
		m[i] = high(w[i], w[3-i]) + w[i]
		if w[i] > against[i] {
			m[i] = high(w[i], w[3-i]) + other[i]
		}
		any, all = any || w[i] < 0, all && w[i] < 0
	}
	r = append(r, m[0], m[1]^m[2]^m[3], truth(any), truth(all), truth(u4[0] > 200 || u4[1] > 200 || u4[2] > 200 || u4[3] > 200))
	r = append(r, int32(int16(int8(a))*3), int32(int16(int8(b))*3), int32(int16(int8(c))*3),
		each(func(i int) byte { return byte(clamped(int64(w[i]), 0, 255)) }))
	e := [8]int32{w[0], w[1], w[2], w[3], w[3] + 1, w[2] + 1, w[1] + 1, w[0] + 1}
	at := func(i int) int32 { return max(e[i], e[7-i]) }
	return append(r, at(0)^at(1)^at(6), at(3)^at(4))
}

func floatResults(a, b float32) []float32 {
	A, B := float64(a), float64(b)
	is := func(b bool) float32 { return float32(truth(b)) }
	part := min(max(A, 0), 1)
	ten, minus3 := a*10, a*-3
	whole, frac := math.Modf(float64(ten))
	floor := math.Floor(float64(minus3))
	mantissa, exponent := math.Frexp(A)
	v, zxy, yzx := [3]float64{A, B, float64(a - b)}, [3]float64{float64(a - b), A, B}, [3]float64{B, float64(a - b), A}
	dot := func(x, y [3]float64) float64 { return x[0]*y[0] + x[1]*y[1] + x[2]*y[2] }
	length := math.Sqrt(dot(v, v))
	d := [3]float64{v[0] - yzx[0], v[1] - yzx[1], v[2] - yzx[2]}
	mag := a
	if b > a {
		mag = -b
	}
	small := -b
	if a < b {
		small = a
	}
	return []float32{is(b >= a), 1, -1, float32(part * part * (3 - 2*part)), mag, small,
		float32(frac), float32(whole), float32(-frac), float32(-whole), float32(float64(minus3) - floor), float32(floor),
		float32(mantissa), float32(exponent), float32(exponent - 1), float32(math.Cbrt(A)), float32(-math.Cbrt(A)), is(a < b), is(a != b), 1, 1,
		float32(math.RoundToEven(float64(ten))), float32(math.Ceil(float64(-a * 10))), float32(math.Floor(float64(-a * 10))), float32(math.Trunc(float64(ten))),
		float32(min(math.Trunc(float64(a*1000)), 255)), float32(math.Trunc(float64(a * 100))),
		float32(v[0] / length), float32(v[2] / length), float32(dot(v, zxy)), float32(length), float32(math.Sqrt(dot(d, d))),
		float32(v[1]*yzx[2] - v[2]*yzx[1]), float32(v[2]*yzx[0] - v[0]*yzx[2]), float32(v[0]*yzx[1] - v[1]*yzx[0]),
		float32(-(2*truth(a > b) + 4 + 8*truth(a > 1))), 2 + 10*a, b + 10*b,
		min(a, 0.5) + min(b, 0.5) + 0.5, a + 2, 6, 2 * max(a, b),
	}
}

// TestOpenCLBuiltins compares functions of OpenCL C, on numbers and on vectors
// of all the ways in which the host's convention passes them.
func TestOpenCLBuiltins(t *testing.T) {
	module, err := os.ReadFile("testdata/opencl/builtins.bc")
	if err != nil {
		t.Fatal(err)
	}
	const items = 64
	ints, floats := make([]int32, items+2), make([]float32, 2*items+2)
	state := uint32(1)
	for i := range floats {
		state = state*1664525 + 1013904223
		floats[i] = float32(state>>8)/(1<<24)*1.5 + 0.01
		if i < len(ints) {
			ints[i] = int32(state ^ state<<13)
			if i%3 == 0 {
				ints[i] >>= 22
			}
		}
	}
	for _, options := range []spmd.Options{{}, {Block: [3]uint32{32, 1, 1}}, {Lanes: 1}} {
		c := compile(t, module, "integers", pointers(2), options)
		got := make([]int32, items*row)
		c.launch(t, [3]uint32{2, 1, 1}, [3]uint32{32, 1, 1}, got, ints)
		for g := range items {
			for i, w := range integerResults(ints[g], ints[g+1], ints[g+2]) {
				if got[g*row+i] != w {
					t.Errorf("integers, item %d (%#x, %#x, %#x), result %d: got %#x, want %#x", g, ints[g], ints[g+1], ints[g+2], i, got[g*row+i], w)
				}
			}
		}
		c = compile(t, module, "floats", pointers(2), options)
		out := make([]float32, items*row)
		c.launch(t, [3]uint32{2, 1, 1}, [3]uint32{32, 1, 1}, out, floats)
		for g := range items {
			want := floatResults(floats[g], floats[g+1])
			want = append(want, 2*floats[2*g], 2*floats[2*g+1])
			for i, w := range want {
				if v := out[g*row+i]; !(math.Abs(float64(v-w)) <= 3e-6*max(1, math.Abs(float64(w)))) {
					t.Errorf("floats, item %d (%g, %g), result %d: got %g, want %g", g, floats[g], floats[g+1], i, v, w)
				}
			}
			if v, w := out[g*row+len(want)], floats[g]; math.Abs(float64(v-w)) > 1e-3 || v == w && w != float32(math.Float32frombits(math.Float32bits(w)&^0x1fff)) {
				t.Errorf("floats, item %d: %g kept as half is %g", g, w, v)
			}
		}
		if t.Failed() {
			return
		}
	}
}
