package spmd

import (
	"fmt"
	"slices"
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
	shared  sharedLayout
	// warp is how many lanes a warp of the device has.
	warp    int
	remarks []string
	// contextBytes is the memory that a group needs beside a worker's stack.
	contextBytes int64

	nextNode  int
	emptyNode int
	flags     map[string]int
}

func (l *lowering) run() {
	l.dropIDs()
	l.dropMarkers()
	f := l.chooseForm()
	f.across = l.loopFree()
	if f.lanes > 1 {
		count, err := l.addLanes(f)
		if err == nil {
			l.remark("lanes: %s", count)
			if f.fallback {
				l.addItem(" noinline optsize")
				l.remark("items: one after the other where a block's width is no multiple of %d", f.lanes)
			}
			l.addEntry(f)
			return
		}
		f = form{lanes: 1, across: f.across, why: err.Error()}
	}
	l.addItem(" alwaysinline")
	l.remark("items: one after the other, for %s", f.why)
	l.addEntry(f)
}

// dropMarkers drops what inlining has said of the life of private arrays: they
// share their memory with those of other lanes, which LLVM takes no such word for.
func (l *lowering) dropMarkers() {
	for _, b := range l.fn.Blocks {
		b.Instrs = slices.DeleteFunc(b.Instrs, func(in *irtext.Instr) bool { return in.Op == "call" && ignored(in.Callee) })
	}
}

// loopFree reports whether every block comes after those that lead to it.
func (l *lowering) loopFree() bool {
	g := graph{succs: make([][]int, len(l.fn.Blocks))}
	for i, b := range l.fn.Blocks {
		for _, s := range b.Succs {
			g.succs[i] = append(g.succs[i], s.Index)
		}
	}
	number := make([]int, len(g.succs))
	order := g.reversePostOrder()
	for i, b := range order {
		number[b] = i
	}
	for _, b := range order {
		for _, s := range g.succs[b] {
			if number[s] <= number[b] {
				return false
			}
		}
	}
	return true
}

// form is how a kernel's work-items are run.
type form struct {
	// lanes is how many items go side by side, 1 for none.
	lanes int
	// flat tells that items are taken in the order of their numbers in the
	// group, not row by row.
	flat bool
	// fallback tells that the entry asks whether rows are a multiple of the lanes.
	fallback bool
	// across tells that rows of items run on over neighbouring groups.
	across bool
	why    string
}

func (l *lowering) chooseForm() form {
	block := l.opt.Block
	want := l.opt.Lanes
	if want == 1 {
		return form{lanes: 1, why: "that was asked for"}
	}
	if block[0] == 0 {
		if want == 0 {
			want = 16
		}
		return form{lanes: want, fallback: true}
	}
	choices := []int{32, 16, 8, 4}
	if want > 1 {
		choices = []int{want}
	}
	total := int(block[0]) * max(int(block[1]), 1) * max(int(block[2]), 1)
	fixed := block[1] != 0 && block[2] != 0
	for _, n := range choices {
		if int(block[0])%n == 0 && n >= 8 {
			return form{lanes: n}
		}
	}
	for _, n := range choices {
		if fixed && n <= 16 && total%n == 0 {
			return form{lanes: n, flat: true}
		}
	}
	return form{lanes: 1, why: fmt.Sprintf("a block of %d by %d by %d fills no vector", block[0], block[1], block[2])}
}

// addLanes adds the function that runs items side by side and says what it
// is made of. Nothing is added where it returns an error.
func (l *lowering) addLanes(f form) (string, error) {
	g, err := newGraph(l.fn)
	if err != nil {
		return "", err
	}
	waits := newWaiting(g)
	for i, p := range l.fn.Params {
		if l.byValue[i] && l.written(p.Name) {
			return "", refuse("it writes to a struct given by value")
		}
	}
	for _, b := range l.fn.Blocks {
		for _, in := range b.Instrs {
			if waits.at(in) {
				return "", refuse("it may wait in a loop for another item")
			}
		}
	}
	s := &shapes{g: g, sizes: newSizes(l.module), lanes: int64(f.lanes), flat: f.flat, pure: l.pureCall}
	if s.private, err = privateArrays(l.fn, s.sizes, s.lanes, maxPrivate); err != nil {
		return "", err
	}
	s.solve()
	declares := len(l.module.Declares)
	w := &laneWriter{l: l, g: g, s: s, p: newPlan(g, s), lanes: f.lanes}
	for d := range w.block {
		w.block[d] = fmt.Sprint(l.opt.Block[d])
	}
	w.function()
	if w.err != nil {
		l.module.Declares = l.module.Declares[:declares]
		return "", w.err
	}
	body := append([]string{"kiln.start:"}, w.allocas...)
	l.addFunction("define internal void @kiln.lanes("+l.params()+") nounwind alwaysinline", append(body, w.lines...))
	text := fmt.Sprintf("%d side by side; %s", f.lanes, w.count)
	if f.flat {
		text += "; rows joined"
	}
	return text, nil
}

// usedNames are the values that are operands of the kernel's instructions.
func (l *lowering) usedNames() map[string]bool {
	used := map[string]bool{}
	for _, b := range l.fn.Blocks {
		for _, in := range b.Instrs {
			for _, a := range in.Args {
				used[a.Text] = true
			}
		}
	}
	return used
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
