package spmd

import "strings"

// barrierFunction defines the barriers of NVPTX, AMDGPU and OpenCL.
func barrierFunction(b *body) string {
	n := b.sig.name[1:]
	if rest, ok := strings.CutPrefix(n, "kiln.nvvm.bar"); ok {
		return b.nvvmBarrier(rest)
	}
	switch n {
	case "kiln.amdgcn.s.barrier":
		return b.meetAll("void", "")
	case "_Z7barrierj", "_Z18work_group_barrierj":
		return b.meetAll("void", "i32")
	case "_Z18work_group_barrierj12memory_scope":
		return b.meetAll("void", "i32, i32")
	case "__ockl_wgred_add_i32", "__ockl_wgred_and_i32", "__ockl_wgred_or_i32":
		if !b.sig.shape("i32", "i32") {
			return ""
		}
		op := strings.TrimSuffix(strings.TrimPrefix(n, "__ockl_wgred_"), "_i32")
		return b.collective("@kiln.barrier."+op, "0", "0", "%a0")
	}
	return ""
}

// meetAll is a barrier for the whole group whose arguments tell what memory it
// orders, which here is all.
func (b *body) meetAll(result, params string) string {
	if !b.sig.shape(result, params) {
		return ""
	}
	return b.collective("@kiln.barrier.sync", "0", "0")
}

// nvvmBarrier defines the barriers of NVPTX by all their names since LLVM 3:
// "rier.cta.sync.aligned.all" and so on, "bar" cut off.
func (b *body) nvvmBarrier(n string) string {
	switch n {
	case "rier0":
		return b.meetAll("void", "")
	case "rier.cta.sync.aligned.all", "rier.cta.sync.all", "rier.n", "rier.sync", ".sync", "rier.sync.aligned":
		if b.sig.shape("void", "i32") {
			return b.collective("@kiln.barrier.sync", "%a0", "0")
		}
	case "rier.cta.sync.aligned.count", "rier.cta.sync.count", "rier", "rier.sync.cnt":
		if b.sig.shape("void", "i32, i32") {
			return b.collective("@kiln.barrier.sync", "%a0", "%a1")
		}
	case "rier0.popc", "rier0.and", "rier0.or":
		if b.sig.shape("i32", "i32") {
			is := b.op("icmp ne i32 %%a0, 0")
			return b.reduceBarrier(strings.TrimPrefix(n, "rier0."), "i32", "0", "0", is)
		}
	}
	rest, ok := strings.CutPrefix(n, "rier.cta.red.")
	if !ok {
		return ""
	}
	op, form, _ := strings.Cut(rest, ".")
	switch op {
	case "popc", "and", "or":
	default:
		return ""
	}
	switch {
	case (form == "aligned.all" || form == "all") && b.sig.shape(b.sig.result, "i32, i1"):
		return b.reduceBarrier(op, b.sig.result, "%a0", "0", "%a1")
	case (form == "aligned.count" || form == "count") && b.sig.shape(b.sig.result, "i32, i32, i1"):
		return b.reduceBarrier(op, b.sig.result, "%a0", "%a1", "%a2")
	}
	return ""
}

func (b *body) reduceBarrier(op, result, id, items, predicate string) string {
	if op == "popc" {
		op = "add"
	}
	sum := b.collective("@kiln.barrier."+op, id, items, b.op("zext i1 %s to i32", predicate))
	switch result {
	case "i32":
		return sum
	case "i1":
		return b.op("icmp ne i32 %s, 0", sum)
	}
	return ""
}
