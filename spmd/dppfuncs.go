package spmd

import "strings"

// dppFunction defines AMDGPU's moves between lanes: update.dpp(old, source,
// control, rows, banks, bound) and mov.dpp, which has no old. Lanes whose row
// or bank is masked out keep the old value, those whose source lies outside
// take 0 or the old one.
func dppFunction(b *body, n string) string {
	t := b.sig.result
	const zero = "zeroinitializer"
	first, old := 1, "%a0"
	base, _, _ := strings.Cut(n, "."+mangle(t))
	switch {
	case (t != "i32" && t != "float") || base != "update.dpp" && base != "mov.dpp":
		return ""
	case base == "mov.dpp":
		first, old = 0, zero
	}
	if len(b.sig.params) != first+5 {
		return ""
	}
	control, rows, banks, bound := b.arg(first+1).value, b.arg(first+2).value, b.arg(first+3).value, b.arg(first+4).value
	lane := b.lane(64)
	from := b.dppSource(lane, control)
	there := b.op("icmp ult i32 %s, 64", from)
	masked := func(mask, index string) string {
		return b.op("trunc i32 %s to i1", b.op("lshr i32 %s, %s", mask, index))
	}
	row := masked(rows, b.op("lshr i32 %s, 4", lane))
	bank := masked(banks, b.op("and i32 %s, 3", b.op("lshr i32 %s, 2", lane)))
	got := b.read(b.collective("@kiln.warp.active"), b.arg(first), b.op("select i1 %s, i32 %s, i32 %s", there, from, lane))
	outside := b.op("select i1 %s, %s %s, %s %s", bound, t, zero, t, old)
	value := b.op("select i1 %s, %s %s, %s %s", there, t, got, t, outside)
	return b.op("select i1 %s, %s %s, %s %s", b.op("and i1 %s, %s", row, bank), t, value, t, old)
}

// dppSource is the lane that the control word names, -1 where there is none.
func (b *body) dppSource(lane, control string) string {
	source := "-1"
	// within takes the value for controls from first to last.
	within := func(first, last int, value string) {
		is := b.op("icmp ule i32 %s, %d", b.op("sub i32 %s, %d", control, first), last-first)
		source = b.op("select i1 %s, i32 %s, i32 %s", is, value, source)
	}
	only := func(condition, value string) string {
		return b.op("select i1 %s, i32 %s, i32 -1", condition, value)
	}
	by := b.op("and i32 %s, 15", control)
	place, row := b.op("and i32 %s, 15", lane), b.op("and i32 %s, 48", lane)
	inRow := func(at string) string { return b.op("or i32 %s, %s", row, b.op("and i32 %s, 15", at)) }
	ahead, behind := b.op("add i32 %s, %s", place, by), b.op("sub i32 %s, %s", place, by)
	next, last := b.op("add i32 %s, 1", lane), b.op("sub i32 %s, 1", lane)

	turn := b.op("shl i32 %s, 1", b.op("and i32 %s, 3", lane))
	four := b.op("or i32 %s, %s", b.op("and i32 %s, 60", lane), b.op("and i32 %s, 3", b.op("lshr i32 %s, %s", control, turn)))
	within(0, 0xff, four)
	within(0x101, 0x10f, only(b.op("icmp ult i32 %s, 16", ahead), inRow(ahead)))
	within(0x111, 0x11f, only(b.op("icmp sge i32 %s, 0", behind), inRow(behind)))
	within(0x121, 0x12f, inRow(behind))
	within(0x130, 0x130, only(b.op("icmp ult i32 %s, 64", next), next))
	within(0x134, 0x134, b.op("and i32 %s, 63", next))
	within(0x138, 0x138, last)
	within(0x13c, 0x13c, b.op("and i32 %s, 63", last))
	within(0x140, 0x140, b.op("xor i32 %s, 15", lane))
	within(0x141, 0x141, b.op("xor i32 %s, 7", lane))
	within(0x142, 0x142, b.op("sub i32 %s, 1", row))
	within(0x143, 0x143, only(b.op("icmp uge i32 %s, 32", lane), "31"))
	within(0x150, 0x15f, inRow(by))
	within(0x160, 0x16f, inRow(b.op("xor i32 %s, %s", lane, by)))
	return source
}
