package argument

import "math"

// float16 returns the value of an IEEE half.
func float16(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 != 0 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// float16Bits returns the half nearest to v, ties to even.
func float16Bits(v float64) uint16 {
	var sign uint16
	if math.Signbit(v) {
		sign = 1 << 15
	}
	v = math.Abs(v)
	switch {
	case math.IsNaN(v):
		return 0x7e00
	case v >= 65520: // halfway between the largest half and the next power
		return sign | 0x7c00
	case v < 0x1p-14:
		return sign | uint16(math.RoundToEven(math.Ldexp(v, 24))) // subnormal, or the least normal
	}
	fraction, exponent := math.Frexp(v) // fraction in [0.5, 1)
	mantissa := math.RoundToEven(math.Ldexp(fraction, 11))
	// A mantissa rounded up to 2048 carries into the exponent by plain addition.
	return sign | uint16((exponent+14)<<10+int(mantissa)-1024)
}
