package spmd

import (
	"fmt"
	"strconv"
	"strings"
)

// clNamed is the letter of a type's name, "" where it is none.
func clNamed(name string) string {
	switch name {
	case "char":
		return "c"
	case "uchar":
		return "h"
	case "short":
		return "s"
	case "ushort":
		return "t"
	case "int":
		return "i"
	case "uint":
		return "j"
	case "long":
		return "l"
	case "ulong":
		return "m"
	case "half":
		return "Dh"
	case "float":
		return "f"
	case "double":
		return "d"
	}
	return ""
}

// convert defines convert_TYPE with its suffixes for a number.
func (b *body) convert(rest string, from clType) string {
	name, suffix, _ := strings.Cut(rest, "_")
	to := clType{letter: clNamed(name)}
	if to.letter == "" {
		return ""
	}
	mode, saturate := suffix, false
	if after, ok := strings.CutPrefix(suffix, "sat"); ok {
		mode, saturate = strings.TrimPrefix(after, "_"), true
	}
	s, d := from.ir(), to.ir()
	a, c := clBits(s), clBits(d)
	exact := mode == "" || mode == "rte"
	switch x := "%a0"; {
	case from.float() && to.float():
		switch {
		case a == c:
			return x
		case a < c:
			return b.op("fpext %s %s to %s", s, x, d)
		case exact:
			return b.op("fptrunc %s %s to %s", s, x, d)
		}
	case from.float():
		round := map[string]string{"": "", "rtz": "", "rte": "roundeven", "rtp": "ceil", "rtn": "floor"}
		f, known := round[mode]
		if !known {
			return ""
		}
		if f != "" {
			x = b.call(s, "@llvm."+f+"."+mangle(s), typed{s, x})
		}
		op := "fptosi"
		if to.unsigned() {
			op = "fptoui"
		}
		if saturate {
			return b.call(d, "@llvm."+op+".sat."+d+"."+mangle(s), typed{s, x})
		}
		return b.op("%s %s %s to %s", op, s, x, d)
	case to.float():
		if exact || a < 24 {
			op := "sitofp"
			if from.unsigned() {
				op = "uitofp"
			}
			return b.op("%s %s %s to %s", op, s, x, d)
		}
	default:
		ext := "sext"
		if from.unsigned() {
			ext = "zext"
		}
		if saturate && (a > c || from.unsigned() != to.unsigned()) {
			wide := fmt.Sprintf("i%d", 2*max(a, c))
			x = b.within(b.op("%s %s %s to %s", ext, s, x, wide), wide, from.unsigned(), c, to.unsigned())
			return b.op("trunc %s %s to %s", wide, x, d)
		}
		switch {
		case a > c:
			return b.op("trunc %s %s to %s", s, x, d)
		case a < c:
			return b.op("%s %s %s to %s", ext, s, x, d)
		}
		return x
	}
	return ""
}

// within bounds v, a number of type t, to what an integer of so many bits holds.
func (b *body) within(v, t string, unsigned bool, bits int, boundUnsigned bool) string {
	low, high := int64(0), ^uint64(0)>>(64-bits)
	if !boundUnsigned {
		high >>= 1
		low = -int64(high) - 1
	}
	most := strconv.FormatUint(high, 10)
	if unsigned {
		return b.call(t, "@llvm.umin."+t, typed{t, v}, typed{t, most})
	}
	v = b.call(t, "@llvm.smax."+t, typed{t, v}, typed{t, strconv.FormatInt(low, 10)})
	return b.call(t, "@llvm.smin."+t, typed{t, v}, typed{t, most})
}
