package spmd_test

import (
	"fmt"
	"strings"
)

// irWriter writes a program as the IR that a front end makes before any
// optimisation, for NVPTX.
type irWriter struct {
	b    strings.Builder
	n    int
	loop []struct{ next, done string }
}

func (p *program) ir() string {
	w := &irWriter{}
	w.line("target triple = \"nvptx64-nvidia-cuda\"")
	for _, id := range ids {
		w.line("declare i32 @llvm.nvvm.read.ptx.sreg.%s()", id)
	}
	for _, id := range []string{"ntid.z", "nctaid.y", "ctaid.z"} {
		w.line("declare i32 @llvm.nvvm.read.ptx.sreg.%s()", id)
	}
	w.line("declare i32 @llvm.smin.i32(i32, i32)\ndeclare i32 @llvm.umax.i32(i32, i32)\ndeclare float @llvm.sqrt.f32(float)")
	w.line(recursive)
	w.line("define ptx_kernel void @k(ptr addrspace(1) %%output, ptr addrspace(1) %%input, ptr addrspace(1) %%counts) {")
	w.line("entry:")
	for i := range variables {
		w.line("  %%v%d = alloca i32\n  store i32 0, ptr %%v%d", i, i)
	}
	w.line("  %%priv = alloca [%d x i32]", privateSize)
	for i := range privateSize {
		p := w.op("getelementptr [%d x i32], ptr %%priv, i64 0, i64 %d", privateSize, i)
		w.line("  store i32 0, ptr %s", p)
	}
	id := func(name string) string { return w.op("call i32 @llvm.nvvm.read.ptx.sreg.%s()", name) }
	group := w.op("add i32 %s, %s", w.op("mul i32 %s, %s", w.op("add i32 %s, %s",
		w.op("mul i32 %s, %s", id("ctaid.z"), id("nctaid.y")), id("ctaid.y")), id("nctaid.x")), id("ctaid.x"))
	local := w.op("add i32 %s, %s", w.op("mul i32 %s, %s", w.op("add i32 %s, %s",
		w.op("mul i32 %s, %s", id("tid.z"), id("ntid.y")), id("tid.y")), id("ntid.x")), id("tid.x"))
	size := w.op("mul i32 %s, %s", w.op("mul i32 %s, %s", id("ntid.x"), id("ntid.y")), id("ntid.z"))
	number := w.op("add i32 %s, %s", w.op("mul i32 %s, %s", group, size), local)
	first := w.op("mul i32 %s, %d", number, outputSize)
	w.line("  %%base = getelementptr inbounds i32, ptr addrspace(1) %%output, i32 %s", first)
	w.block(p.body)
	w.line("  br label %%leave\nleave:")
	for i := range variables {
		p := w.op("getelementptr inbounds i32, ptr addrspace(1) %%base, i64 %d", i)
		sum := w.op("add i32 %s, %s", w.op("load i32, ptr addrspace(1) %s", p), w.op("load i32, ptr %%v%d", i))
		w.line("  store i32 %s, ptr addrspace(1) %s", sum, p)
	}
	w.line("  ret void\n}")
	return w.b.String()
}

// recursive cannot be inlined.
const recursive = `define i32 @again(i32 %%n, i32 %%x) {
  %%end = icmp sle i32 %%n, 0
  br i1 %%end, label %%done, label %%more
more:
  %%t = mul i32 %%x, 3
  %%y = add i32 %%t, %%n
  %%m = sub i32 %%n, 1
  %%r = call i32 @again(i32 %%m, i32 %%y)
  ret i32 %%r
done:
  ret i32 %%x
}`

func (w *irWriter) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

func (w *irWriter) op(format string, args ...any) string {
	w.n++
	name := fmt.Sprintf("%%t%d", w.n)
	w.line("  %s = %s", name, fmt.Sprintf(format, args...))
	return name
}

func (w *irWriter) labels(names ...string) []string {
	w.n++
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", names[i], w.n)
	}
	return names
}

func (w *irWriter) block(list []stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w *irWriter) test(e expr) string { return w.op("icmp ne i32 %s, 0", w.expr(e)) }

func (w *irWriter) leaveTo(label string) {
	w.line("  br label %%%s", label)
	w.line("%s:", w.labels("dead")[0])
}

func (w *irWriter) stmt(s stmt) {
	switch s.op {
	case "set":
		w.line("  store i32 %s, ptr %%v%d", w.expr(s.e), s.n)
	case "priv":
		v := w.expr(s.e)
		w.line("  store i32 %s, ptr %s", v, w.privateAt(s.at))
	case "byte":
		v := w.op("trunc i32 %s to i8", w.expr(s.e))
		w.line("  store i8 %s, ptr %s", v, w.byteAt(s.at))
	case "out":
		v := w.expr(s.e)
		w.line("  store i32 %s, ptr addrspace(1) %s", v, w.outputAt(s.at))
	case "count":
		v := w.expr(s.e)
		p := w.op("getelementptr i32, ptr addrspace(1) %%counts, i64 %d", s.n)
		w.op("atomicrmw add ptr addrspace(1) %s, i32 %s seq_cst", p, v)
	case "if":
		l := w.labels("then", "else", "join")
		w.line("  br i1 %s, label %%%s, label %%%s\n%s:", w.test(s.e), l[0], l[1], l[0])
		w.block(s.blocks[0])
		w.line("  br label %%%s\n%s:", l[2], l[1])
		if len(s.blocks) > 1 {
			w.block(s.blocks[1])
		}
		w.line("  br label %%%s\n%s:", l[2], l[2])
	case "loop":
		l := w.labels("head", "body", "next", "done", "i")
		w.line("  %%%s = alloca i32\n  store i32 0, ptr %%%s", l[4], l[4])
		times := w.op("and i32 %s, 7", w.expr(s.e))
		w.line("  br label %%%s\n%s:", l[0], l[0])
		i := w.op("load i32, ptr %%%s", l[4])
		w.line("  br i1 %s, label %%%s, label %%%s\n%s:", w.op("icmp slt i32 %s, %s", i, times), l[1], l[3], l[1])
		w.line("  store i32 %s, ptr %%v%d", i, s.n)
		w.loop = append(w.loop, struct{ next, done string }{l[2], l[3]})
		w.block(s.blocks[0])
		w.loop = w.loop[:len(w.loop)-1]
		w.line("  br label %%%s\n%s:", l[2], l[2])
		w.line("  store i32 %s, ptr %%%s", w.op("add nsw i32 %s, 1", i), l[4])
		w.line("  br label %%%s\n%s:", l[0], l[3])
	case "switch":
		var names []string
		for range s.blocks {
			names = append(names, "case")
		}
		w.n++
		for i := range names {
			names[i] = fmt.Sprintf("case%d.%d", w.n, i)
		}
		done := w.labels("after")[0]
		var cases strings.Builder
		for i, n := range names {
			fmt.Fprintf(&cases, " i32 %d, label %%%s", i, n)
		}
		w.line("  switch i32 %s, label %%%s [%s ]", w.op("urem i32 %s, 5", w.expr(s.e)), done, cases.String())
		for i, n := range names {
			w.line("%s:", n)
			w.block(s.blocks[i])
			next := done
			if s.n != 0 && i+1 < len(names) {
				next = names[i+1]
			}
			w.line("  br label %%%s", next)
		}
		w.line("%s:", done)
	case "break":
		w.leaveTo(w.loop[len(w.loop)-1].done)
	case "continue":
		w.leaveTo(w.loop[len(w.loop)-1].next)
	case "return":
		w.leaveTo("leave")
	}
}

func (w *irWriter) privateAt(e expr) string {
	i := w.op("and i32 %s, %d", w.expr(e), privateSize-1)
	return w.op("getelementptr inbounds [%d x i32], ptr %%priv, i64 0, i64 %s", privateSize, w.op("sext i32 %s to i64", i))
}

func (w *irWriter) byteAt(e expr) string {
	i := w.op("and i32 %s, %d", w.expr(e), 4*privateSize-1)
	return w.op("getelementptr inbounds i8, ptr %%priv, i32 %s", i)
}

func (w *irWriter) outputAt(e expr) string {
	i := w.op("and i32 %s, %d", w.expr(e), outputSize-1)
	return w.op("getelementptr inbounds i32, ptr addrspace(1) %%base, i32 %s", i)
}

func (w *irWriter) expr(e expr) string {
	switch e.op {
	case "const":
		return fmt.Sprint(e.n)
	case "var":
		return w.op("load i32, ptr %%v%d", e.n)
	case "id":
		return w.op("call i32 @llvm.nvvm.read.ptx.sreg.%s()", ids[e.n])
	case "global":
		first := w.op("mul i32 %s, %s", w.op("call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()"), w.op("call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()"))
		return w.op("add i32 %s, %s", first, w.op("call i32 @llvm.nvvm.read.ptx.sreg.tid.x()"))
	case "in":
		i := w.op("and i32 %s, %d", w.expr(e.args[0]), inputSize-1)
		return w.op("load i32, ptr addrspace(1) %s", w.op("getelementptr inbounds i32, ptr addrspace(1) %%input, i32 %s", i))
	case "row":
		l := w.labels("row", "", "after", "cell")
		e := w.expr(e.args[0])
		w.line("  %%%s = alloca i32\n  store i32 0, ptr %%%s", l[3], l[3])
		i := w.op("add i32 %s, %s", e, w.op("call i32 @llvm.nvvm.read.ptx.sreg.tid.x()"))
		w.line("  br i1 %s, label %%%s, label %%%s\n%s:", w.op("icmp ult i32 %s, %d", i, inputSize), l[0], l[2], l[0])
		p := w.op("getelementptr inbounds i32, ptr addrspace(1) %%input, i64 %s", w.op("zext i32 %s to i64", i))
		w.line("  store i32 %s, ptr %%%s", w.op("load i32, ptr addrspace(1) %s", p), l[3])
		w.line("  br label %%%s\n%s:", l[2], l[2])
		return w.op("load i32, ptr %%%s", l[3])
	case "priv":
		return w.op("load i32, ptr %s", w.privateAt(e.args[0]))
	case "byte":
		return w.op("sext i8 %s to i32", w.op("load i8, ptr %s", w.byteAt(e.args[0])))
	case "out":
		return w.op("load i32, ptr addrspace(1) %s", w.outputAt(e.args[0]))
	case "select":
		c := w.test(e.args[0])
		x, y := w.expr(e.args[1]), w.expr(e.args[2])
		return w.op("select i1 %s, i32 %s, i32 %s", c, x, y)
	}
	a, b := w.expr(e.args[0]), w.expr(e.args[1])
	switch e.op {
	case "shl", "lshr", "ashr":
		b = w.op("and i32 %s, 31", b)
	case "sdiv", "srem":
		b = w.op("or i32 %s, 1", w.op("and i32 %s, 65535", b))
	case "udiv", "urem":
		b = w.op("or i32 %s, 1", b)
	case "eq", "ne", "slt", "ult", "sgt":
		return w.op("zext i1 %s to i32", w.op("icmp %s i32 %s, %s", e.op, a, b))
	case "smin", "umax":
		return w.op("call i32 @llvm.%s.i32(i32 %s, i32 %s)", e.op, a, b)
	case "narrow":
		x := w.op("sext i16 %s to i32", w.op("trunc i32 %s to i16", a))
		return w.op("add i32 %s, %s", x, w.op("zext i8 %s to i32", w.op("trunc i32 %s to i8", b)))
	case "wide":
		p := w.op("mul i64 %s, %s", w.op("sext i32 %s to i64", a), w.op("sext i32 %s to i64", b))
		return w.op("trunc i64 %s to i32", w.op("ashr i64 %s, 7", p))
	case "call":
		return w.op("call i32 @again(i32 %s, i32 %s)", w.op("and i32 %s, 7", a), b)
	case "float":
		x := w.op("uitofp i32 %s to float", w.op("and i32 %s, 255", a))
		y := w.op("uitofp i32 %s to float", w.op("and i32 %s, 255", b))
		f := w.op("fadd float %s, 0.5", w.op("fmul float %s, %s", x, y))
		return w.op("fptosi float %s to i32", w.op("call float @llvm.sqrt.f32(float %s)", f))
	}
	return w.op("%s i32 %s, %s", e.op, a, b)
}
