package spmd

import (
	"fmt"
	"strings"
)

// libdeviceFunction defines the functions of CUDA's libdevice (__nv_*) on bits
// and integers and those that convert.
func libdeviceFunction(b *body) string {
	name, ok := strings.CutPrefix(b.sig.name, "@__nv_")
	if !ok || len(b.sig.params) == 0 {
		return ""
	}
	t := b.sig.params[0]
	x, y := "%a0", "%a1"
	signed := clType{letter: map[string]string{"i32": "i", "i64": "l"}[t]}
	unsigned := clType{letter: map[string]string{"i32": "j", "i64": "m"}[t]}
	pair := len(b.sig.params) == 2 && b.sig.params[1] == t && clBits(t) > 0
	switch name {
	case "float_as_int", "float_as_uint", "int_as_float", "uint_as_float", "double_as_longlong", "longlong_as_double":
		return b.op("bitcast %s %s to %s", t, x, b.sig.result)
	case "double2hiint":
		return b.op("trunc i64 %s to i32", b.op("lshr i64 %s, 32", b.op("bitcast double %s to i64", x)))
	case "double2loint":
		return b.op("trunc i64 %s to i32", b.op("bitcast double %s to i64", x))
	case "hiloint2double":
		high := b.op("shl i64 %s, 32", b.op("zext i32 %s to i64", x))
		return b.op("bitcast i64 %s to double", b.op("or i64 %s, %s", high, b.op("zext i32 %s to i64", y)))
	case "mulhi", "mul64hi", "umulhi", "umul64hi":
		if pair {
			return b.mulhi(t, name[0] == 'u')
		}
	case "hadd", "rhadd":
		if pair {
			return openclInteger(b, name, t, []clType{signed, signed})
		}
	case "uhadd", "urhadd":
		if pair {
			return openclInteger(b, name[1:], t, []clType{unsigned, unsigned})
		}
	case "sad", "usad":
		if len(b.sig.params) != 3 {
			return ""
		}
		kind := signed
		if name[0] == 'u' {
			kind = unsigned
		}
		return b.op("add %s %s, %%a2", t, openclInteger(b, "abs_diff", t, []clType{kind, kind}))
	case "mul24", "umul24":
		shift := map[string]string{"mul24": "ashr", "umul24": "lshr"}[name]
		low := func(v string) string { return b.op("%s i32 %s, 8", shift, b.op("shl i32 %s, 8", v)) }
		if pair {
			return b.op("mul i32 %s, %s", low(x), low(y))
		}
	case "byte_perm":
		return b.bytePermutation()
	}
	return b.deviceConversion(name)
}

// bytePermutation takes four of the eight bytes in two words. A selector's
// fourth bit asks for the sign of its byte, eight times.
func (b *body) bytePermutation() string {
	if len(b.sig.params) != 3 || b.sig.params[0] != "i32" {
		return ""
	}
	high := b.op("shl i64 %s, 32", b.op("zext i32 %%a1 to i64"))
	both := b.op("or i64 %s, %s", high, b.op("zext i32 %%a0 to i64"))
	result := "0"
	for i := range 4 {
		selector := b.op("lshr i32 %%a2, %d", 4*i)
		shift := b.op("shl i32 %s, 3", b.op("and i32 %s, 7", selector))
		v := b.op("trunc i64 %s to i8", b.op("lshr i64 %s, %s", both, b.op("zext i32 %s to i64", shift)))
		sign := b.op("icmp ne i32 %s, 0", b.op("and i32 %s, 8", selector))
		v = b.op("select i1 %s, i8 %s, i8 %s", sign, b.op("ashr i8 %s, 7", v), v)
		result = b.op("or i32 %s, %s", result, b.op("shl i32 %s, %d", b.op("zext i8 %s to i32", v), 8*i))
	}
	return result
}

// deviceConversion defines functions such as float2int_rn. What does not fit an
// integer becomes the nearest that does.
func (b *body) deviceConversion(name string) string {
	from, rest, ok := strings.Cut(name, "2")
	to, mode, moded := strings.Cut(rest, "_")
	if !ok || len(b.sig.params) != 1 {
		return ""
	}
	source := clType{letter: clNamed(deviceType(from))}
	target := clType{letter: clNamed(deviceType(to))}
	if source.letter == "" || target.letter == "" || source.ir() != b.sig.params[0] || target.ir() != b.sig.result {
		return ""
	}
	rounding := ""
	if moded {
		switch mode {
		case "rn":
			rounding = "rte"
		case "rz":
			rounding = "rtz"
		case "ru":
			rounding = "rtp"
		case "rd":
			rounding = "rtn"
		default:
			return ""
		}
	}
	suffix := rounding
	if source.float() && !target.float() {
		suffix = strings.TrimSuffix(fmt.Sprintf("sat_%s", rounding), "_")
	}
	return b.convert(strings.TrimSuffix(deviceType(to)+"_"+suffix, "_"), source)
}

func deviceType(name string) string {
	switch name {
	case "ll":
		return "long"
	case "ull":
		return "ulong"
	case "int", "uint", "float", "double":
		return name
	}
	return ""
}
