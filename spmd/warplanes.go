package spmd

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// together writes what items of a warp do together: a chunk is a warp.
func (w *regionWriter) together(lw *laneWriter, in *irtext.Instr) {
	c := collectives()[in.Callee]
	if len(in.Args) > 0 && lw.s.at(in.Args[0]).kind != uniform {
		lw.fail("it has a warp operation whose lanes name different lanes")
		return
	}
	w.allCome(lw, in, c)
	if in.Name == "" {
		return
	}
	name := ""
	switch c.op {
	case readLane:
		name = w.read(lw, in.Args[1], in.Args[2])
	case ballot:
		bits := lw.vector(in.Args[1])
		if m := lw.mask(lw.at); m != "" {
			bits = lw.op("select %s %s, %s %s, %s zeroinitializer", lw.wide("i1"), m, lw.wide("i1"), bits, lw.wide("i1"))
		}
		name = lw.bits(bits)
	case whoIsHere:
		if m := lw.mask(lw.at); m != "" {
			name = lw.bits(m)
		} else {
			name = lw.op("add i64 0, %d", allLanes(lw.lanes))
		}
	case matching:
		name = w.match(lw, in.Args[1])
	default:
		name = w.reduced(lw, in.Args[1], c.op)
	}
	lw.alias[in.Name] = name
}

// allLanes is the mask of all of n lanes as a number.
func allLanes(n int) int64 { return int64(uint64(1)<<(n-1)<<1 - 1) }

// bits is a mask as an i64.
func (w *laneWriter) bits(mask string) string {
	bits := w.op("bitcast %s %s to %s", w.wide("i1"), mask, w.bitsType())
	if w.lanes < 64 {
		return w.op("zext %s %s to i64", w.bitsType(), bits)
	}
	return bits
}

// read is each lane's reading of another lane's value: its own where that one
// does not take part.
func (w *regionWriter) read(lw *laneWriter, v, from irtext.Operand) string {
	typ, bit := lw.wide("i32"), lw.wide("i1")
	value, m := lw.vector(v), lw.mask(lw.at)
	if lw.s.at(v).kind == uniform {
		return value
	}
	there := ""
	got := ""
	if pattern, ok := lw.constantLanes(from); ok {
		got = lw.op("shufflevector %s %s, %s poison, %s", typ, value, typ, pattern)
		if m != "" {
			there = lw.op("shufflevector %s %s, %s poison, %s", bit, m, bit, pattern)
		}
	} else if lw.s.at(from).kind == uniform {
		at := lw.op("and i32 %s, %d", lw.scalar(from), lw.lanes-1)
		got = lw.all("i32", lw.op("extractelement %s %s, i32 %s", typ, value, at))
		if m != "" {
			there = lw.all("i1", lw.op("extractelement %s %s, i32 %s", bit, m, at))
		}
	} else {
		lw.n++
		memory := lw.scratch("i32", lw.n, 0)
		lw.do("store %s %s, ptr %s, align 64", typ, value, memory)
		at := lw.op("and %s %s, %s", typ, lw.vector(from), splat(lw.lanes, "i32", fmt.Sprint(lw.lanes-1)))
		ptrs := lw.wide("ptr")
		places := lw.op("getelementptr i32, ptr %s, %s %s", memory, typ, at)
		f := lw.declare(typ, "@llvm.masked.gather."+mangle(typ)+"."+mangle(ptrs), ptrs, "i32 immarg", bit, typ)
		got = lw.op("call %s %s(%s %s, i32 4, %s %s, %s poison)", typ, f, ptrs, places, bit, splat(lw.lanes, "i1", "true"), typ)
		if m != "" {
			wide := lw.wide(lw.bitsType())
			shift := at
			switch {
			case lw.lanes > 32:
				shift = lw.op("zext %s %s to %s", typ, at, wide)
			case lw.lanes < 32:
				shift = lw.op("trunc %s %s to %s", typ, at, wide)
			}
			all := lw.all(lw.bitsType(), lw.op("bitcast %s %s to %s", bit, m, lw.bitsType()))
			there = lw.op("trunc %s %s to %s", wide, lw.op("lshr %s %s, %s", wide, all, shift), bit)
		}
	}
	if there == "" {
		return got
	}
	return lw.op("select %s %s, %s %s, %s %s", bit, there, typ, got, typ, value)
}

// match tells each lane which lanes have the same value.
func (w *regionWriter) match(lw *laneWriter, v irtext.Operand) string {
	typ, bit := lw.wide(v.Type), lw.wide("i1")
	value, m := lw.vector(v), lw.mask(lw.at)
	out := "poison"
	for i := range lw.lanes {
		one := lw.all(v.Type, lw.op("extractelement %s %s, i32 %d", typ, value, i))
		same := lw.op("icmp eq %s %s, %s", typ, value, one)
		if m != "" {
			same = lw.op("select %s %s, %s %s, %s zeroinitializer", bit, m, bit, same, bit)
		}
		out = lw.op("insertelement %s %s, i64 %s, i32 %d", lw.wide("i64"), out, lw.bits(same), i)
	}
	return out
}

// allCome checks, where lanes have parted, that none of those that the mask
// names is still to come to a place where it meets others.
func (w *regionWriter) allCome(lw *laneWriter, in *irtext.Instr, c collective) {
	if c.kind != inWarp {
		return
	}
	if def := w.r.fn.Defs[in.Args[0].Text]; def != nil && collectives()[def.Callee].op == whoIsHere {
		return
	}
	late := ""
	here := w.r.g.reached(lw.at)
	add := func(m string) {
		if late != "" {
			m = lw.op("or %s %s, %s", lw.wide("i1"), late, m)
		}
		late = m
	}
	for i, b := range w.r.g.order {
		switch class := lw.p.class[b]; {
		case !lw.p.wait[lw.at].has(i) || !w.waits[b]:
		case w.meetsApart(in, b, here):
			lw.fail("lanes of a warp may meet at different places")
		case lw.p.owner(b):
			add(lw.op("load %s, ptr %%M%d", lw.wide("i1"), b))
		case class != entryClass && !lw.p.ran(class, lw.at):
			lw.fail("it has a warp operation for lanes of which others may come later")
		default:
			// Those of the class that are not here are there.
			all := splat(lw.lanes, "i1", "true")
			away := all
			if m := lw.mask(lw.at); m != "" {
				away = lw.op("xor %s %s, %s", lw.wide("i1"), m, all)
			}
			if m := lw.mask(b); m != "" {
				away = lw.op("and %s %s, %s", lw.wide("i1"), m, away)
			}
			add(away)
		}
	}
	if late == "" {
		return
	}
	w.checks = true
	w.take("ptr noalias %kiln.status", "ptr %kiln.status")
	missing := lw.op("and i64 %s, %s", lw.bits(late), lw.scalar(in.Args[0]))
	bad := lw.op("icmp ne i64 %s, 0", missing)
	old := lw.op("load i32, ptr %%kiln.status")
	lw.do("store i32 %s, ptr %%kiln.status", lw.op("select i1 %s, i32 %d, i32 %s", bad, StatusStuck, old))
}

// meetsApart reports whether lanes that wait at a block may come to another
// call of a function that those that are here do not come to: on a device that
// tells calls apart by their mask alone, they would meet.
func (w *regionWriter) meetsApart(in *irtext.Instr, b int, here set) bool {
	there := w.r.g.reached(b)
	for _, block := range w.r.fn.Blocks {
		for _, other := range block.Instrs {
			if other.Op == "call" && other.Callee == in.Callee && there.has(block.Index) && !here.has(block.Index) {
				return true
			}
		}
	}
	return false
}

// findWaits finds the blocks that lead to a place where items meet.
func (w *regionWriter) findWaits(lw *laneWriter) {
	w.waits = make([]bool, len(w.r.g.succs))
	var mark func(int)
	mark = func(b int) {
		if !w.waits[b] {
			w.waits[b] = true
			for _, p := range w.r.g.preds[b] {
				mark(p)
			}
		}
	}
	for _, b := range w.r.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == "call" && (collectives()[in.Callee].kind == inWarp || strings.HasPrefix(in.Callee, outPrefix)) {
				mark(b.Index)
			}
		}
	}
}
