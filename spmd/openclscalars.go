package spmd

import (
	"fmt"
	"math"
	"strings"
)

// comparison is fcmp's condition for a function of OpenCL C that compares, ""
// for any other.
func comparison(name string) string {
	switch name {
	case "isequal":
		return "oeq"
	case "isnotequal":
		return "une"
	case "isgreater":
		return "ogt"
	case "isgreaterequal":
		return "oge"
	case "isless":
		return "olt"
	case "islessequal":
		return "ole"
	case "islessgreater":
		return "one"
	case "isordered":
		return "ord"
	case "isunordered":
		return "uno"
	}
	return ""
}

// relational reports whether a function's result is a truth.
func relational(name string) bool {
	switch name {
	case "isnan", "isinf", "isfinite", "isnormal", "signbit":
		return true
	}
	return comparison(name) != ""
}

// openclScalar defines functions of OpenCL C on numbers.
func openclScalar(b *body, name string, params []clType) string {
	if rest, ok := strings.CutPrefix(name, "convert_"); ok && len(params) == 1 && !params[0].pointer {
		return b.convert(rest, params[0])
	}
	t := params[0].ir()
	x, y, z := "%a0", "%a1", "%a2"
	switch {
	case name == "select" && len(params) == 3:
		if params[2].float() || params[2].pointer {
			return ""
		}
		yes := b.op("icmp ne %s %s, 0", params[2].ir(), z)
		return b.op("select i1 %s, %s %s, %s %s", yes, t, y, t, x)
	case name == "bitselect" && len(params) == 3:
		i := fmt.Sprintf("i%d", clBits(t))
		var v [3]string
		for j := range v {
			v[j] = b.asInteger(b.arg(j))
		}
		r := b.op("xor %s %s, %s", i, v[0], b.op("and %s %s, %s", i, b.op("xor %s %s, %s", i, v[0], v[1]), v[2]))
		if params[0].float() {
			return b.op("bitcast %s %s to %s", i, r, t)
		}
		return r
	case relational(name) && b.sig.result == "i32" && len(params) <= 2 && params[0].float():
		is := ""
		switch condition := comparison(name); {
		case condition != "":
			is = b.op("fcmp %s %s %s, %s", condition, t, x, y)
		case name == "isnormal":
			is = b.call("i1", "@llvm.is.fpclass."+mangle(t), b.arg(0), typed{"i32", "264"})
		default:
			return ""
		}
		return b.op("zext i1 %s to i32", is)
	case params[0].pointer:
		return openclExchange(b, name, params)
	case params[0].float():
		return openclFloat(b, name, t, params)
	case clBits(t) > 1:
		return openclInteger(b, name, t, params)
	}
	return ""
}

// openclExchange defines the comparing exchanges of OpenCL 2.
func openclExchange(b *body, name string, params []clType) string {
	op := strings.TrimSuffix(name, "_explicit")
	if op != "atomic_compare_exchange_strong" && op != "atomic_compare_exchange_weak" || len(params) < 3 || !params[1].pointer {
		return ""
	}
	t := params[2].ir()
	if clBits(t) < 32 || params[2].float() || b.sig.result != "i1" {
		return ""
	}
	expected := b.op("load %s, ptr %%a1, align %d", t, clBits(t)/8)
	pair := b.op("cmpxchg ptr %%a0, %s %s, %s %%a2 seq_cst seq_cst", t, expected, t)
	b.do("store %s %s, ptr %%a1, align %d", t, b.op("extractvalue { %s, i1 } %s, 0", t, pair), clBits(t)/8)
	return b.op("extractvalue { %s, i1 } %s, 1", t, pair)
}

func openclInteger(b *body, name, t string, params []clType) string {
	x, y := "%a0", "%a1"
	bits, unsigned := clBits(t), params[0].unsigned()
	bySign := func(signed, without string) string {
		if unsigned {
			return without
		}
		return signed
	}
	shift := bySign("ashr", "lshr")
	wide := fmt.Sprintf("i%d", 2*bits)
	widen := func(v string) string { return b.op("%s %s %s to %s", bySign("sext", "zext"), t, v, wide) }
	for _, p := range params {
		if p.float() || p.pointer || clBits(p.ir()) != bits {
			return ""
		}
	}
	switch {
	case name == "any" || name == "all":
		return b.op("zext i1 %s to i32", b.op("icmp slt %s %s, 0", t, x))
	case len(params) == 2 && name == "hadd":
		return b.op("add %s %s, %s", t, b.op("and %s %s, %s", t, x, y), b.op("%s %s %s, 1", shift, t, b.op("xor %s %s, %s", t, x, y)))
	case len(params) == 2 && name == "rhadd":
		return b.op("sub %s %s, %s", t, b.op("or %s %s, %s", t, x, y), b.op("%s %s %s, 1", shift, t, b.op("xor %s %s, %s", t, x, y)))
	case len(params) == 2 && name == "abs_diff":
		more := b.op("icmp %s %s %s, %s", bySign("sgt", "ugt"), t, x, y)
		return b.op("select i1 %s, %s %s, %s %s", more, t, b.op("sub %s %s, %s", t, x, y), t, b.op("sub %s %s, %s", t, y, x))
	case len(params) == 2 && name == "upsample" && bits < 64:
		high := b.op("shl %s %s, %d", wide, b.op("zext %s %s to %s", t, x, wide), bits)
		return b.op("or %s %s, %s", wide, high, b.op("zext %s %s to %s", t, y, wide))
	case len(params) == 3 && name == "mad_hi":
		return b.op("add %s %s, %%a2", t, b.mulhi(t, unsigned))
	case len(params) == 3 && name == "mad_sat":
		sum := b.op("add %s %s, %s", wide, b.op("mul %s %s, %s", wide, widen(x), widen(y)), widen("%a2"))
		return b.op("trunc %s %s to %s", wide, b.within(sum, wide, unsigned, bits, unsigned), t)
	case name == "nan" && len(params) == 1 && bits >= 16:
		quiet := map[int]string{16: "32256", 32: "2143289344", 64: "9221120237041090560"}[bits]
		return b.op("bitcast %s %s to %s", t, b.op("or %s %s, %s", t, x, quiet), map[int]string{16: "half", 32: "float", 64: "double"}[bits])
	}
	return ""
}

func openclFloat(b *body, name, t string, params []clType) string {
	x, y := "%a0", "%a1"
	constant := func(v float64) string { return constantOf(t, v) }
	do := func(name string, args ...string) string {
		list := make([]typed, len(args))
		for i, a := range args {
			list[i] = typed{t, a}
		}
		return b.call(t, "@llvm."+name+"."+mangle(t), list...)
	}
	choose := func(is, yes, no string) string { return b.op("select i1 %s, %s %s, %s %s", is, t, yes, t, no) }
	scaled := func(f string, args ...string) string {
		return b.op("fdiv %s %s, %s", t, do(f, args...), constant(math.Pi))
	}
	alike := len(params) == 1 || params[1] == params[0]
	switch {
	case name == "step" && alike:
		return choose(b.op("fcmp olt %s %s, %s", t, y, x), constant(0), constant(1))
	case name == "sign":
		one := do("copysign", constant(1), x)
		zero := b.op("fcmp oeq %s %s, %s", t, x, constant(0))
		none := b.op("fcmp uno %s %s, %s", t, x, x)
		return choose(none, constant(0), choose(zero, x, one))
	case name == "smoothstep" && alike:
		part := b.op("fdiv %s %s, %s", t, b.op("fsub %s %%a2, %s", t, x), b.op("fsub %s %s, %s", t, y, x))
		part = b.saturate(t, part)
		rest := b.op("fsub %s %s, %s", t, constant(3), b.op("fmul %s %s, %s", t, constant(2), part))
		return b.op("fmul %s %s, %s", t, b.op("fmul %s %s, %s", t, part, part), rest)
	case (name == "maxmag" || name == "minmag") && alike:
		condition, other := "ogt", "maxnum"
		if name == "minmag" {
			condition, other = "olt", "minnum"
		}
		a, c := do("fabs", x), do("fabs", y)
		first := b.op("fcmp %s %s %s, %s", condition, t, a, c)
		second := b.op("fcmp %s %s %s, %s", condition, t, c, a)
		return choose(first, x, choose(second, y, do(other, x, y)))
	case name == "tanpi":
		return do("tan", b.op("fmul %s %s, %s", t, x, constant(math.Pi)))
	case name == "asinpi" || name == "acospi" || name == "atanpi":
		return scaled(strings.TrimSuffix(name, "pi"), x)
	case name == "rootn" && len(params) == 2 && params[1].ir() == "i32":
		n := b.op("sitofp i32 %s to %s", y, t)
		root := do("pow", do("fabs", x), b.op("fdiv %s %s, %s", t, constant(1), n))
		odd := b.op("trunc i32 %s to i1", y)
		negative := b.op("fcmp olt %s %s, %s", t, x, constant(0))
		even := choose(negative, b.op("fdiv %s %s, %s", t, constant(0), constant(0)), root)
		return choose(odd, do("copysign", root, x), even)
	case name == "ilogb" && b.sig.result == "i32" && t != "half":
		return b.call("i32", "@ilogb"+floatSuffix(t), b.arg(0))
	case name == "length" || name == "fast_length":
		return do("fabs", x)
	case name == "distance" && alike, name == "fast_distance" && alike:
		return do("fabs", b.op("fsub %s %s, %s", t, x, y))
	case name == "dot" && alike:
		return b.op("fmul %s %s, %s", t, x, y)
	case name == "normalize" || name == "fast_normalize":
		zero := b.op("fcmp oeq %s %s, %s", t, x, constant(0))
		return choose(zero, x, do("copysign", constant(1), x))
	}
	if at := len(params) - 1; at > 0 && params[at].pointer {
		return openclStoring(b, name, t, params)
	}
	return ""
}

func floatSuffix(t string) string {
	if t == "float" {
		return "f"
	}
	return ""
}

// openclStoring defines what returns one number and stores another.
func openclStoring(b *body, name, t string, params []clType) string {
	x := "%a0"
	store := func(t, v string, at int) { b.do("store %s %s, ptr %%a%d, align %d", t, v, at, clBits(t)/8) }
	do := func(name string, args ...string) string {
		list := make([]typed, len(args))
		for i, a := range args {
			list[i] = typed{t, a}
		}
		return b.call(t, "@llvm."+name+"."+mangle(t), list...)
	}
	kind := params[len(params)-1].elem()
	switch {
	case name == "modf" && kind == t:
		whole := do("trunc", x)
		store(t, whole, 1)
		endless := b.op("fcmp oeq %s %s, %s", t, do("fabs", x), constantOf(t, math.Inf(1)))
		part := b.op("select i1 %s, %s %s, %s %s", endless, t, constantOf(t, 0), t, b.op("fsub %s %s, %s", t, x, whole))
		return do("copysign", part, x)
	case name == "fract" && kind == t:
		whole := do("floor", x)
		store(t, whole, 1)
		below := map[string]float64{"half": 1 - 0x1p-11, "float": 1 - 0x1p-24, "double": 1 - 0x1p-53}[t]
		part := do("minnum", b.op("fsub %s %s, %s", t, x, whole), constantOf(t, below))
		endless := b.op("fcmp oeq %s %s, %s", t, do("fabs", x), constantOf(t, math.Inf(1)))
		part = b.op("select i1 %s, %s %s, %s %s", endless, t, do("copysign", constantOf(t, 0), x), t, part)
		none := b.op("fcmp uno %s %s, %s", t, x, x)
		return b.op("select i1 %s, %s %s, %s %s", none, t, x, t, part)
	case name == "frexp" && kind == "i32":
		pair := b.call("{ "+t+", i32 }", "@llvm.frexp."+mangle(t)+".i32", b.arg(0))
		store("i32", b.op("extractvalue { %s, i32 } %s, 1", t, pair), 1)
		return b.op("extractvalue { %s, i32 } %s, 0", t, pair)
	case name == "remquo" && kind == "i32" && t != "half":
		return b.call(t, "@remquo"+floatSuffix(t), b.arg(0), b.arg(1), b.arg(2))
	case name == "lgamma_r" && kind == "i32" && t != "half":
		return b.call(t, "@lgamma"+floatSuffix(t)+"_r", b.arg(0), b.arg(1))
	}
	return ""
}
