package spmd

import "strings"

// waveFunction defines what lanes of an AMDGPU wave do together. No mask names
// those that take part: it is the lanes that come to the call.
func waveFunction(b *body) string {
	n, ok := strings.CutPrefix(b.sig.name, "@kiln.amdgcn.")
	if !ok {
		return ""
	}
	here := func() string { return b.collective("@kiln.warp.active") }
	result, params := b.sig.result, strings.Join(b.sig.params, ", ")
	word := result == "i32" || result == "float"
	switch base, _, _ := strings.Cut(n, "."+mangle(result)); base {
	case "wave.barrier":
		if b.sig.shape("void", "") {
			return b.collective("@kiln.warp.sync", here())
		}
	case "ballot":
		if params == "i1" && (result == "i32" || result == "i64") {
			return b.narrowed(result, b.collective("@kiln.warp.ballot", here(), "%a0"))
		}
	case "readfirstlane":
		if word && params == result {
			mask := here()
			first := b.call("i64", "@llvm.cttz.i64", typed{"i64", mask}, typed{"i1", "false"})
			return b.read(mask, b.arg(0), b.narrowed("i32", first))
		}
	case "readlane":
		if word && params == result+", i32" {
			return b.read(here(), b.arg(0), b.op("and i32 %%a1, 63"))
		}
	case "ds.bpermute":
		if b.sig.shape("i32", "i32, i32") {
			return b.read(here(), b.arg(1), b.op("and i32 %s, 63", b.op("lshr i32 %%a0, 2")))
		}
	case "ds.swizzle":
		if b.sig.shape("i32", "i32, i32") {
			return b.read(here(), b.arg(0), b.swizzle())
		}
	}
	return dppFunction(b, n)
}

// swizzle is the lane that ds.swizzle's pattern names: in fours, or within 32
// lanes by three masks.
func (b *body) swizzle() string {
	lane := b.lane(64)
	field := func(shift int) string { return b.op("and i32 %s, 31", b.op("lshr i32 %%a1, %d", shift)) }
	v := b.op("and i32 %s, 31", lane)
	v = b.op("xor i32 %s, %s", b.op("or i32 %s, %s", b.op("and i32 %s, %s", v, field(0)), field(5)), field(10))
	masks := b.op("or i32 %s, %s", b.op("and i32 %s, 32", lane), v)
	shift := b.op("shl i32 %s, 1", b.op("and i32 %s, 3", lane))
	four := b.op("or i32 %s, %s", b.op("and i32 %s, 60", lane), b.op("and i32 %s, 3", b.op("lshr i32 %%a1, %s", shift)))
	fours := b.op("icmp ne i32 %s, 0", b.op("and i32 %%a1, 32768"))
	return b.op("select i1 %s, i32 %s, i32 %s", fours, four, masks)
}
