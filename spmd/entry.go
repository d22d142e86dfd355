package spmd

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/image"
)

// The places in the frame that an entry is given, in bytes.
const (
	frameParams = 0
	frameFirst  = 8
	frameLast   = 16
	frameGrid   = 24
	frameBlock  = 36
)

// entryWriter writes the entry: loops over groups, rows and items.
type entryWriter struct {
	l     *lowering
	lines []string
	n     int
}

func (w *entryWriter) op(format string, args ...any) string {
	w.n++
	name := fmt.Sprintf("%%v%d", w.n)
	w.lines = append(w.lines, "  "+name+" = "+fmt.Sprintf(format, args...))
	return name
}

func (w *entryWriter) do(format string, args ...any) {
	w.lines = append(w.lines, "  "+fmt.Sprintf(format, args...))
}

func (w *entryWriter) label(name string) { w.lines = append(w.lines, name+":") }

// load reads one of the frame's fields, which have natural alignment.
func (w *entryWriter) load(typ string, offset uint32, base string) string {
	_, align := (&sizes{}).of(typ)
	return w.loadAligned(typ, offset, uint32(align), base)
}

// loadAligned reads what no one writes while a kernel runs.
func (w *entryWriter) loadAligned(typ string, offset, align uint32, base string) string {
	p := base
	if offset > 0 {
		p = w.op("getelementptr inbounds i8, ptr %s, i64 %d", base, offset)
	}
	return w.op("load %s, ptr %s, align %d, !invariant.load !%d", typ, p, max(align, 1), w.l.empty())
}

// empty returns the number of the module's empty metadata node.
func (l *lowering) empty() int {
	if l.emptyNode == 0 {
		l.emptyNode = l.node("!{}")
	}
	return l.emptyNode
}

// addEntry adds the entry, which calls @kiln.lanes and @kiln.item as the form says.
func (l *lowering) addEntry(f form) {
	w := &entryWriter{l: l}
	w.label("entry")
	args := w.arguments()
	dim := func(fixed [3]uint32, offset uint32) (v [3]string) {
		for d := range v {
			if fixed[d] != 0 {
				v[d] = fmt.Sprint(fixed[d])
			} else {
				v[d] = w.load("i32", offset+4*uint32(d), "%frame")
			}
		}
		return v
	}
	grid := dim(l.opt.Grid, frameGrid)
	block := dim(l.opt.Block, frameBlock)
	first := w.load("i64", frameFirst, "%frame")
	last := w.load("i64", frameLast, "%frame")
	width, height := w.op("zext i32 %s to i64", grid[0]), w.op("zext i32 %s to i64", grid[1])
	row := w.op("udiv i64 %s, %s", first, width)
	x := w.op("trunc i64 %s to i32", w.op("urem i64 %s, %s", first, width))
	y := w.op("trunc i64 %s to i32", w.op("urem i64 %s, %s", row, height))
	z := w.op("trunc i64 %s to i32", w.op("udiv i64 %s, %s", row, height))
	w.do("br label %%groups")

	w.label("groups")
	w.do("%%g = phi i64 [ %s, %%entry ], [ %%g.next, %%group.end ]", first)
	w.do("%%gx = phi i32 [ %s, %%entry ], [ %%gx.next, %%group.end ]", x)
	w.do("%%gy = phi i32 [ %s, %%entry ], [ %%gy.next, %%group.end ]", y)
	w.do("%%gz = phi i32 [ %s, %%entry ], [ %%gz.next, %%group.end ]", z)
	w.do("%%more = icmp ult i64 %%g, %s", last)
	w.do("br i1 %%more, label %%group, label %%done")

	w.label("group")
	w.run(grid[0], last, f)
	ids := strings.Join([]string{"%tz", block[0], block[1], block[2], "%gi", "%gy", "%gz", grid[0], grid[1], grid[2]}, ", i32 ")
	across := func(from, exit string, body func(from, exit string)) {
		w.do("br label %%gi.head")
		w.label("gi.head")
		w.do("%%gi = phi i32 [ %%gx, %%%s ], [ %%gi.next, %%gi.end ]", from)
		w.do("br label %%gi.body")
		w.label("gi.body")
		body("gi.body", "gi.end")
		w.label("gi.end")
		w.do("%%gi.next = add nuw i32 %%gi, 1")
		w.do("%%gi.more = icmp ult i32 %%gi.next, %%gx.stop")
		w.do("br i1 %%gi.more, label %%gi.head, label %%%s, !llvm.loop !%d", exit, l.loopNode("llvm.loop.unroll.disable"))
	}
	if f.flat {
		rest := strings.Replace(ids, "%tz", "0", 1)
		size := fmt.Sprint(l.opt.Block[0] * l.opt.Block[1] * l.opt.Block[2])
		across("group", "group.end", func(from, exit string) { w.chunks(args, rest, "0", size, f.lanes, from, exit) })
	} else {
		w.loop("tz", block[2], "group", "group.end", func() {
			w.loop("ty", block[1], "tz", "tz.end", func() {
				across("ty.body", "ty.end", func(from, exit string) { w.row(args, ids, block[0], f, from, exit) })
			})
		})
	}

	w.label("group.end")
	w.do("%%x.wrap = icmp eq i32 %%gx.stop, %s", grid[0])
	w.do("%%gx.next = select i1 %%x.wrap, i32 0, i32 %%gx.stop")
	w.do("%%gy.inc = add nuw i32 %%gy, 1")
	w.do("%%gy.up = select i1 %%x.wrap, i32 %%gy.inc, i32 %%gy")
	w.do("%%y.wrap = icmp eq i32 %%gy.up, %s", grid[1])
	w.do("%%gy.next = select i1 %%y.wrap, i32 0, i32 %%gy.up")
	w.do("%%gz.inc = add i32 %%gz, 1")
	w.do("%%gz.next = select i1 %%y.wrap, i32 %%gz.inc, i32 %%gz")
	w.do("br label %%groups")
	w.label("done")
	w.do("ret i32 0")
	l.addFunction("define i32 "+globalName(l.kernel)+"(ptr noundef nonnull align 8 dereferenceable(80) %frame)"+entryAttributes, w.lines)
}

const entryAttributes = ` nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512"`

// localAlign is the alignment of each piece of shared memory that an argument
// asks for, in bytes. The launch gives them all in one block, in order.
const localAlign = 64

// arguments loads the kernel's arguments and returns them as a call's list.
func (w *entryWriter) arguments() string {
	base := w.load("ptr", frameParams, "%frame")
	var b strings.Builder
	local := ""
	for i, p := range w.l.fn.Params {
		at := w.l.opt.Params[i].Offset
		v := ""
		switch {
		case w.l.opt.Params[i].Kind == image.SharedPointer:
			if local == "" {
				local = w.load("ptr", frameShared, "%frame")
			}
			v = local
			size := w.loadAligned("i64", at, w.l.opt.Params[i].Align, base)
			whole := w.op("and i64 %s, %d", w.op("add i64 %s, %d", size, localAlign-1), -localAlign)
			local = w.op("getelementptr i8, ptr %s, i64 %s", local, whole)
		case w.l.pointed(i):
			v = w.op("getelementptr inbounds i8, ptr %s, i64 %d", base, at)
		default:
			v = w.loadAligned(p.Type, at, w.l.opt.Params[i].Align, base)
		}
		fmt.Fprintf(&b, "%s %s, ", p.Type, v)
	}
	return b.String()
}

// loop counts name from 0 to bound, which is not 0, and leaves to block exit.
// The code before it is in block from.
func (w *entryWriter) loop(name, bound, from, exit string, body func()) {
	w.do("br label %%%s.head", name)
	w.label(name + ".head")
	w.do("%%%s = phi i32 [ 0, %%%s ], [ %%%s.next, %%%s.end ]", name, fromBlock(from), name, name)
	w.do("br label %%%s", name+".body")
	w.label(name + ".body")
	body()
	w.label(name + ".end")
	w.do("%%%s.next = add nuw i32 %%%s, 1", name, name)
	w.do("%%%s.more = icmp ult i32 %%%s.next, %s", name, name, bound)
	w.do("br i1 %%%s.more, label %%%s.head, label %%%s, !llvm.loop !%d", name, name, exit, w.l.loopNode("llvm.loop.unroll.disable"))
}

func fromBlock(name string) string {
	if name == "group" {
		return name
	}
	return name + ".body"
}

// run finds where the run of groups that starts here ends, %gx.stop, and the
// number after its last, %g.next. Groups of a kernel without loops go row by
// row of items over as many groups as lie side by side, which is how memory
// is read ahead; those of one with loops go one after the other, which keeps
// what they share in the near caches.
func (w *entryWriter) run(width, last string, f form) {
	if !f.across {
		w.do("%%gx.stop = add nuw i32 %%gx, 1")
		w.do("%%g.next = add nuw i64 %%g, 1")
		return
	}
	left := w.op("sub nuw i64 %s, %%g", last)
	row := w.op("zext i32 %s to i64", w.op("sub nuw i32 %s, %%gx", width))
	less := w.op("icmp ult i64 %s, %s", left, row)
	n := w.op("select i1 %s, i64 %s, i64 %s", less, left, row)
	w.do("%%gx.stop = add nuw i32 %%gx, %s", w.op("trunc i64 %s to i32", n))
	w.do("%%g.next = add nuw i64 %%g, %s", n)
}

// row runs the items of one row.
func (w *entryWriter) row(args, ids, bound string, f form, from, exit string) {
	if f.fallback {
		rest := w.op("and i32 %s, %d", bound, f.lanes-1)
		whole := w.op("icmp eq i32 %s, 0", rest)
		w.do("br i1 %s, label %%wide, label %%narrow", whole)
		w.label("wide")
		w.chunks(args, ids, "%ty", bound, f.lanes, "wide", exit)
		w.label("narrow")
		from = "narrow"
	} else if f.lanes > 1 {
		w.chunks(args, ids, "%ty", bound, f.lanes, from, exit)
		return
	}
	w.do("br label %%tx.body")
	w.label("tx.body")
	w.do("%%tx = phi i32 [ 0, %%%s ], [ %%tx.next, %%tx.body ]", from)
	w.do("call void @kiln.item(%si32 %%tx, i32 %%ty, i32 %s)", args, ids)
	w.do("%%tx.next = add nuw i32 %%tx, 1")
	w.do("%%tx.more = icmp ult i32 %%tx.next, %s", bound)
	w.do("br i1 %%tx.more, label %%tx.body, label %%%s, !llvm.loop !%d", exit, w.l.loopNode("llvm.loop.unroll.disable"))
}

// chunks runs bound items, a multiple of the lanes, side by side.
func (w *entryWriter) chunks(args, ids, y, bound string, lanes int, from, exit string) {
	w.do("br label %%chunk")
	w.label("chunk")
	w.do("%%cx = phi i32 [ 0, %%%s ], [ %%cx.next, %%chunk ]", from)
	w.do("call void @kiln.lanes(%si32 %%cx, i32 %s, i32 %s)", args, y, ids)
	w.do("%%cx.next = add nuw i32 %%cx, %d", lanes)
	w.do("%%cx.more = icmp ult i32 %%cx.next, %s", bound)
	w.do("br i1 %%cx.more, label %%chunk, label %%%s, !llvm.loop !%d", exit, w.l.loopNode("llvm.loop.unroll.disable"))
}
