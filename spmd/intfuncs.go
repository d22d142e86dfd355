package spmd

import (
	"sync"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

type intOp func(b *body, t string, unsigned bool) string

// bySign calls one of two intrinsics by the sign of the operands.
func bySign(signed, without string, args int) intOp {
	return func(b *body, t string, unsigned bool) string {
		name := signed
		if unsigned {
			name = without
		}
		return intIntrinsic(b, name, t, args)
	}
}

func intIntrinsic(b *body, name, t string, args int, more ...typed) string {
	var list []typed
	for i := range args {
		if b.arg(i).typ != t {
			return ""
		}
		list = append(list, b.arg(i))
	}
	return b.call(t, "@llvm."+name+"."+mangle(t), append(list, more...)...)
}

var intOps = sync.OnceValue(func() map[string]intOp {
	return map[string]intOp{
		"min": bySign("smin", "umin", 2), "max": bySign("smax", "umax", 2),
		"add_sat": bySign("sadd.sat", "uadd.sat", 2), "sub_sat": bySign("ssub.sat", "usub.sat", 2),
		"popcount": func(b *body, _ string, _ bool) string { return b.counted("ctpop") },
		"clz":      func(b *body, _ string, _ bool) string { return b.counted("ctlz", typed{"i1", "false"}) },
		"ctz":      func(b *body, _ string, _ bool) string { return b.counted("cttz", typed{"i1", "false"}) },
		"bitreverse": func(b *body, t string, _ bool) string {
			return intIntrinsic(b, "bitreverse", t, 1)
		},
		"abs": func(b *body, t string, unsigned bool) string {
			if unsigned {
				return b.arg(0).value
			}
			return intIntrinsic(b, "abs", t, 1, typed{"i1", "false"})
		},
		"rotate": func(b *body, t string, _ bool) string {
			return b.call(t, "@llvm.fshl."+mangle(t), b.arg(0), b.arg(0), b.arg(1))
		},
		"mul_hi": func(b *body, t string, unsigned bool) string { return b.mulhi(t, unsigned) },
		"mul24":  func(b *body, t string, _ bool) string { return b.op("mul %s %%a0, %%a1", t) },
		"mad24": func(b *body, t string, _ bool) string {
			return b.op("add %s %s, %%a2", t, b.op("mul %s %%a0, %%a1", t))
		},
		"clamp": func(b *body, t string, unsigned bool) string {
			low, high := "smax", "smin"
			if unsigned {
				low, high = "umax", "umin"
			}
			v := b.call(t, "@llvm."+low+"."+mangle(t), b.arg(0), b.arg(1))
			return b.call(t, "@llvm."+high+"."+mangle(t), typed{t, v}, b.arg(2))
		},
		"ffs": func(b *body, t string, _ bool) string {
			a := b.arg(0)
			zeros := b.call(a.typ, "@llvm.cttz."+mangle(a.typ), a, typed{"i1", "false"})
			next := b.op("add %s %s, 1", a.typ, zeros)
			none := b.op("icmp eq %s %s, 0", a.typ, a.value)
			return b.resize(b.op("select i1 %s, %s 0, %s %s", none, a.typ, a.typ, next), a.typ, t)
		},
	}
})

// counted calls an intrinsic that counts bits; libdevice returns an int for
// any width.
func (b *body) counted(name string, more ...typed) string {
	a := b.arg(0)
	n := b.call(a.typ, "@llvm."+name+"."+mangle(a.typ), append([]typed{a}, more...)...)
	return b.resize(n, a.typ, b.sig.result)
}

func (b *body) resize(v, from, to string) string {
	f, t := irtext.Bits(from), irtext.Bits(to)
	switch {
	case f == t:
		return v
	case f > t && t > 0:
		return b.op("trunc %s %s to %s", from, v, to)
	case f > 0:
		return b.op("zext %s %s to %s", from, v, to)
	}
	b.failed = true
	return "poison"
}
