package spmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// regionWriter writes a region as a function that runs one chunk of items,
// and the arguments with which the group calls it.
type regionWriter struct {
	g    *groupWriter
	r    *region
	k    int
	name string
	// params are the function's parameters after the ids, args what the group
	// passes for them.
	params, args []string
	given        map[string]bool
	// checks tells that the region may find that items do not meet.
	checks bool
	count  accessCount
	waits  []bool
}

// take gives the region a parameter, once.
func (w *regionWriter) take(param, arg string) {
	if !w.given[param] {
		w.given[param] = true
		w.params, w.args = append(w.params, param), append(w.args, arg)
	}
}

// write adds the region's function.
func (w *regionWriter) write() error {
	c, l := w.g.c, w.g.l
	f := w.g.f
	s := &shapes{g: w.r.g, sizes: c.lanes.sizes, lanes: int64(f.lanes), flat: f.flat, partial: f.masked, pure: l.pureCall, inputs: map[string]shape{}}
	for i, in := range w.r.inputs {
		sh := c.lanes.of[in.name]
		if !in.array && in.slot.kind == perGroup && sh.kind != uniform {
			sh = isUniform
		}
		s.inputs[inPrefix+strconv.Itoa(i)] = sh
	}
	s.solve()
	lw := &laneWriter{l: l, g: w.r.g, s: s, p: newPlan(w.r.g, s), lanes: f.lanes, region: w}
	for d := range lw.block {
		lw.block[d] = "%kiln.ntid." + "xyz"[d:d+1]
	}
	w.params = []string{"i64 %kiln.chunk"}
	w.args = []string{"i64 %" + w.name + ".chunk"}
	if c.masked {
		lw.live = "%kiln.live"
		w.take(lw.wide("i1")+" %kiln.live", lw.wide("i1")+" %"+w.name+".live")
		w.take("ptr noalias %kiln.left", "ptr %"+w.name+".left")
	}
	w.findWaits(lw)
	fn := lw.fnOf(w.r.fn)
	lw.function()
	lw.l.fn = fn
	if lw.err != nil {
		return lw.err
	}
	w.count = lw.count
	body := append([]string{"kiln.start:"}, lw.allocas...)
	l.addFunction("define internal void @"+w.name+"("+l.params()+", "+strings.Join(w.params, ", ")+") nounwind alwaysinline", append(body, lw.lines...))
	return nil
}

// fnOf has the writer look into another function than the kernel's own, which
// it returns.
func (w *laneWriter) fnOf(fn *irtext.Function) *irtext.Function {
	old := w.l.fn
	w.l.fn = fn
	return old
}

// call writes what is no call in a region: its inputs and outputs, memory of
// the group and what items do together. It reports false for any other.
func (w *regionWriter) call(lw *laneWriter, in *irtext.Instr) bool {
	switch {
	case strings.HasPrefix(in.Callee, inPrefix):
		i, _ := strconv.Atoi(in.Callee[len(inPrefix):])
		lw.alias[in.Name] = w.input(lw, i)
	case strings.HasPrefix(in.Callee, outPrefix):
		to, _ := strconv.Atoi(in.Callee[len(outPrefix):])
		w.leave(lw, w.r.exits[slices.IndexFunc(w.r.exits, func(e *exit) bool { return e.to == to })], in)
	case in.Callee == sharedDynamic:
		w.take("ptr %kiln.dynamic", "ptr %kiln.dynamic")
		lw.alias[in.Name] = "%kiln.dynamic"
	case strings.HasPrefix(in.Callee, sharedPrefix):
		w.take("ptr noalias %kiln.static", "ptr %kiln.static")
		n, _ := strconv.Atoi(in.Callee[len(sharedPrefix):])
		lw.alias[in.Name] = lw.op("getelementptr inbounds i8, ptr %%kiln.static, i64 %d", w.g.l.shared.vars[n].offset)
	case collectives()[in.Callee].kind != noMeeting:
		w.together(lw, in)
	default:
		return false
	}
	return true
}

// input reads input i.
func (w *regionWriter) input(lw *laneWriter, i int) string {
	in := w.r.inputs[i]
	if in.array {
		p := w.g.c.private[in.name]
		bytes := p.bytes * int64(lw.lanes)
		if !w.g.c.repeated[in.name] {
			name := fmt.Sprintf("%%kiln.array.%d", i)
			lw.allocas = append(lw.allocas, fmt.Sprintf("  %s = alloca [%d x i8], align 64", name, bytes))
			return name
		}
		base := w.g.arrayName(in.name)
		w.take("ptr noalias "+base, "ptr "+base)
		return lw.op("getelementptr inbounds [%d x i8], ptr %s, i64 %%kiln.chunk", bytes, base)
	}
	if in.slot.kind == perGroup {
		name := fmt.Sprintf("%%kiln.in.%d", i)
		w.take(in.slot.typ+" "+name, fmt.Sprintf("%s %%%s.in.%d", in.slot.typ, w.name, in.slot.id))
		return name
	}
	typ, at := w.place(lw, in.slot)
	if in.slot.typ == "i1" {
		bit, byte := "i1", "i8"
		if in.slot.kind == perLane {
			bit, byte = lw.wide("i1"), lw.wide("i8")
		}
		return lw.op("trunc %s %s to %s", byte, lw.op("load %s, ptr %s, align %d", typ, at, w.g.rowAlign(in.slot)), bit)
	}
	return lw.op("load %s, ptr %s, align %d", typ, at, w.g.rowAlign(in.slot))
}

// place returns where the chunk's values of a slot lie.
func (w *regionWriter) place(lw *laneWriter, s *slot) (typ, at string) {
	if s.kind == perLane && !simple(s.typ) {
		lw.fail("it keeps values of type %s over a barrier", s.typ)
	}
	typ = w.g.rowType(s)
	base := fmt.Sprintf("%%kiln.slot.%d", s.id)
	w.take("ptr noalias "+base, "ptr "+base)
	return typ, lw.op("getelementptr inbounds %s, ptr %s, i64 %%kiln.chunk", typ, base)
}

// leave writes what the region leaves behind for another.
func (w *regionWriter) leave(lw *laneWriter, e *exit, in *irtext.Instr) {
	w.take("ptr noalias %kiln.next", "ptr %kiln.next")
	lw.do("store i32 %d, ptr %%kiln.next", e.to)
	if w.g.c.masked {
		lw.do("store i64 %s, ptr %%kiln.left", lw.bits(lw.mask(lw.at)))
	}
	args := in.Args
	if e.barrier != nil && len(e.barrier.Args) > 2 {
		sum := w.reduced(lw, args[0], collectives()[e.barrier.Callee].op)
		name := fmt.Sprintf("%%kiln.sum.%d", e.to)
		w.take("ptr noalias "+name, "ptr "+name)
		op := map[combination]string{sumUp: "add", andAll: "and", orAll: "or"}[collectives()[e.barrier.Callee].op]
		lw.do("store i32 %s, ptr %s", lw.op("%s i32 %s, %s", op, lw.op("load i32, ptr %s", name), sum), name)
		args = args[1:]
	}
	for i, o := range e.outs {
		v, sh := args[i], lw.s.at(args[i])
		switch {
		case o.slot.kind == perGroup && sh.kind == uniform:
			name := fmt.Sprintf("%%kiln.out.%d", o.slot.id)
			w.take("ptr noalias "+name, "ptr "+name)
			lw.do("store %s %s, ptr %s", o.slot.typ, lw.scalar(v), name)
		case o.slot.kind == perLane:
			value := lw.vector(v)
			typ, at := w.place(lw, o.slot)
			if o.slot.typ == "i1" {
				value = lw.op("zext %s %s to %s", lw.wide("i1"), value, typ)
			}
			lw.do("store %s %s, ptr %s, align %d", typ, value, at, w.g.rowAlign(o.slot))
		case o.slot.kind == perChunk && sh.kind == o.slot.of.kind && sh.stride == o.slot.of.stride:
			value := lw.scalar(v)
			typ, at := w.place(lw, o.slot)
			if o.slot.typ == "i1" {
				value = lw.op("zext i1 %s to i8", value)
			}
			lw.do("store %s %s, ptr %s, align %d", typ, value, at, w.g.rowAlign(o.slot))
		default:
			lw.fail("it keeps a value over a barrier whose lanes differ in other ways than before")
		}
	}
}

// neutral is what changes nothing in a combination of 32-bit numbers.
var neutral = [...]string{
	sumUp: "0", andAll: "-1", orAll: "0", xorAll: "0", smallest: "2147483647", greatest: "-2147483648", lowest: "-1", highest: "0",
}

var reduceNames = [...]string{
	sumUp: "add", andAll: "and", orAll: "or", xorAll: "xor", smallest: "smin", greatest: "smax", lowest: "umin", highest: "umax",
}

// reduced combines the 32-bit numbers of the lanes that run.
func (w *regionWriter) reduced(lw *laneWriter, v irtext.Operand, op combination) string {
	typ := lw.wide("i32")
	value := lw.vector(v)
	if m := lw.mask(lw.at); m != "" {
		value = lw.op("select %s %s, %s %s, %s %s", lw.wide("i1"), m, typ, value, typ, splat(lw.lanes, "i32", neutral[op]))
	}
	f := lw.declare("i32", "@llvm.vector.reduce."+reduceNames[op]+"."+mangle(typ), typ)
	return lw.op("call i32 %s(%s %s)", f, typ, value)
}
