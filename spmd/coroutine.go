package spmd

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// The coroutine form: each work-item of a group is a coroutine that suspends
// wherever it meets others, and a scheduler resumes those that have met. It
// takes every shape of control flow and is slow: it is what other forms are
// held against, and for kernels that they do not take.

// scheduler is what runs a group's coroutines.
//
//go:embed scheduler.ll
var scheduler string

// The codes with which a kernel's entry ends a launch.
const (
	// StatusStuck is for a group whose work-items wait for each other forever:
	// some are at one barrier or warp operation, others at another.
	StatusStuck = image.Stuck
	// StatusBlock is for a block of more work-items than the context memory,
	// Result.ContextBytes, has room for.
	StatusBlock = image.BlockTooLarge
)

// maxItems is how many work-items a group has room for where the block is not fixed.
const maxItems = 1024

// frameAlign is the alignment of each item's frame and of all else in the
// context memory, in bytes; slotBytes is the size of %kiln.slot.
const (
	frameAlign = 64
	slotBytes  = 48
)

// The places in the launch's frame that only groups with shared memory read.
const (
	frameShared  = 48
	frameContext = 64
)

const coroutineParams = ", ptr %kiln.static, ptr %kiln.dynamic, ptr %kiln.slot, ptr %kiln.frames, i32 %kiln.number"

// coroutineSize is called with the size of a coroutine's frame, once LLVM knows it.
const coroutineSize = "@kiln.coroutine.bytes"

func aligned(n, to int64) int64 { return (n + to - 1) / to * to }

// runCoroutine makes the kernel's function into a coroutine and adds the entry.
func (l *lowering) runCoroutine(llvmMajor int) error {
	coroEnd := "void"
	if llvmMajor < 22 {
		coroEnd = "i1"
	}
	s, err := irtext.ParseModule(scheduler)
	if err != nil {
		return fmt.Errorf("reading the scheduler: %w", err)
	}
	l.module.Types = append(l.module.Types, s.Types...)
	l.module.Defines = append(l.module.Defines, s.Defines...)
	for _, d := range s.Declares {
		l.declare(d.Name, d.Line)
	}
	for name, line := range map[string]string{
		"@llvm.coro.id":       "token @llvm.coro.id(i32, ptr, ptr, ptr)",
		"@llvm.coro.size.i64": "i64 @llvm.coro.size.i64()",
		"@llvm.coro.begin":    "ptr @llvm.coro.begin(token, ptr)",
		"@llvm.coro.suspend":  "i8 @llvm.coro.suspend(token, i1)",
		"@llvm.coro.end":      coroEnd + " @llvm.coro.end(ptr, i1, token)",
		coroutineSize:         "void " + coroutineSize + "(i64)",
	} {
		l.declare(name, "declare "+line)
	}
	w := &coroutineWriter{l: l, end: coroEnd}
	if err := w.function(); err != nil {
		return err
	}
	l.dropCollectives()
	l.addCoroutineEntry()
	l.remark("coroutines: %d places where items of a group wait for others", w.sites)
	return nil
}

// dropCollectives removes the declarations of what the coroutine replaces.
func (l *lowering) dropCollectives() {
	keep := l.module.Declares[:0]
	for _, d := range l.module.Declares {
		_, meets := collectives()[d.Name]
		if !meets && !strings.HasPrefix(d.Name, sharedPrefix) {
			keep = append(keep, d)
		}
	}
	l.module.Declares = keep
}

// coroutineWriter writes the coroutine of one item.
type coroutineWriter struct {
	l     *lowering
	lines []string
	end   string // the type of what llvm.coro.end returns
	sites int
	n     int
	// order are the blocks' places in an order that has each after those that
	// lead to it but by a back edge, and loops whole.
	order []int
	// turns are the blocks at whose end an item that waits in a loop for what
	// another writes gives way.
	turns map[int]bool
	// tails names the block in which a block of the source ends.
	tails map[string]string
	// names are values that have another name than their own.
	names map[string]string
}

func (w *coroutineWriter) do(format string, args ...any) {
	w.lines = append(w.lines, "  "+fmt.Sprintf(format, args...))
}

func (w *coroutineWriter) op(format string, args ...any) string {
	w.n++
	name := fmt.Sprintf("%%kiln.t%d", w.n)
	w.do("%s = %s", name, fmt.Sprintf(format, args...))
	return name
}

// name gives a local value or block its name in the coroutine, none of which is
// a bare number: numbers must ascend in the text.
func (w *coroutineWriter) name(s string) string {
	if to, ok := w.names[s]; ok {
		return to
	}
	return own(s, "")
}

func (w *coroutineWriter) value(o irtext.Operand) string {
	if o.Local() {
		return w.name(o.Text)
	}
	return o.Text
}

func (w *coroutineWriter) function() error {
	l := w.l
	w.names, w.tails = map[string]string{}, map[string]string{}
	copies := map[string]string{}
	var header strings.Builder
	for i, p := range l.fn.Params {
		fmt.Fprintf(&header, "%s %s, ", p.Type, p.Name)
		w.names[p.Name] = p.Name
		if l.byValue[i] && l.written(p.Name) {
			copies[p.Name] = fmt.Sprintf("%%kiln.copy.%d", i)
			w.names[p.Name] = copies[p.Name]
		}
	}
	w.findTails()
	entry := l.fn.Blocks[0]
	for _, b := range l.fn.Blocks {
		for _, in := range b.Instrs {
			if _, _, ok := idOf(in.Callee); ok {
				w.names[in.Name] = "%" + in.Callee[1:]
			}
			if in.Callee == sharedDynamic {
				w.names[in.Name] = "%kiln.dynamic"
			}
			if in.Op == "alloca" && b != entry {
				return fmt.Errorf("kernel %s: memory allocated in a block that may run again: %w", l.kernel, ErrUnsupported)
			}
		}
	}
	w.lines = append(w.lines, "kiln.begin:")
	for _, in := range entry.Instrs {
		if in.Op == "alloca" {
			w.instruction(in)
		}
	}
	w.lines = append(w.lines, l.copies(copies)...)
	w.begin()
	for i, b := range l.fn.Blocks {
		if i > 0 {
			w.lines = append(w.lines, w.name(b.Name)[1:]+":")
		}
		for _, in := range b.Instrs {
			if in == b.Terminator() && w.turns[i] {
				w.leave(resumed(i, len(b.Instrs)-1))
			}
			if in.Op != "alloca" {
				w.instruction(in)
			}
		}
	}
	w.lines = append(w.lines, "kiln.gone:")
	result := ""
	if w.end != "void" {
		result = "%kiln.ended = "
	}
	w.do("%scall %s @llvm.coro.end(ptr %%kiln.handle, i1 false, token none)", result, w.end)
	w.do("ret void")
	l.addFunction("define internal void @kiln.coroutine("+header.String()+idParams+coroutineParams+") presplitcoroutine nounwind", w.lines)
	return nil
}

// begin puts the frame into its place in the context memory.
func (w *coroutineWriter) begin() {
	w.do("%%kiln.id = call token @llvm.coro.id(i32 %d, ptr null, ptr null, ptr null)", frameAlign)
	size := w.op("call i64 @llvm.coro.size.i64()")
	w.do("call void %s(i64 %s)", coroutineSize, size)
	whole := w.op("and i64 %s, %d", w.op("add i64 %s, %d", size, frameAlign-1), -frameAlign)
	offset := w.op("mul i64 %s, %s", whole, w.op("zext i32 %%kiln.number to i64"))
	frame := w.op("getelementptr i8, ptr %%kiln.frames, i64 %s", offset)
	w.do("%%kiln.handle = call ptr @llvm.coro.begin(token %%kiln.id, ptr %s)", frame)
	place := w.op("getelementptr inbounds %%kiln.slot, ptr %%kiln.slot, i64 0, i32 7")
	w.do("store ptr %%kiln.handle, ptr %s", place)
	w.do("store i32 0, ptr %%kiln.slot")
}

// findTails finds the blocks' order, where items give way, and the blocks in
// which those of the source end.
func (w *coroutineWriter) findTails() {
	w.order, w.turns = make([]int, len(w.l.fn.Blocks)), map[int]bool{}
	for i := range w.order {
		w.order[i] = i
	}
	if g, err := newGraph(w.l.fn); err == nil {
		copy(w.order, g.pos)
		waits := newWaiting(g)
		for _, b := range w.l.fn.Blocks {
			for _, in := range b.Instrs {
				for l := g.loopOf[b.Index]; l != nil && waits.at(in); l = l.parent {
					w.turns[l.latch] = true
				}
			}
		}
	}
	for _, b := range w.l.fn.Blocks {
		w.tails[b.Name] = w.name(b.Name)
		if b.Index == 0 {
			w.tails[b.Name] = "%kiln.begin"
		}
		for i, in := range b.Instrs {
			if collectives()[in.Callee].kind != noMeeting && in.Op == "call" {
				w.tails[b.Name] = resumed(b.Index, i)
			}
		}
		if w.turns[b.Index] {
			w.tails[b.Name] = resumed(b.Index, len(b.Instrs)-1)
		}
	}
}

func resumed(block, instruction int) string {
	return fmt.Sprintf("%%kiln.after.%d.%d", block, instruction)
}

func (w *coroutineWriter) instruction(in *irtext.Instr) {
	if _, _, ok := idOf(in.Callee); ok {
		return
	}
	if strings.HasPrefix(in.Callee, sharedPrefix) {
		w.shared(in)
		return
	}
	if c := collectives()[in.Callee]; c.kind != noMeeting && in.Op == "call" {
		w.suspend(in, c)
		return
	}
	rename := w.name
	switch in.Op {
	case "ret":
		w.do("store i32 4, ptr %%kiln.slot")
		w.do("br label %%kiln.gone")
		return
	case "phi":
		rename = func(s string) string {
			if tail, ok := w.tails[s]; ok {
				return tail
			}
			return w.name(s)
		}
	}
	text := in.Rewrite(rename) + irtext.Join(in.Meta)
	if in.Name != "" {
		text = w.name(in.Name) + " = " + text
	}
	w.do("%s", text)
}

// shared is the address of a variable of the group.
func (w *coroutineWriter) shared(in *irtext.Instr) {
	for i, v := range w.l.shared.vars {
		if in.Callee == sharedName(i) {
			w.do("%s = getelementptr inbounds i8, ptr %%kiln.static, i64 %d", w.name(in.Name), v.offset)
		}
	}
}
