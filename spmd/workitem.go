package spmd

import "strings"

// workItemFunction defines OpenCL's functions that tell where an item is.
func workItemFunction(b *body) string {
	name, types, ok := demangle(b.sig.name)
	if !ok {
		return ""
	}
	t := b.sig.result
	if t != "i64" && t != "i32" {
		return ""
	}
	wide := func(v string) string {
		if t == "i32" {
			return v
		}
		return b.op("zext i32 %s to i64", v)
	}
	// each evaluates f in all three dimensions and takes the one asked for.
	each := func(other string, f func(d string) string) string {
		if types != "j" {
			return ""
		}
		result := other
		for _, d := range []string{"z", "y", "x"} {
			is := b.op("icmp eq i32 %%a0, %d", d[0]-'x')
			result = b.op("select i1 %s, %s %s, %s %s", is, t, f(d), t, result)
		}
		return result
	}
	items := func(d string) string {
		return b.op("mul nuw nsw %s %s, %s", t, wide(b.id("nctaid."+d)), wide(b.id("ntid."+d)))
	}
	global := func(d string) string {
		first := b.op("mul nuw nsw %s %s, %s", t, wide(b.id("ctaid."+d)), wide(b.id("ntid."+d)))
		return b.op("add nuw nsw %s %s, %s", t, first, wide(b.id("tid."+d)))
	}
	if t == "i32" {
		// 32-bit ids wrap as they do on the device.
		items = func(d string) string { return b.op("mul i32 %s, %s", b.id("nctaid."+d), b.id("ntid."+d)) }
		global = func(d string) string {
			first := b.op("mul i32 %s, %s", b.id("ctaid."+d), b.id("ntid."+d))
			return b.op("add i32 %s, %s", first, b.id("tid."+d))
		}
	}
	switch name {
	case "get_global_id":
		return each("0", global)
	case "get_local_id":
		return each("0", func(d string) string { return wide(b.id("tid." + d)) })
	case "get_group_id":
		return each("0", func(d string) string { return wide(b.id("ctaid." + d)) })
	case "get_local_size", "get_enqueued_local_size":
		return each("1", func(d string) string { return wide(b.id("ntid." + d)) })
	case "get_num_groups":
		return each("1", func(d string) string { return wide(b.id("nctaid." + d)) })
	case "get_global_size":
		return each("1", items)
	case "get_global_offset":
		return each("0", func(string) string { return "0" })
	case "get_work_dim":
		return "3"
	case "get_local_linear_id":
		return wide(b.linear())
	case "get_global_linear_id":
		row := b.op("mul %s %s, %s", t, global("z"), items("y"))
		row = b.op("add %s %s, %s", t, row, global("y"))
		row = b.op("mul %s %s, %s", t, row, items("x"))
		return b.op("add %s %s, %s", t, row, global("x"))
	}
	return ""
}

// demangle takes the name and the types' letters from a function's mangled
// name, as far as built-in functions need it.
func demangle(symbol string) (name, types string, ok bool) {
	rest, ok := strings.CutPrefix(symbol, "@_Z")
	if !ok {
		return "", "", false
	}
	n := 0
	for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' && n < 1000 {
		n = n*10 + int(rest[0]-'0')
		rest = rest[1:]
	}
	if n == 0 || n >= len(rest) {
		return "", "", false
	}
	return rest[:n], rest[n:], true
}
