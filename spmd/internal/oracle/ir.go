package oracle

import (
	"fmt"
	"slices"
	"strings"
)

// Dialect is a spelling of a kernel's IR.
type Dialect uint8

const (
	// NVPTX is what LLVM 22 calls the device's intrinsics.
	NVPTX Dialect = iota
	// OldNVPTX has the names of barriers before LLVM 21.
	OldNVPTX
	// AMDGPU has no masks and reductions of its own: those kernels that need
	// them have no IR in it.
	AMDGPU
)

// Kernel is the name of the kernel in a program's IR.
const Kernel = "k"

// IR returns the text of a module with the kernel
//
//	k(ptr out, ptr fout, ptr in, ptr fin, ptr count, i32, i32)
//
// and false where the dialect lacks what the program uses.
func (p *Program) IR(d Dialect) (string, bool) {
	w := &writer{p: p, d: d, declares: map[string]string{}, ok: true}
	w.kernel()
	var b strings.Builder
	triple := "nvptx64-nvidia-cuda"
	if d == AMDGPU {
		triple = "amdgcn-amd-amdhsa"
	}
	fmt.Fprintf(&b, "target triple = %q\n", triple)
	for i, s := range p.Shared {
		if s.Dynamic {
			fmt.Fprintf(&b, "@s%d = external addrspace(3) global [0 x i32], align 4\n", i)
		} else {
			fmt.Fprintf(&b, "@s%d = internal addrspace(3) global [%d x i32] undef, align 4\n", i, p.Items())
		}
	}
	names := make([]string, 0, len(w.declares))
	for name := range w.declares {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "declare %s\n", w.declares[name])
	}
	b.WriteString("\n" + strings.Join(w.lines, "\n") + "\n")
	return b.String(), w.ok
}

// writer writes the kernel. Variables are allocas.
type writer struct {
	p        *Program
	d        Dialect
	lines    []string
	n        int
	declares map[string]string
	// turns are the allocas of the counters of the loops around; next and leave
	// the blocks that continue and break go to.
	turns       []string
	next, leave []string
	ok          bool
}

func (w *writer) do(format string, args ...any) {
	w.lines = append(w.lines, "  "+fmt.Sprintf(format, args...))
}

func (w *writer) op(format string, args ...any) string {
	w.n++
	name := fmt.Sprintf("%%t%d", w.n)
	w.do("%s = %s", name, fmt.Sprintf(format, args...))
	return name
}

func (w *writer) label() string {
	w.n++
	return fmt.Sprintf("b%d", w.n)
}

func (w *writer) begin(label string) { w.lines = append(w.lines, label+":") }

// call writes a call and declares what it calls.
func (w *writer) call(result, name, types string, args ...string) string {
	list := strings.Split(types, ", ")
	w.declares[name] = fmt.Sprintf("%s @%s(%s)", result, name, types)
	var text []string
	for i, a := range args {
		text = append(text, list[i]+" "+a)
	}
	line := fmt.Sprintf("call %s @%s(%s)", result, name, strings.Join(text, ", "))
	if result == "void" {
		w.do("%s", line)
		return ""
	}
	return w.op("%s", line)
}

func (w *writer) typeOf(variable int32) string {
	if variable < ints {
		return "i32"
	}
	return "float"
}

func (w *writer) kernel() {
	convention, pointer := "ptx_kernel", "ptr"
	if w.d == AMDGPU {
		convention, pointer = "amdgpu_kernel", "ptr addrspace(1)"
	}
	w.lines = append(w.lines, fmt.Sprintf("define %s void @%s(%s %%out, %[3]s %%fout, %[3]s %%in, %[3]s %%fin, %[3]s %%count, i32 %%a0, i32 %%a1) {",
		convention, Kernel, pointer))
	w.begin("entry")
	for v := range int32(variables) {
		w.do("%%v%d = alloca %s, align 4", v, w.typeOf(v))
	}
	w.do("%%private = alloca [%d x i32], align 4", privateSize)
	depth := nesting(w.p.Body)
	for i := range depth {
		w.do("%%turn%d = alloca i32, align 4", i)
	}
	for v := range int32(variables) {
		zero := "0"
		if v >= ints {
			zero = "0.0"
		}
		w.do("store %s %s, ptr %%v%d", w.typeOf(v), zero, v)
	}
	for i := range privateSize {
		w.do("store i32 0, ptr %s", w.op("getelementptr i32, ptr %%private, i64 %d", i))
	}
	w.identity()
	w.block(w.p.Body)
	w.do("ret void")
	w.lines = append(w.lines, "}")
}

// nesting is how deep loops lie in each other.
func nesting(list []Stmt) int {
	most := 0
	for _, s := range list {
		for _, b := range s.Blocks {
			n := nesting(b)
			if s.Op == "loop" {
				n++
			}
			most = max(most, n)
		}
	}
	return most
}

// identity computes %item, its number in the group, and %global, in the launch.
func (w *writer) identity() {
	row := w.op("mul i32 %s, %d", w.register("tid.z"), w.p.Block[1])
	row = w.op("mul i32 %s, %s", w.op("add i32 %s, %s", row, w.register("tid.y")), w.register("ntid.x"))
	w.do("%%item = add i32 %s, %s", row, w.register("tid.x"))
	plane := w.op("mul i32 %s, %d", w.register("ctaid.z"), w.p.Grid[1])
	plane = w.op("mul i32 %s, %s", w.op("add i32 %s, %s", plane, w.register("ctaid.y")), w.register("nctaid.x"))
	group := w.op("add i32 %s, %s", plane, w.register("ctaid.x"))
	w.do("%%first = mul i32 %s, %d", group, w.p.Items())
	w.do("%%global = add i32 %%first, %%item")
}

// register reads an id or size of the device.
func (w *writer) register(name string) string {
	if w.d != AMDGPU {
		return w.call("i32", "llvm.nvvm.read.ptx.sreg."+name, "")
	}
	d := name[len(name)-1:]
	switch strings.TrimSuffix(name, "."+d) {
	case "tid":
		return w.call("i32", "llvm.amdgcn.workitem.id."+d, "")
	case "ctaid":
		return w.call("i32", "llvm.amdgcn.workgroup.id."+d, "")
	case "nctaid":
		p := w.call("ptr addrspace(4)", "llvm.amdgcn.implicitarg.ptr", "")
		return w.op("load i32, ptr addrspace(4) %s, align 4", w.op("getelementptr inbounds i8, ptr addrspace(4) %s, i64 %d", p, 4*(d[0]-'x')))
	}
	p := w.call("ptr addrspace(4)", "llvm.amdgcn.implicitarg.ptr", "")
	half := w.op("load i16, ptr addrspace(4) %s, align 2", w.op("getelementptr inbounds i8, ptr addrspace(4) %s, i64 %d", p, 12+2*(d[0]-'x')))
	return w.op("zext i16 %s to i32", half)
}

// element is the address of an element of a buffer.
func (w *writer) element(typ, base, index string) string {
	return w.op("getelementptr inbounds %s, %s %s, i64 %s", typ, w.pointer(), base, w.op("zext i32 %s to i64", index))
}

// pointer is the type of pointers to buffers.
func (w *writer) pointer() string {
	if w.d == AMDGPU {
		return "ptr addrspace(1)"
	}
	return "ptr"
}

// sharedElement is the address of an element of a shared array; odd arrays are
// addressed by generic pointers.
func (w *writer) sharedElement(array int32, index string) (address, space string) {
	if array%2 == 1 {
		at := w.op("zext i32 %s to i64", index)
		return w.op("getelementptr inbounds i32, ptr addrspacecast (ptr addrspace(3) @s%d to ptr), i64 %s", array, at), "ptr"
	}
	return w.op("getelementptr inbounds i32, ptr addrspace(3) @s%d, i32 %s", array, index), "ptr addrspace(3)"
}

func (w *writer) privateElement(index string) string {
	return w.op("getelementptr inbounds [%d x i32], ptr %%private, i64 0, i64 %s", privateSize, w.op("zext i32 %s to i64", index))
}

func (w *writer) modulo(v string, n int) string { return w.op("urem i32 %s, %d", v, n) }
