package spmd

import "strings"

// warpFunction defines what lanes of an NVPTX warp do together.
func warpFunction(b *body) string {
	n, ok := strings.CutPrefix(b.sig.name, "@kiln.nvvm.")
	if !ok {
		return waveFunction(b)
	}
	mask := func() string { return b.op("zext i32 %%a0 to i64") }
	params := strings.Join(b.sig.params, ", ")
	result := b.sig.result
	switch n {
	case "bar.warp.sync":
		if b.sig.shape("void", "i32") {
			return b.collective("@kiln.warp.sync", mask())
		}
	case "activemask":
		if b.sig.shape("i32", "") {
			return b.narrowed("i32", b.collective("@kiln.warp.active"))
		}
	case "elect.sync":
		if b.sig.shape("{ i32, i1 }", "i32") {
			here := b.narrowed("i32", b.collective("@kiln.warp.ballot", mask(), "true"))
			leader := b.call("i32", "@llvm.cttz.i32", typed{"i32", here}, typed{"i1", "false"})
			return b.pair("i32", leader, b.op("icmp eq i32 %s, %s", leader, b.lane(32)))
		}
	case "vote.ballot.sync", "vote.any.sync", "vote.all.sync", "vote.uni.sync":
		if params == "i32, i1" {
			return b.vote(strings.TrimSuffix(n[len("vote."):], ".sync"), mask(), "%a1")
		}
	case "vote.ballot", "vote.any", "vote.all", "vote.uni":
		if params == "i1" {
			return b.vote(n[len("vote."):], b.collective("@kiln.warp.active"), "%a0")
		}
	case "match.any.sync.i32", "match.any.sync.i64":
		if result == "i32" && (params == "i32, i32" || params == "i32, i64") {
			return b.narrowed("i32", b.collective("@kiln.warp.match", mask(), b.widened(b.arg(1))))
		}
	case "match.all.sync.i32p", "match.all.sync.i64p":
		if result == "{ i32, i1 }" && (params == "i32, i32" || params == "i32, i64") {
			all := mask()
			same := b.collective("@kiln.warp.match", all, b.widened(b.arg(1)))
			here := b.collective("@kiln.warp.ballot", all, "true")
			is := b.op("icmp eq i64 %s, %s", same, here)
			return b.pair("i32", b.narrowed("i32", b.op("select i1 %s, i64 %s, i64 0", is, here)), is)
		}
	}
	if op, ok := strings.CutPrefix(n, "redux.sync."); ok && b.sig.shape("i32", "i32, i32") {
		switch op {
		case "min", "max":
			op = "s" + op
		}
		if _, ok := reductions[op]; ok {
			return b.collective("@kiln.warp."+op, b.op("zext i32 %%a1 to i64"), "%a0")
		}
	}
	if kind, ok := strings.CutPrefix(n, "shfl.sync."); ok {
		return b.shuffle(kind, mask, 1)
	}
	if kind, ok := strings.CutPrefix(n, "shfl."); ok {
		return b.shuffle(kind, func() string { return b.collective("@kiln.warp.active") }, 0)
	}
	return ""
}

// lane is the item's number in its warp of a width that is a power of two.
func (b *body) lane(width int) string { return b.op("and i32 %s, %d", b.linear(), width-1) }

func (b *body) vote(kind, mask, predicate string) string {
	odd := func(p string) string { return b.collective("@kiln.warp.ballot", mask, p) }
	not := func() string { return b.op("xor i1 %s, true", predicate) }
	switch {
	case kind == "ballot" && b.sig.result == "i32":
		return b.narrowed("i32", odd(predicate))
	case b.sig.result != "i1":
		return ""
	case kind == "any":
		return b.op("icmp ne i64 %s, 0", odd(predicate))
	case kind == "all":
		return b.op("icmp eq i64 %s, 0", odd(not()))
	}
	yes := b.op("icmp eq i64 %s, 0", odd(not()))
	no := b.op("icmp eq i64 %s, 0", odd(predicate))
	return b.op("or i1 %s, %s", yes, no)
}

// shuffle defines "down.i32", "idx.f32p" and their kin. The value is argument
// first; a lane and the packed bounds of segments follow.
func (b *body) shuffle(kind string, mask func() string, first int) string {
	mode, typ, _ := strings.Cut(kind, ".")
	typ, pair := strings.CutSuffix(typ, "p")
	typ = map[string]string{"i32": "i32", "f32": "float"}[typ]
	want := typ + ", i32, i32"
	if first == 1 {
		want = "i32, " + want
	}
	result := typ
	if pair {
		result = "{ " + typ + ", i1 }"
	}
	if typ == "" || !b.sig.shape(result, want) {
		return ""
	}
	value, by, bounds := b.arg(first), b.arg(first+1).value, b.arg(first+2).value
	lane := b.lane(32)
	offset := b.op("and i32 %s, 31", by)
	segment := b.op("and i32 %s, 31", b.op("lshr i32 %s, 8", bounds))
	inner := b.op("xor i32 %s, 31", segment)
	low := b.op("and i32 %s, %s", lane, segment)
	bound := b.op("or i32 %s, %s", low, b.op("and i32 %s, %s", b.op("and i32 %s, 31", bounds), inner))
	source, inside := "", "icmp sle"
	switch mode {
	case "up":
		source, inside = b.op("sub i32 %s, %s", lane, offset), "icmp sge"
	case "down":
		source = b.op("add i32 %s, %s", lane, offset)
	case "bfly":
		source = b.op("xor i32 %s, %s", lane, offset)
	case "idx":
		source = b.op("or i32 %s, %s", low, b.op("and i32 %s, %s", offset, inner))
	default:
		return ""
	}
	is := b.op("%s i32 %s, %s", inside, source, bound)
	from := b.op("select i1 %s, i32 %s, i32 %s", is, source, lane)
	got := b.read(mask(), value, from)
	if pair {
		return b.pair(typ, got, is)
	}
	return got
}

// read is another lane's value of 32 bits.
func (b *body) read(mask string, value typed, lane string) string {
	v := value.value
	if value.typ != "i32" {
		v = b.op("bitcast %s %s to i32", value.typ, v)
	}
	v = b.collective("@kiln.warp.read", mask, v, lane)
	if value.typ != "i32" {
		v = b.op("bitcast i32 %s to %s", v, value.typ)
	}
	return v
}
