package oracle

import "math"

// intOperation is what operators on int32 give. Divisors are made positive and
// not 0, shifts less than 32.
func intOperation(op string, a, b uint32) uint32 {
	x, y := int32(a), int32(b)
	switch op {
	case "add":
		return a + b
	case "sub":
		return a - b
	case "mul":
		return a * b
	case "and":
		return a & b
	case "or":
		return a | b
	case "xor":
		return a ^ b
	case "shl":
		return a << (b & 31)
	case "lshr":
		return a >> (b & 31)
	case "ashr":
		return uint32(x >> (b & 31))
	case "udiv":
		return a / (b | 1)
	case "urem":
		return a % (b | 1)
	case "sdiv":
		return uint32(x / int32(b&15+1))
	case "srem":
		return uint32(x % int32(b&15+1))
	case "smin":
		return uint32(min(x, y))
	case "umax":
		return max(a, b)
	case "eq":
		return truth(a == b)
	case "ne":
		return truth(a != b)
	case "slt":
		return truth(x < y)
	case "ult":
		return truth(a < b)
	}
	return truth(x > y) // sgt
}

func floatOperation(op string, bits [3]uint32) uint32 {
	a, b, c := math.Float32frombits(bits[0]), math.Float32frombits(bits[1]), math.Float32frombits(bits[2])
	var r float32
	switch op {
	case "fadd":
		r = a + b
	case "fsub":
		r = a - b
	case "fmul":
		r = float32(a * b)
	case "fdiv":
		r = a / b
	case "fma":
		r = fma(a, b, c)
	case "fneg":
		return bits[0] ^ 1<<31
	case "fabs":
		return bits[0] &^ (1 << 31)
	case "fsqrt":
		r = float32(math.Sqrt(float64(a)))
	case "sitofp":
		r = float32(int32(bits[0]))
	case "fptosi":
		return saturate(a)
	case "flt":
		return truth(a < b)
	case "feq":
		return truth(a == b)
	}
	return math.Float32bits(r)
}

// saturate converts to int32: what lies outside becomes the nearest, NaN 0.
func saturate(f float32) uint32 {
	switch {
	case f != f:
		return 0
	case f >= 1<<31:
		return math.MaxInt32
	case f < -1<<31:
		return 1 << 31
	}
	return uint32(int32(f))
}

// fma is a*b + c rounded once. The product of two float32 is exact in float64;
// where the sum is not, its last bit is made odd, so that rounding to float32
// goes as it would from the exact sum.
func fma(a, b, c float32) float32 {
	product, z := float64(a)*float64(b), float64(c)
	sum := product + z
	if math.IsInf(sum, 0) || sum != sum {
		return float32(sum)
	}
	part := sum - product
	rest := (product - (sum - part)) + (z - part)
	if rest != 0 && math.Float64bits(sum)&1 == 0 {
		if (rest > 0) == (sum > 0) {
			sum = math.Float64frombits(math.Float64bits(sum) + 1)
		} else {
			sum = math.Float64frombits(math.Float64bits(sum) - 1)
		}
	}
	return float32(sum)
}
