package spmd

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// lowering makes one kernel's function into the entry.
type lowering struct {
	module  *irtext.Module
	kernel  string
	opt     *Options
	fn      *irtext.Function
	byValue map[int]bool
	remarks []string

	nextNode  int
	emptyNode int
	flags     map[string]int
}

func (l *lowering) run() {
	l.dropIDs()
	l.addItem(" alwaysinline")
	l.remark("items: one after the other")
	l.addEntry(1)
}

func (l *lowering) remark(format string, args ...any) {
	l.remarks = append(l.remarks, "kernel "+l.kernel+": "+fmt.Sprintf(format, args...))
}

func (l *lowering) addFunction(header string, body []string) {
	l.module.Defines = append(l.module.Defines, irtext.Entity{Line: header, Body: body})
}

// declare adds a declaration, once.
func (l *lowering) declare(name, line string) {
	for _, d := range l.module.Declares {
		if d.Name == name {
			return
		}
	}
	l.module.Declares = append(l.module.Declares, irtext.Entity{Name: name, Line: line})
}

// dropIDs removes the declarations of the ids: lowering replaces their calls.
func (l *lowering) dropIDs() {
	keep := l.module.Declares[:0]
	for _, d := range l.module.Declares {
		if _, _, ok := idOf(d.Name); !ok {
			keep = append(keep, d)
		}
	}
	l.module.Declares = keep
}

// idParams are the parameters that both forms take after the kernel's own.
const idParams = "i32 %kiln.tid.x, i32 %kiln.tid.y, i32 %kiln.tid.z, " +
	"i32 %kiln.ntid.x, i32 %kiln.ntid.y, i32 %kiln.ntid.z, " +
	"i32 %kiln.ctaid.x, i32 %kiln.ctaid.y, i32 %kiln.ctaid.z, " +
	"i32 %kiln.nctaid.x, i32 %kiln.nctaid.y, i32 %kiln.nctaid.z"

// params spells the kernel's parameters, without attributes: what they promise
// of one item need not hold for the launch's struct.
func (l *lowering) params() string {
	var b strings.Builder
	for _, p := range l.fn.Params {
		fmt.Fprintf(&b, "%s %s, ", p.Type, p.Name)
	}
	return b.String() + idParams
}

// addItem adds the function that runs one work-item.
func (l *lowering) addItem(attributes string) {
	names := map[string]string{}
	for i, p := range l.fn.Params {
		if l.byValue[i] && l.written(p.Name) {
			names[p.Name] = fmt.Sprintf("%%kiln.copy.%d", i)
		}
	}
	rename := func(name string) string {
		if to, ok := names[name]; ok {
			return to
		}
		return name
	}
	for _, b := range l.fn.Blocks {
		for _, in := range b.Instrs {
			if _, _, ok := idOf(in.Callee); ok {
				names[in.Name] = "%" + in.Callee[1:]
			}
		}
	}
	var body []string
	for i, b := range l.fn.Blocks {
		body = append(body, b.Name[1:]+":")
		if i == 0 {
			body = append(body, l.copies(names)...)
		}
		for _, in := range b.Instrs {
			if _, _, ok := idOf(in.Callee); ok {
				continue
			}
			text := in.Rewrite(rename) + irtext.Join(in.Meta)
			if in.Name != "" {
				text = in.Name + " = " + text
			}
			body = append(body, "  "+text)
		}
	}
	l.addFunction("define internal void @kiln.item("+l.params()+") nounwind"+attributes, body)
}

// copies makes an item's own copy of each struct by value that it writes.
func (l *lowering) copies(names map[string]string) []string {
	var lines []string
	for i, p := range l.fn.Params {
		to, ok := names[p.Name]
		if !ok {
			continue
		}
		size, align := l.opt.Params[i].Size, max(l.opt.Params[i].Align, 1)
		lines = append(lines, fmt.Sprintf("  %s = alloca [%d x i8], align %d", to, size, align))
		lines = append(lines, fmt.Sprintf("  call void @llvm.memcpy.p0.p0.i64(ptr align %d %s, ptr align %d %s, i64 %d, i1 false)",
			align, to, align, p.Name, size))
		l.declare("@llvm.memcpy.p0.p0.i64", "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)")
	}
	return lines
}

// written reports whether memory at a pointer parameter may be written, or the
// pointer kept, by following it through address arithmetic.
func (l *lowering) written(param string) bool {
	derived := map[string]bool{param: true}
	for _, b := range l.fn.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if !derived[a.Text] {
					continue
				}
				switch {
				case in.Op == "load" || in.Op == "icmp":
				case in.Op == "getelementptr" && i == 0:
					derived[in.Name] = true
				case in.Op == "call" && i == 1 && strings.HasPrefix(in.Callee, "@llvm.memcpy."):
				default:
					return true
				}
			}
		}
	}
	return false
}

// pointed reports whether parameter i is passed as the address of its place in
// the parameter block.
func (l *lowering) pointed(i int) bool {
	_, by := l.byValue[i]
	return by || l.opt.Params[i].Kind == image.Aggregate && l.fn.Params[i].Type == "ptr"
}
