package spmd

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// ofGroup reports whether a pointer leads into memory that only the items of
// one group see: one thread runs these, so that what is atomic among them need
// be so for no one else.
func (w *laneWriter) ofGroup(o irtext.Operand, depth int) bool {
	in := w.l.fn.Defs[o.Text]
	if in == nil || depth == 0 {
		return false
	}
	switch in.Op {
	case "call":
		return strings.HasPrefix(in.Callee, sharedPrefix)
	case "getelementptr", "bitcast", "freeze":
		return w.ofGroup(in.Args[0], depth-1)
	case "select":
		return w.ofGroup(in.Args[1], depth-1) && w.ofGroup(in.Args[2], depth-1)
	case "phi":
		for _, a := range in.Args {
			if !w.ofGroup(a, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// change is an atomic operation on memory of the group, as what it does to a
// value that is read and written back.
type change struct {
	op, typ string
}

// updates are the operations that one instruction does on integers and floats.
var updates = map[string]string{
	"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor", "fadd": "fadd", "fsub": "fsub", "xchg": "xchg",
	"max": "smax", "min": "smin", "umax": "umax", "umin": "umin",
}

// plainUpdate writes an atomic operation on memory of the group as a read and a
// write for one lane after the other; two lanes may name one place. It reports
// false for what it does not write.
func (w *laneWriter) plainUpdate(in *irtext.Instr) bool {
	if in.Op != "atomicrmw" || in.Has("volatile") || !w.ofGroup(in.Args[0], 8) {
		return false
	}
	u := change{typ: in.Type}
	for _, t := range in.Head[1:] {
		if op, ok := updates[t.Text]; ok {
			u.op = op
			break
		}
		if irtext.Bits(t.Text) > 0 || t.Is("ptr") {
			break
		}
	}
	if u.op == "" || !memoryType(u.typ) || u.typ == "i1" {
		return false
	}
	w.count.serial++
	used := w.used[in.Name]
	if !used && w.s.at(in.Args[0]).kind == uniform && w.gathered(in, u) {
		w.alias[in.Name] = "poison"
		return true
	}
	values := w.vector(in.Args[1])
	// The addresses go through memory, and LLVM must not see it: some processors
	// run updates at addresses that come from vector registers ten times slower.
	w.n++
	id := w.n
	pointers := w.scratch("ptr", id, 0)
	w.do("store volatile %s %s, ptr %s, align 64", w.wide("ptr"), w.vector(in.Args[0]), pointers)
	each := func(lane string, result string) string {
		p := w.op("load volatile ptr, ptr %s, align 8", w.op("getelementptr inbounds ptr, ptr %s, i64 %s", pointers, lane))
		old := w.op("load %s, ptr %s, align %d", u.typ, p, w.alignment(in, u.typ))
		v := values
		if strings.HasPrefix(values, "%") {
			v = w.op("extractelement %s %s, i64 %s", w.wide(u.typ), values, lane)
		} else {
			v = in.Args[1].Text
		}
		w.do("store %s %s, ptr %s, align %d", u.typ, w.apply(u, old, v), p, w.alignment(in, u.typ))
		if !used {
			return ""
		}
		return w.op("insertelement %s %s, %s %s, i64 %s", w.wide(u.typ), result, u.typ, old, lane)
	}
	m := w.mask(w.at)
	if m != "" {
		bits := w.op("bitcast %s %s to %s", w.wide("i1"), m, w.bitsType())
		w.do("br i1 %s, label %%u%d.all, label %%u%d.some", w.op("icmp eq %s %s, -1", w.bitsType(), bits), id, id)
		w.begin(fmt.Sprintf("u%d.some", id))
		w.eachLane(fmt.Sprintf("u%d", id), bits, w.wide(u.typ), each)
		w.begin(fmt.Sprintf("u%d.all", id))
	}
	all := "poison"
	for i := range w.lanes {
		all = each(fmt.Sprint(i), all)
	}
	if m != "" {
		w.do("br label %%u%d.end", id)
		w.begin(fmt.Sprintf("u%d.end", id))
		if used {
			all = w.op("phi %s [ %s, %%u%d.all ], [ %%u%d.so, %%u%d.head ]", w.wide(u.typ), all, id, id, id)
		}
	}
	w.alias[in.Name] = all
	if !used {
		w.alias[in.Name] = "poison"
	}
	w.anchor(in)
	return true
}

// apply is what an operation makes of the value in memory and the lane's own.
func (w *laneWriter) apply(u change, old, v string) string {
	switch u.op {
	case "xchg":
		return v
	case "smax", "smin", "umax", "umin":
		f := w.declare(u.typ, "@llvm."+u.op+"."+mangle(u.typ), u.typ, u.typ)
		return w.op("call %s %s(%s %s, %s %s)", u.typ, f, u.typ, old, u.typ, v)
	}
	return w.op("%s %s %s, %s", u.op, u.typ, old, v)
}

// eachLane writes a loop over the lanes whose bits are set; it goes on to the
// end label, with the results in "%id.so" where there are any.
func (w *laneWriter) eachLane(id, bits, wide string, each func(lane, result string) string) {
	typ := w.bitsType()
	before := w.label
	w.do("br label %%%s.head", id)
	w.begin(id + ".head")
	w.do("%%%s.left = phi %s [ %s, %%%s ], [ %%%s.next, %%%s.body ]", id, typ, bits, before, id, id)
	at := len(w.lines)
	w.do("br i1 %s, label %%%s.body, label %%%s.end", w.op("icmp ne %s %%%s.left, 0", typ, id), id, id)
	w.begin(id + ".body")
	f := w.declare(typ, "@llvm.cttz."+typ, typ, "i1 immarg")
	lane := w.op("call %s %s(%s %%%s.left, i1 true)", typ, f, typ, id)
	w.do("%%%s.next = and %s %%%s.left, %s", id, typ, id, w.op("add %s %%%s.left, -1", typ, id))
	if typ != "i64" {
		lane = w.op("zext %s %s to i64", typ, lane)
	}
	if result := each(lane, "%"+id+".so"); result != "" {
		phi := fmt.Sprintf("  %%%s.so = phi %s [ poison, %%%s ], [ %s, %%%s.body ]", id, wide, before, result, id)
		w.lines = append(w.lines[:at:at], append([]string{phi}, w.lines[at:]...)...)
	}
	w.do("br label %%%s.head, !llvm.loop !%d", id, w.l.loopNode("llvm.loop.unroll.disable"))
}

// gathered writes an operation of all lanes on one place whose result no one
// takes: the lanes' values are combined first.
func (w *laneWriter) gathered(in *irtext.Instr, u change) bool {
	neutral := map[string]string{"add": "0", "and": "-1", "or": "0", "xor": "0", "umax": "0", "umin": "-1"}[u.op]
	if neutral == "" || irtext.Bits(u.typ) == 0 {
		return false
	}
	wide := w.wide(u.typ)
	v := w.vector(in.Args[1])
	if m := w.mask(w.at); m != "" {
		v = w.op("select %s %s, %s %s, %s %s", w.wide("i1"), m, wide, v, wide, splat(w.lanes, u.typ, neutral))
	}
	f := w.declare(u.typ, "@llvm.vector.reduce."+u.op+"."+mangle(wide), wide)
	sum := w.op("call %s %s(%s %s)", u.typ, f, wide, v)
	p := w.scalar(in.Args[0])
	old := w.op("load %s, ptr %s, align %d", u.typ, p, w.alignment(in, u.typ))
	w.do("store %s %s, ptr %s, align %d", u.typ, w.apply(u, old, sum), p, w.alignment(in, u.typ))
	return true
}
