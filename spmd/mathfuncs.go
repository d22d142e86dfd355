package spmd

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// mathFunction defines a function of CUDA's libdevice (__nv_*), of ROCm's
// device library (__ocml_*) or of OpenCL C (mangled) that computes.
func mathFunction(b *body) string {
	base, unsigned, ok := mathName(b.sig)
	if !ok {
		return ""
	}
	for _, t := range append([]string{b.sig.result}, b.sig.params...) {
		if t != b.sig.result && irtextLength(t) != irtextLength(b.sig.result) && t != "ptr" && b.sig.result != "void" {
			return vectorReduction(b, base)
		}
	}
	if f, ok := floatOps()[base]; ok && isFloat(b.floatType()) {
		return f(b, b.floatType())
	}
	if f, ok := intOps()[base]; ok && !isFloat(b.sig.result) {
		return f(b, b.sig.result, unsigned)
	}
	return ""
}

func irtextLength(t string) int {
	n, _ := irtext.Vector(t)
	return n
}

// mathName returns the name common to the three libraries.
func mathName(s *signature) (base string, unsigned, ok bool) {
	n := s.name[1:]
	switch {
	case strings.HasPrefix(n, "__nv_"):
		n = strings.TrimPrefix(n[len("__nv_"):], "fast_")
		if whole, ok := nvNames()[n]; ok {
			return whole, false, true
		}
		n = strings.TrimSuffix(n, "_rn")
		if len(s.params) > 0 && s.params[0] == "float" || s.result == "float" {
			n = strings.TrimSuffix(n, "f")
		}
		if strings.HasPrefix(n, "ll") && intOps()[n[2:]] != nil {
			n = n[2:]
		}
		if u := strings.TrimPrefix(strings.TrimPrefix(n, "u"), "ll"); u != n && intOps()[u] != nil {
			return u, true, true
		}
		return n, false, true
	case strings.HasPrefix(n, "__ocml_"):
		n = strings.TrimPrefix(n[len("__ocml_"):], "native_")
		i := strings.LastIndex(n, "_")
		if i < 0 {
			return "", false, false
		}
		switch n[i+1:] {
		case "f16", "f32", "f64", "2f16":
			return strings.TrimSuffix(n[:i], "_rte"), false, true
		}
		return "", false, false
	}
	name, types, ok := demangle(s.name)
	if !ok {
		return "", false, false
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "native_"), "half_")
	last := types[len(types)-1:]
	for _, c := range types {
		if strings.ContainsRune("hjtmcisl", c) {
			last = string(c)
		}
	}
	return name, strings.Contains("hjtm", last), true
}

// nvNames are the functions of libdevice whose names follow no rule.
var nvNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"fadd_rn": "add", "dadd_rn": "add", "fsub_rn": "subtract", "dsub_rn": "subtract", "fmul_rn": "multiply",
		"dmul_rn": "multiply", "fdiv_rn": "divide", "ddiv_rn": "divide", "fdividef": "divide", "fsqrt_rn": "sqrt",
		"dsqrt_rn": "sqrt", "frcp_rn": "recip", "drcp_rn": "recip", "frsqrt_rn": "rsqrt", "fmaf_rn": "fma", "fma_rn": "fma",
		"isnanf": "isnan", "isnand": "isnan", "isinff": "isinf", "isinfd": "isinf", "finitef": "isfinite",
		"isfinited": "isfinite", "signbitf": "signbit", "signbitd": "signbit", "popc": "popcount", "popcll": "popcount",
		"clz": "clz", "clzll": "clz", "brev": "bitreverse", "brevll": "bitreverse", "ffs": "ffs", "ffsll": "ffs",
		"mulhi": "mul_hi", "mul64hi": "mul_hi", "fminf": "fmin", "fmaxf": "fmax",
	}
})

// floatType returns the type that the function computes in.
func (b *body) floatType() string {
	if isFloat(b.sig.result) {
		return b.sig.result
	}
	for _, t := range b.sig.params {
		if isFloat(t) {
			return t
		}
	}
	return ""
}

func isFloat(t string) bool {
	if _, elem := irtext.Vector(t); elem != "" {
		t = elem
	}
	return t == "float" || t == "double" || t == "half" || t == "bfloat"
}

// constantOf spells a number as a constant of a floating-point type.
func constantOf(t string, v float64) string {
	n, elem := irtext.Vector(t)
	if n == 0 {
		elem = t
	}
	var s string
	switch elem {
	case "float":
		s = fmt.Sprintf("0x%016X", math.Float64bits(float64(float32(v))))
	case "double":
		s = fmt.Sprintf("0x%016X", math.Float64bits(v))
	default:
		s = fmt.Sprintf("%e", v) // only values that any type has exactly
	}
	return splat(n, elem, s)
}

// splat spells a constant vector of n equal elements; n 0 is a scalar.
func splat(n int, elem, value string) string {
	if n == 0 {
		return value
	}
	one := elem + " " + value
	return "<" + strings.Repeat(one+", ", n-1) + one + ">"
}

type floatOp func(b *body, t string) string

func intrinsic(name string, args int) floatOp {
	return func(b *body, t string) string {
		list := make([]typed, args)
		for i := range list {
			list[i] = typed{t, b.arg(i).value}
		}
		return b.call(t, "@llvm."+name+"."+mangle(t), list...)
	}
}

// inLibm calls a function of the C library, once for each element of a vector.
func inLibm(name string, args int) floatOp {
	return func(b *body, t string) string {
		n, elem := irtext.Vector(t)
		if n == 0 {
			elem = t
		}
		symbol := "@" + name
		switch elem {
		case "float":
			symbol += "f"
		case "double":
		default:
			return ""
		}
		one := func(pick func(typed) string) string {
			list := make([]typed, args)
			for i := range list {
				list[i] = typed{elem, pick(b.arg(i))}
			}
			return b.call(elem, symbol, list...)
		}
		if n == 0 {
			return one(func(a typed) string { return a.value })
		}
		result := "poison"
		for i := range n {
			v := one(func(a typed) string { return b.op("extractelement %s %s, i32 %d", a.typ, a.value, i) })
			result = b.op("insertelement %s %s, %s %s, i32 %d", t, result, elem, v, i)
		}
		return result
	}
}

// instruction is a plain instruction on the arguments.
func instruction(op string) floatOp {
	return func(b *body, t string) string { return b.op("%s %s %s, %s", op, t, b.arg(0).value, b.arg(1).value) }
}

func scaledBy(f string, factor float64) floatOp {
	return func(b *body, t string) string {
		x := b.op("fmul %s %s, %s", t, b.arg(0).value, constantOf(t, factor))
		return b.call(t, "@llvm."+f+"."+mangle(t), typed{t, x})
	}
}

func reciprocal(of floatOp) floatOp {
	return func(b *body, t string) string { return b.op("fdiv %s %s, %s", t, constantOf(t, 1), of(b, t)) }
}

// asked compares and gives the result the type it is declared with: in OpenCL
// C a vector's true is -1.
func asked(test func(b *body, t string) string) floatOp {
	return func(b *body, t string) string {
		ext := "zext"
		n, _ := irtext.Vector(t)
		bit := "i1"
		if n > 0 {
			ext, bit = "sext", irtext.VectorOf(n, "i1")
		}
		if b.sig.result == bit {
			return test(b, t)
		}
		return b.op("%s %s %s to %s", ext, bit, test(b, t), b.sig.result)
	}
}

func class(mask int) floatOp {
	return asked(func(b *body, t string) string {
		n, _ := irtext.Vector(t)
		bit := "i1"
		if n > 0 {
			bit = irtext.VectorOf(n, "i1")
		}
		return b.call(bit, "@llvm.is.fpclass."+mangle(t), b.arg(0), typed{"i32", fmt.Sprint(mask)})
	})
}

// The masks of llvm.is.fpclass.
const (
	classNaN      = 0x3
	classInf      = 0x204
	classFinite   = 0x1f8
	classNegative = 0x3c
)

// floatOps is made when the first kernel is lowered: a program that finds its
// kernels in the cache does not pay for it.
var floatOps = sync.OnceValue(func() map[string]floatOp {
	ops := map[string]floatOp{
		"fma": intrinsic("fma", 3), "mad": intrinsic("fmuladd", 3), "pow": intrinsic("pow", 2), "powr": intrinsic("pow", 2),
		"fmin": intrinsic("minnum", 2), "fmax": intrinsic("maxnum", 2), "min": intrinsic("minnum", 2),
		"max": intrinsic("maxnum", 2), "copysign": intrinsic("copysign", 2),
		"fmod": instruction("frem"), "add": instruction("fadd"), "subtract": instruction("fsub"),
		"multiply": instruction("fmul"), "divide": instruction("fdiv"),
		"rsqrt": reciprocal(intrinsic("sqrt", 1)), "rcbrt": reciprocal(inLibm("cbrt", 1)),
		"sinpi": scaledBy("sin", math.Pi), "cospi": scaledBy("cos", math.Pi),
		"isnan": class(classNaN), "isinf": class(classInf), "isfinite": class(classFinite), "signbit": class(classNegative),
		"recip": func(b *body, t string) string { return b.op("fdiv %s %s, %s", t, constantOf(t, 1), b.arg(0).value) },
		"saturate": func(b *body, t string) string {
			return b.saturate(t, b.arg(0).value)
		},
		"clamp": func(b *body, t string) string {
			low := b.call(t, "@llvm.maxnum."+mangle(t), typed{t, b.arg(0).value}, typed{t, b.arg(1).value})
			return b.call(t, "@llvm.minnum."+mangle(t), typed{t, low}, typed{t, b.arg(2).value})
		},
		"mix": func(b *body, t string) string {
			d := b.op("fsub %s %s, %s", t, b.arg(1).value, b.arg(0).value)
			return b.call(t, "@llvm.fmuladd."+mangle(t), typed{t, d}, typed{t, b.arg(2).value}, typed{t, b.arg(0).value})
		},
		"degrees": func(b *body, t string) string {
			return b.op("fmul %s %s, %s", t, b.arg(0).value, constantOf(t, 180/math.Pi))
		},
		"radians": func(b *body, t string) string {
			return b.op("fmul %s %s, %s", t, b.arg(0).value, constantOf(t, math.Pi/180))
		},
		"powi":   powerOfInteger,
		"pown":   powerOfInteger,
		"ldexp":  loadExponent,
		"sincos": sineAndCosine,
	}
	for _, n := range []string{"sqrt", "fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "exp", "exp2", "exp10",
		"log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"} {
		ops[n] = intrinsic(n, 1)
	}
	for _, n := range []string{"cbrt", "erf", "erfc", "expm1", "log1p", "asinh", "acosh", "atanh", "tgamma", "lgamma", "logb"} {
		ops[n] = inLibm(n, 1)
	}
	for _, n := range []string{"atan2", "hypot", "remainder", "nextafter", "fdim"} {
		ops[n] = inLibm(n, 2)
	}
	return ops
})

func powerOfInteger(b *body, t string) string {
	e := b.arg(1)
	if e.typ != "i32" {
		return ""
	}
	return b.call(t, "@llvm.powi."+mangle(t)+".i32", b.arg(0), e)
}

func loadExponent(b *body, t string) string {
	e := b.arg(1)
	return b.call(t, "@llvm.ldexp."+mangle(t)+"."+mangle(e.typ), b.arg(0), e)
}

// sineAndCosine has two forms: sine returned and cosine stored, or both stored.
func sineAndCosine(b *body, t string) string {
	sine := b.call(t, "@llvm.sin."+mangle(t), b.arg(0))
	cosine := b.call(t, "@llvm.cos."+mangle(t), b.arg(0))
	if b.sig.result == "void" {
		b.do("store %s %s, ptr %s", t, sine, b.arg(1).value)
		b.do("store %s %s, ptr %s", t, cosine, b.arg(2).value)
		return "void"
	}
	b.do("store %s %s, ptr %s", t, cosine, b.arg(1).value)
	return sine
}

// vectorReduction defines OpenCL's functions from vectors to scalars.
func vectorReduction(b *body, base string) string {
	t := b.sig.params[0]
	n, elem := irtext.Vector(t)
	if n == 0 || elem != b.sig.result || !isFloat(elem) {
		return ""
	}
	dot := func(x, y string) string {
		product := b.op("fmul %s %s, %s", t, x, y)
		sum := b.op("extractelement %s %s, i32 0", t, product)
		for i := 1; i < n; i++ {
			sum = b.op("fadd %s %s, %s", elem, sum, b.op("extractelement %s %s, i32 %d", t, product, i))
		}
		return sum
	}
	length := func(x string) string { return b.call(elem, "@llvm.sqrt."+mangle(elem), typed{elem, dot(x, x)}) }
	switch strings.TrimPrefix(base, "fast_") {
	case "dot":
		return dot("%a0", "%a1")
	case "length":
		return length("%a0")
	case "distance":
		return length(b.op("fsub %s %%a0, %%a1", t))
	}
	return ""
}
