package spmd

import (
	"fmt"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// leave writes a block's end: what lanes take along to the blocks they go to,
// and where control goes.
func (w *laneWriter) leave(b int, in *irtext.Instr) {
	edges := w.p.edges(b)
	mask := w.mask(b)
	if !w.p.uniformEnd(b) {
		w.part(b, in, mask)
		on := w.target(edges[len(edges)-1].next)
		if len(edges) > 1 {
			h := edges[0].to
			again := w.op("load %s, ptr %%M%d", w.wide("i1"), h)
			w.do("br i1 %s, label %s, label %s", w.any(again), w.target(h), on)
			return
		}
		w.do("br label %s", on)
		return
	}
	switch {
	case len(edges) == 1:
		if edges[0].to >= 0 {
			w.take(b, edges[0].to, mask)
		}
		w.do("br label %s", w.target(edges[0].next))
	case in.Op == "br":
		cond := w.scalar(in.Args[0])
		w.do("br i1 %s, label %%e%d.0, label %%e%d.1", cond, b, b)
		w.ways(b, in, edges, mask)
	default:
		w.fail("it has a switch")
	}
}

// ways writes a block for each way of a branch, in the order of its targets.
func (w *laneWriter) ways(b int, in *irtext.Instr, edges []flowEdge, mask string) {
	loaded, vectors := w.loaded, w.vectors
	for i, l := range in.Labels {
		// What one way loads the other does not have.
		w.loaded, w.vectors = clone(loaded), clone(vectors)
		to := w.g.block(l)
		w.begin(fmt.Sprintf("e%d.%d", b, i))
		w.take(b, to, mask)
		for _, e := range edges {
			if e.to == to {
				w.do("br label %s", w.target(e.next))
				break
			}
		}
	}
}

func clone(m map[string]string) map[string]string {
	c := make(map[string]string, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// part writes the masks of the two ways that lanes take from here.
func (w *laneWriter) part(b int, in *irtext.Instr, mask string) {
	if in.Op != "br" {
		w.fail("it has a switch on a value that differs by lane")
		return
	}
	bit := w.wide("i1")
	yes := w.vector(in.Args[0])
	no := w.op("xor %s %s, %s", bit, yes, splat(w.lanes, "i1", "true"))
	if mask != "" {
		yes = w.op("select %s %s, %s %s, %s zeroinitializer", bit, mask, bit, yes, bit)
		no = w.op("select %s %s, %s %s, %s zeroinitializer", bit, mask, bit, no, bit)
	}
	w.take(b, w.g.block(in.Labels[0]), yes)
	w.take(b, w.g.block(in.Labels[1]), no)
}

// take writes what the lanes of a mask take along to a block: the values of
// its phis, and that they want it.
func (w *laneWriter) take(b, to int, mask string) {
	bit := w.wide("i1")
	for _, in := range w.g.fn.Blocks[to].Instrs {
		if in.Op != "phi" {
			break
		}
		for i, l := range in.Labels {
			if w.g.block(l) == b {
				w.pass(b, to, in, in.Args[i], mask)
				break
			}
		}
	}
	if !w.p.owner(to) {
		return
	}
	if mask == "" {
		w.do("store %s %s, ptr %%M%d", bit, splat(w.lanes, "i1", "true"), to)
		return
	}
	so := mask
	if len(w.g.preds[to]) > 1 || w.leavesDivergent(b, to) {
		so = w.op("or %s %s, %s", bit, w.op("load %s, ptr %%M%d", bit, to), mask)
	}
	w.do("store %s %s, ptr %%M%d", bit, so, to)
}

// pass writes one phi's value.
func (w *laneWriter) pass(b, to int, phi *irtext.Instr, v irtext.Operand, mask string) {
	slot := own(phi.Name, ".p")
	if w.s.of[phi.Name].scalar() {
		w.do("store %s %s, ptr %s", phi.Type, w.scalar(v), slot)
		return
	}
	typ := w.wide(phi.Type)
	if !simple(phi.Type) {
		w.fail("it has values of type %s that differ by lane", phi.Type)
		return
	}
	value := w.vector(v)
	if mask != "" && w.blends(b, to) {
		old := w.op("load %s, ptr %s", typ, slot)
		value = w.op("select %s %s, %s %s, %s %s", w.wide("i1"), mask, typ, value, typ, old)
	}
	w.do("store %s %s, ptr %s", typ, value, slot)
}

// blends reports whether other lanes may have brought their value to the block
// before.
func (w *laneWriter) blends(b, to int) bool {
	if w.leavesDivergent(b, to) {
		return true
	}
	if l := w.g.loopOf[to]; l != nil && l.header == to {
		return false
	}
	if w.p.uniformEnd(b) && w.p.class[b] == w.p.class[to] {
		return false
	}
	for _, q := range w.g.preds[to] {
		if w.g.pos[q] < w.g.pos[b] {
			return true
		}
	}
	return false
}

// leavesDivergent reports whether the edge leaves a loop that lanes leave in
// different turns.
func (w *laneWriter) leavesDivergent(b, to int) bool {
	for l := w.g.loopOf[b]; l != nil && !l.blocks.has(to); l = l.parent {
		if l.divergent {
			return true
		}
	}
	return false
}
