package spmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// suspend makes a collective into a place where the item waits until those it
// meets have come, and then takes its result.
func (w *coroutineWriter) suspend(in *irtext.Instr, c collective) {
	w.sites++
	index := slices.Index(in.Block.Instrs, in)
	args := make([]string, 3)
	for i, a := range in.Args {
		args[i] = w.value(a)
	}
	value, lane, items, tag := "0", "0", "0", "0"
	switch c.kind {
	case atBarrier:
		tag, items = w.op("zext i32 %s to i64", args[0]), args[1]
		if len(in.Args) > 2 {
			value = w.op("zext i32 %s to i64", args[2])
		}
	case inWarp:
		tag = args[0]
		if len(in.Args) > 1 {
			value = w.extended(in.Args[1].Type, args[1], c.op)
		}
		if len(in.Args) > 2 {
			lane = args[2]
		}
	case atSite:
		tag = fmt.Sprint(w.order[in.Block.Index]<<16 + index)
	}
	w.do("call void @kiln.wait(ptr %%kiln.slot, i32 %d, i32 %d, i32 %s, i32 %s, i64 %s, i64 %s)", c.kind, c.op, lane, items, tag, value)
	w.leave(resumed(in.Block.Index, index))
	if in.Name == "" {
		return
	}
	if c.result == "i64" {
		w.do("%s = call i64 @kiln.result(ptr %%kiln.slot)", w.name(in.Name))
		return
	}
	got := w.op("call i64 @kiln.result(ptr %%kiln.slot)")
	w.do("%s = trunc i64 %s to %s", w.name(in.Name), got, c.result)
}

// leave suspends the item and has it go on in the block.
func (w *coroutineWriter) leave(next string) {
	how := w.op("call i8 @llvm.coro.suspend(token none, i1 false)")
	w.do("switch i8 %s, label %%kiln.gone [ i8 0, label %s ]", how, next)
	w.lines = append(w.lines, next[1:]+":")
}

// extended is a value as an i64 that orders as the operation does.
func (w *coroutineWriter) extended(typ, value string, op combination) string {
	switch {
	case typ == "i64":
		return value
	case op == smallest || op == greatest:
		return w.op("sext %s %s to i64", typ, value)
	}
	return w.op("zext %s %s to i64", typ, value)
}

// addCoroutineEntry adds the entry: for each group it starts the items, each of
// which runs until it waits or has returned, and has the scheduler do the rest.
func (l *lowering) addCoroutineEntry() {
	w := &entryWriter{l: l}
	w.label("entry")
	args := w.arguments()
	size := func(fixed [3]uint32, offset uint32) (v [3]string) {
		for d := range v {
			if v[d] = fmt.Sprint(fixed[d]); fixed[d] == 0 {
				v[d] = w.load("i32", offset+4*uint32(d), "%frame")
			}
		}
		return v
	}
	grid, block := size(l.opt.Grid, frameGrid), size(l.opt.Block, frameBlock)
	first, last := w.load("i64", frameFirst, "%frame"), w.load("i64", frameLast, "%frame")
	dynamic, context := w.load("ptr", frameShared, "%frame"), w.load("ptr", frameContext, "%frame")
	width, height := w.op("zext i32 %s to i64", grid[0]), w.op("zext i32 %s to i64", grid[1])
	n := w.op("mul i32 %s, %s", w.op("mul i32 %s, %s", block[0], block[1]), block[2])
	slots := w.op("getelementptr inbounds i8, ptr %s, i64 %d", context, aligned(l.shared.bytes, frameAlign))
	room := w.op("mul nuw i64 %s, %d", w.op("zext i32 %s to i64", n), slotBytes)
	frames := w.op("getelementptr inbounds i8, ptr %s, i64 %s", slots, w.op("and i64 %s, %d", w.op("add nuw i64 %s, %d", room, frameAlign-1), -frameAlign))
	w.do("%%fits = icmp ule i32 %s, %d", n, l.mostItems())
	w.do("br i1 %%fits, label %%groups, label %%full")

	w.label("groups")
	w.do("%%g = phi i64 [ %s, %%entry ], [ %%g.next, %%group.end ]", first)
	w.do("%%more = icmp ult i64 %%g, %s", last)
	w.do("br i1 %%more, label %%group, label %%done")
	w.label("group")
	row := w.op("udiv i64 %%g, %s", width)
	x := w.op("trunc i64 %s to i32", w.op("urem i64 %%g, %s", width))
	y := w.op("trunc i64 %s to i32", w.op("urem i64 %s, %s", row, height))
	z := w.op("trunc i64 %s to i32", w.op("udiv i64 %s, %s", row, height))
	ids := strings.Join([]string{"%tx", "%ty", "%tz", block[0], block[1], block[2], x, y, z, grid[0], grid[1], grid[2]}, ", i32 ")
	w.loop("tz", block[2], "group", "started", func() {
		w.loop("ty", block[1], "tz", "tz.end", func() {
			w.loop("tx", block[0], "ty", "ty.end", func() {
				plane := w.op("add i32 %s, %%ty", w.op("mul i32 %%tz, %s", block[1]))
				number := w.op("add i32 %s, %%tx", w.op("mul i32 %s, %s", plane, block[0]))
				slot := w.op("call ptr @kiln.at(ptr %s, i32 %s)", slots, number)
				w.do("call void @kiln.coroutine(%si32 %s, ptr %s, ptr %s, ptr %s, ptr %s, i32 %s)", args, ids, context, dynamic, slot, frames, number)
				w.do("br label %%tx.end")
			})
		})
	})
	w.label("started")
	w.do("%%well = call i1 @kiln.schedule(ptr %s, i32 %s, i32 %d)", slots, n, l.warp)
	w.do("br i1 %%well, label %%group.end, label %%stuck")
	w.label("group.end")
	w.do("%%g.next = add nuw i64 %%g, 1")
	w.do("br label %%groups")
	for _, end := range []struct {
		label string
		code  image.Status
	}{{"done", 0}, {"stuck", StatusStuck}, {"full", StatusBlock}} {
		w.label(end.label)
		w.do("ret i32 %d", int32(end.code))
	}
	l.addFunction("define i32 "+globalName(l.kernel)+"(ptr noundef nonnull align 8 dereferenceable(80) %frame)"+entryAttributes, w.lines)
}

// mostItems is how many work-items the context memory has room for.
func (l *lowering) mostItems() int64 {
	n := int64(1)
	for _, d := range l.opt.Block {
		if d == 0 {
			return maxItems
		}
		n *= int64(d)
	}
	return n
}

// splitCoroutine has LLVM take the coroutine apart and returns the context
// memory that a group needs, in bytes.
func (l *lowering) splitCoroutine(m *llvm.Module, opt *Options) (uint64, error) {
	if err := m.RunPasses("coro-early,cgscc(coro-split),coro-cleanup,function(simplifycfg)", opt.Machine, llvm.PassOptions{}); err != nil {
		return 0, fmt.Errorf("lowering kernel %s: splitting the coroutine: %w", l.kernel, err)
	}
	marker := capi.GetNamedFunction(m.Ref(), coroutineSize[1:])
	var bytes int64
	for use := capi.GetFirstUse(marker); use != 0; use = capi.GetFirstUse(marker) {
		call := capi.GetUser(use)
		size := capi.GetOperand(call, 0)
		if capi.IsAConstantInt(size) == 0 {
			return 0, fmt.Errorf("lowering kernel %s: LLVM leaves the size of the coroutine's frame open", l.kernel)
		}
		bytes = max(bytes, int64(capi.ConstIntGetZExtValue(size)))
		capi.InstructionEraseFromParent(call)
	}
	capi.DeleteFunction(marker)
	n := l.mostItems()
	return uint64(aligned(l.shared.bytes, frameAlign) + aligned(n*slotBytes, frameAlign) + n*aligned(bytes, frameAlign)), nil
}
