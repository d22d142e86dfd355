package spmd

import (
	"fmt"
	"strings"
)

// itemsPrefix begins the names of what a launch has of items along a dimension.
const itemsPrefix = "@kiln.items."

// deviceFunction defines what the back ends of NVPTX and AMDGPU build in.
func deviceFunction(b *body) string {
	n := strings.TrimPrefix(b.sig.name, "@")
	switch {
	case strings.HasPrefix(b.sig.name, itemsPrefix):
		d := b.sig.name[len(itemsPrefix):]
		return b.op("mul nuw i32 %s, %s", b.id("nctaid."+d), b.id("ntid."+d))
	case strings.HasPrefix(n, "kiln.nvvm."):
		return nvvmFunction(b, n[len("kiln.nvvm."):])
	case strings.HasPrefix(n, "kiln.amdgcn."):
		return amdgcnFunction(b, n[len("kiln.amdgcn."):])
	}
	switch n {
	case "__nvvm_reflect":
		return "0"
	case "__assertfail", "__assert_fail", "__assert_rtn":
		b.call("void", "@llvm.trap")
		b.failed = b.sig.result != "void"
		return "void"
	case "__ockl_get_local_size", "__ockl_get_num_groups", "__ockl_get_local_id", "__ockl_get_group_id",
		"__ockl_get_global_id", "__ockl_get_global_size":
		twin := *b.sig
		name := n[len("__ockl_"):]
		twin.name = fmt.Sprintf("@_Z%d%sj", len(name), name)
		b.sig = &signature{name: b.sig.name, result: b.sig.result, params: b.sig.params}
		clone := &body{lib: b.lib, sig: &twin}
		result := workItemFunction(clone)
		b.lines, b.n = clone.lines, clone.n
		return result
	}
	return ""
}

func nvvmFunction(b *body, n string) string {
	t := b.sig.result
	first := func() typed { return b.arg(0) }
	unary := func(f string) string { return b.call(t, "@llvm."+f+"."+mangle(t), first()) }
	switch n {
	case "read.ptx.sreg.laneid":
		return b.op("and i32 %s, 31", b.linear())
	case "read.ptx.sreg.warpid":
		return b.op("lshr i32 %s, 5", b.linear())
	case "read.ptx.sreg.warpsize":
		return "32"
	case "read.ptx.sreg.clock64", "read.ptx.sreg.globaltimer":
		return b.call("i64", "@llvm.readcyclecounter")
	case "read.ptx.sreg.clock":
		return b.op("trunc i64 %s to i32", b.call("i64", "@llvm.readcyclecounter"))
	case "nanosleep":
		return "void"
	case "membar.gl", "membar.sys":
		b.do("fence seq_cst")
		return "void"
	case "membar.cta":
		return "void"
	case "mulhi.i", "mulhi.ui", "mulhi.ll", "mulhi.ull", "mulhi.s", "mulhi.us":
		return b.mulhi(t, strings.Contains(n, "u"))
	case "popc.i":
		return b.call(t, "@llvm.ctpop.i32", first())
	case "add.rn.f", "add.rn.d":
		return b.op("fadd %s %%a0, %%a1", t)
	case "mul.rn.f", "mul.rn.d":
		return b.op("fmul %s %%a0, %%a1", t)
	case "saturate.f", "saturate.d":
		return b.saturate(t, first().value)
	case "bitcast.f2i", "bitcast.i2f", "bitcast.d2ll", "bitcast.ll2d":
		return b.op("bitcast %s %%a0 to %s", first().typ, t)
	}
	if rest, ok := strings.CutPrefix(n, "atomic."); ok {
		return nvvmAtomic(b, rest)
	}
	base := strings.ReplaceAll(strings.ReplaceAll(n, ".ftz", ""), ".approx", "")
	base = strings.TrimSuffix(strings.ReplaceAll(base, ".rn", ""), ".f")
	base = strings.TrimSuffix(base, ".d")
	if t != "float" && t != "double" {
		return ""
	}
	switch base {
	case "sqrt", "sin", "cos", "fabs", "floor", "ceil", "trunc", "tanh":
		return unary(base)
	case "round":
		return unary("roundeven")
	case "ex2":
		return unary("exp2")
	case "lg2":
		return unary("log2")
	case "rsqrt":
		return b.op("fdiv %s 1.0, %s", t, unary("sqrt"))
	case "rcp":
		return b.op("fdiv %s 1.0, %%a0", t)
	case "div", "div.full":
		return b.op("fdiv %s %%a0, %%a1", t)
	case "fma":
		return b.call(t, "@llvm.fma."+mangle(t), b.arg(0), b.arg(1), b.arg(2))
	case "fmin":
		return b.call(t, "@llvm.minnum."+mangle(t), b.arg(0), b.arg(1))
	case "fmax":
		return b.call(t, "@llvm.maxnum."+mangle(t), b.arg(0), b.arg(1))
	}
	return ""
}

// nvvmAtomic defines "add.gen.i.cta.i32.p0" and its kin, whose scope is a
// group or the system.
func nvvmAtomic(b *body, n string) string {
	parts := strings.Split(n, ".")
	if len(parts) < 4 || parts[1] != "gen" {
		return ""
	}
	ops := map[string]string{
		"add.i": "add", "add.f": "fadd", "max.i": "max", "min.i": "min", "max.ui": "umax", "min.ui": "umin",
		"and.i": "and", "or.i": "or", "xor.i": "xor", "exch.i": "xchg", "inc.i": "uinc_wrap", "dec.i": "udec_wrap",
		"inc.ui": "uinc_wrap", "dec.ui": "udec_wrap",
	}
	t := b.sig.result
	if parts[0] == "cas" {
		pair := b.op("cmpxchg ptr %%a0, %s %%a1, %s %%a2 seq_cst seq_cst", t, t)
		return b.op("extractvalue { %s, i1 } %s, 0", t, pair)
	}
	op, ok := ops[parts[0]+"."+parts[2]]
	if !ok {
		return ""
	}
	return b.op("atomicrmw %s ptr %%a0, %s %%a1 seq_cst", op, t)
}

func amdgcnFunction(b *body, n string) string {
	t := b.sig.result
	base, _, _ := strings.Cut(n, ".f")
	scaled := func(f string) string {
		turn := b.op("fmul %s %%a0, %s", t, constantOf(t, 6.283185307179586))
		return b.call(t, "@llvm."+f+"."+mangle(t), typed{t, turn})
	}
	switch base {
	case "mbcnt.lo", "mbcnt.hi":
		// How many lanes below this one the mask has, in its half of the wave.
		lane := b.op("and i32 %s, 63", b.linear())
		if base == "mbcnt.hi" {
			lane = b.call("i32", "@llvm.usub.sat.i32", typed{"i32", lane}, typed{"i32", "32"})
		}
		below := b.call("i32", "@llvm.umin.i32", typed{"i32", lane}, typed{"i32", "32"})
		one := b.op("shl nuw i64 1, %s", b.op("zext i32 %s to i64", below))
		mask := b.op("trunc i64 %s to i32", b.op("add i64 %s, -1", one))
		count := b.call("i32", "@llvm.ctpop.i32", typed{"i32", b.op("and i32 %s, %%a0", mask)})
		return b.op("add i32 %s, %%a1", count)
	case "wavefrontsize":
		return "64"
	case "s.sleep":
		return "void"
	case "s.memtime", "s.memrealtime":
		return b.call("i64", "@llvm.readcyclecounter")
	case "rcp", "rcp.legacy":
		return b.op("fdiv %s %s, %%a0", t, constantOf(t, 1))
	case "sqrt":
		return b.call(t, "@llvm.sqrt."+mangle(t), b.arg(0))
	case "rsq", "rsq.legacy":
		return b.op("fdiv %s %s, %s", t, constantOf(t, 1), b.call(t, "@llvm.sqrt."+mangle(t), b.arg(0)))
	case "exp2":
		return b.call(t, "@llvm.exp2."+mangle(t), b.arg(0))
	case "log":
		return b.call(t, "@llvm.log2."+mangle(t), b.arg(0))
	case "sin", "cos":
		return scaled(base)
	case "fract":
		return b.op("fsub %s %%a0, %s", t, b.call(t, "@llvm.floor."+mangle(t), b.arg(0)))
	case "fmed3":
		low := b.call(t, "@llvm.minnum."+mangle(t), b.arg(0), b.arg(1))
		high := b.call(t, "@llvm.maxnum."+mangle(t), b.arg(0), b.arg(1))
		high = b.call(t, "@llvm.minnum."+mangle(t), typed{t, high}, b.arg(2))
		return b.call(t, "@llvm.maxnum."+mangle(t), typed{t, low}, typed{t, high})
	case "fmul.legacy":
		return b.op("fmul %s %%a0, %%a1", t)
	case "ldexp":
		return b.call(t, "@llvm.ldexp."+mangle(t)+".i32", b.arg(0), b.arg(1))
	}
	return ""
}

func (b *body) mulhi(t string, unsigned bool) string {
	bits := 0
	if _, err := fmt.Sscanf(t, "i%d", &bits); err != nil {
		return ""
	}
	ext := "sext"
	if unsigned {
		ext = "zext"
	}
	x := b.op("%s %s %%a0 to i%d", ext, t, 2*bits)
	y := b.op("%s %s %%a1 to i%d", ext, t, 2*bits)
	p := b.op("mul i%d %s, %s", 2*bits, x, y)
	return b.op("trunc i%d %s to %s", 2*bits, b.op("lshr i%d %s, %d", 2*bits, p, bits), t)
}

func (b *body) saturate(t, v string) string {
	low := b.call(t, "@llvm.maxnum."+mangle(t), typed{t, v}, typed{t, constantOf(t, 0)})
	return b.call(t, "@llvm.minnum."+mangle(t), typed{t, low}, typed{t, constantOf(t, 1)})
}
