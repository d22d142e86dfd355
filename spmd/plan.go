package spmd

import (
	"slices"
)

// plan is the control flow that lanes run by. Blocks come in the graph's
// order. A branch that all lanes take the same way stays a branch; after one
// that they take different ways the blocks on both ways run in turn, each
// under the mask of the lanes that want it. Where lanes wait at blocks further
// on, a branch goes to the first of these.
type plan struct {
	g      *graph
	shapes *shapes
	// class names for each block the block whose mask it runs under: its own
	// index where it has a mask of its own, 0 (the entry) for all lanes.
	class []int
	// guarded are the blocks that ask first whether any lane wants them.
	guarded []bool
	// unsure are the blocks that may be reached when no lane wants them.
	unsure []bool
	// wait are the blocks at which lanes may wait when a block begins.
	wait []set
	// forced are blocks that must have a mask of their own.
	forced []bool
	// idom are the dominators among the nodes of what is emitted: 2b where block
	// b is reached, 2b+1 where its code runs.
	idom []int
}

const entryClass = 0

func newPlan(g *graph, s *shapes) *plan {
	n := len(g.order)
	p := &plan{g: g, shapes: s, forced: make([]bool, n)}
	for {
		p.classify()
		p.flow()
		if !p.correct() {
			return p
		}
	}
}

func (p *plan) owner(b int) bool { return b != entryClass && p.class[b] == b }

// uniformEnd reports whether all lanes leave the block the same way.
func (p *plan) uniformEnd(b int) bool { return !p.shapes.branches[b] }

// classify finds for each block one that runs the same lanes in the same turn.
func (p *plan) classify() {
	g := p.g
	p.class = make([]int, len(g.order))
	for _, b := range g.order[1:] {
		p.class[b] = b
		if p.forced[b] {
			continue
		}
		if l := g.loopOf[b]; l != nil && l.header == b {
			if !l.divergent {
				for _, q := range g.preds[b] {
					if q != l.latch {
						p.class[b] = p.class[q]
					}
				}
			}
			continue
		}
		// All lanes of a dominator come here in the end.
		for d := g.idom[b]; d >= 0; d = g.idom[d] {
			if g.loopOf[d] == g.loopOf[b] && g.post[d].has(b) {
				p.class[b] = p.class[d]
				break
			}
		}
		if p.class[b] == b {
			p.class[b] = p.together(b)
		}
	}
}

// together returns the class common to all blocks that lead to b where each
// sends all its lanes one way, else b.
func (p *plan) together(b int) int {
	common := -1
	for _, q := range p.g.preds[b] {
		for l := p.g.loopOf[q]; l != nil && !l.blocks.has(b); l = l.parent {
			if l.divergent {
				return b
			}
		}
		if !p.uniformEnd(q) || common >= 0 && common != p.class[q] {
			return b
		}
		common = p.class[q]
	}
	return common
}

// step is where control goes on one way out of a block.
type flowEdge struct {
	to   int // the successor in the source
	next int // the block that comes next, -1 for the end
	wait set // blocks at which lanes then wait
}

// edges returns the ways out of a block's code: one for each successor where
// lanes part at none, else one for going on, preceded by one for the back edge
// if there is such.
func (p *plan) edges(b int) []flowEdge {
	g := p.g
	var out []flowEdge
	if p.uniformEnd(b) {
		for _, t := range g.succs[b] {
			if g.back(b, t) {
				out = append(out, flowEdge{t, t, p.wait[b]})
				continue
			}
			w := p.wait[b].clone()
			w.add(g.pos[t])
			out = append(out, p.goOn(t, w))
		}
		if len(g.succs[b]) == 0 {
			out = append(out, p.goOn(-1, p.wait[b].clone()))
		}
		return out
	}
	w := p.wait[b].clone()
	for _, t := range g.succs[b] {
		if !g.back(b, t) {
			w.add(g.pos[t])
		}
	}
	for _, t := range g.succs[b] {
		if g.back(b, t) {
			out = append(out, flowEdge{t, t, w.clone()})
		}
	}
	return append(out, p.goOn(-1, w))
}

// skip is the way past a block that no lane wants.
func (p *plan) skip(b int) flowEdge { return p.goOn(-1, p.wait[b].clone()) }

func (p *plan) goOn(to int, wait set) flowEdge {
	first := wait.first()
	if first < 0 {
		return flowEdge{to, -1, wait}
	}
	wait.remove(first)
	return flowEdge{to, p.g.order[first], wait}
}

// flow finds at which blocks lanes may wait, and which blocks ask first
// whether any lane wants them.
func (p *plan) flow() {
	n := len(p.g.order)
	p.wait = make([]set, n)
	for i := range p.wait {
		p.wait[i] = newSet(n)
	}
	p.guarded, p.unsure = make([]bool, n), make([]bool, n)
	dear := make([]bool, n)
	for b := range dear {
		dear[p.class[b]] = dear[p.class[b]] || p.dear(b)
	}
	for changed := true; changed; {
		changed = false
		pass := func(e flowEdge, unsure bool) {
			if e.next < 0 {
				return
			}
			if p.wait[e.next].or(e.wait) {
				changed = true
			}
			if unsure && p.owner(e.next) && !p.unsure[e.next] {
				p.unsure[e.next] = true
				p.guarded[e.next] = dear[e.next]
				changed = true
			}
		}
		for _, b := range p.g.order {
			c := p.class[b]
			empty := c != entryClass && p.unsure[c] && !p.guarded[c]
			for _, e := range p.edges(b) {
				pass(e, empty || e.to != e.next)
			}
			if p.guarded[b] {
				pass(p.skip(b), true)
			}
		}
	}
}

// dear reports whether running a block for no lane at all would cost more than
// to ask, or be wrong.
func (p *plan) dear(b int) bool {
	block := p.g.fn.Blocks[b]
	for _, t := range p.g.succs[b] {
		if p.uniformEnd(b) && (len(p.g.succs[b]) > 1 || p.g.back(b, t)) {
			return true
		}
	}
	n := 0
	for _, in := range block.Instrs {
		switch in.Op {
		case "load", "store", "call", "udiv", "sdiv", "urem", "srem", "atomicrmw", "cmpxchg", "fence", "fdiv", "frem":
			return true
		case "phi", "br":
		default:
			n++
		}
	}
	return n > 6
}

// correct gives a mask of its own to each block that relies on another's
// having run when it may not have, and reports whether there was one.
func (p *plan) correct() bool {
	n := len(p.g.order)
	preds := make([][]int, 2*n)
	succs := make([][]int, 2*n)
	link := func(from, to int) {
		if !slices.Contains(succs[from], to) {
			succs[from] = append(succs[from], to)
			preds[to] = append(preds[to], from)
		}
	}
	direct := make([]bool, n)
	for b := range direct {
		direct[b] = true
	}
	for _, b := range p.g.order {
		link(2*b, 2*b+1)
		if p.guarded[b] {
			if e := p.skip(b); e.next >= 0 {
				link(2*b, 2*e.next)
				direct[e.next] = false
			}
		}
		for _, e := range p.edges(b) {
			if e.next >= 0 {
				link(2*b+1, 2*e.next)
				direct[e.next] = direct[e.next] && e.to == e.next
			}
		}
	}
	g := graph{succs: succs}
	p.idom = immediateDominators(g.reversePostOrder(), preds)
	again := false
	for _, b := range p.g.order[1:] {
		if p.owner(b) || p.forced[b] {
			continue
		}
		if !p.ran(p.class[b], b) || !direct[b] && !p.byPost(b) {
			p.forced[b] = true
			again = true
		}
	}
	return again
}

// ran reports whether the code of d has run, in the same turn of the loops that
// hold both, whenever b is reached.
func (p *plan) ran(d, b int) bool {
	for x := 2 * b; x >= 0; x = p.idom[x] {
		if x == 2*d+1 {
			return true
		}
	}
	return false
}

// byPost reports whether the block's class is that of a dominator all of whose
// lanes come to it, so that it is never reached for none.
func (p *plan) byPost(b int) bool {
	if l := p.g.loopOf[b]; l != nil && l.header == b {
		return true
	}
	for d := p.g.idom[b]; d >= 0; d = p.g.idom[d] {
		if p.g.loopOf[d] == p.g.loopOf[b] && p.g.post[d].has(b) {
			return p.class[d] == p.class[b]
		}
	}
	return false
}
