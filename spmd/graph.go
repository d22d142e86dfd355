package spmd

import (
	"fmt"
	"slices"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// graph is what is known of a function's control flow. Blocks are named by
// their index in the function; order and pos are the order in which lanes run
// them: every block after all that lead to it but by a back edge, the blocks
// of a loop together.
type graph struct {
	fn     *irtext.Function
	succs  [][]int
	preds  [][]int
	idom   []int
	loopOf []*loop
	loops  []*loop
	order  []int
	pos    []int
	// post holds for each block the set of those that every path from it to
	// the end runs through, itself included.
	post []set
}

type loop struct {
	header, latch int
	parent        *loop
	blocks        set
	exits         []int
	divergent     bool
}

// refusal is why a kernel does not run as lanes.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

func newGraph(fn *irtext.Function) (*graph, error) {
	n := len(fn.Blocks)
	if n > 2000 {
		return nil, refuse("it has %d blocks", n)
	}
	g := &graph{fn: fn, succs: make([][]int, n), preds: make([][]int, n), loopOf: make([]*loop, n)}
	for i, b := range fn.Blocks {
		for _, s := range b.Succs {
			g.succs[i] = append(g.succs[i], s.Index)
			g.preds[s.Index] = append(g.preds[s.Index], i)
		}
	}
	rpo := g.reversePostOrder()
	if len(rpo) != n {
		return nil, refuse("it has blocks that are never reached")
	}
	g.dominators(rpo)
	if err := g.findLoops(rpo); err != nil {
		return nil, err
	}
	if err := g.schedule(); err != nil {
		return nil, err
	}
	return g, g.postDominators(rpo)
}

func (g *graph) reversePostOrder() []int {
	seen := make([]bool, len(g.succs))
	var order []int
	var visit func(int)
	visit = func(b int) {
		seen[b] = true
		for _, s := range g.succs[b] {
			if !seen[s] {
				visit(s)
			}
		}
		order = append(order, b)
	}
	visit(0)
	slices.Reverse(order)
	return order
}

func (g *graph) dominators(rpo []int) {
	g.idom = immediateDominators(rpo, g.preds)
}

// immediateDominators solves for the dominators of a graph whose first block in
// reverse post-order is the entry; the entry's own is -1.
func immediateDominators(rpo []int, preds [][]int) []int {
	number := make([]int, len(preds))
	for i := range number {
		number[i] = -1
	}
	for i, b := range rpo {
		number[b] = i
	}
	idom := make([]int, len(preds))
	for i := range idom {
		idom[i] = -1
	}
	entry := rpo[0]
	idom[entry] = entry
	for changed := true; changed; {
		changed = false
		for _, b := range rpo[1:] {
			best := -1
			for _, p := range preds[b] {
				if number[p] < 0 || idom[p] < 0 {
					continue
				}
				if best < 0 {
					best = p
					continue
				}
				for q := p; best != q; {
					for number[best] > number[q] {
						best = idom[best]
					}
					for number[q] > number[best] {
						q = idom[q]
					}
				}
			}
			if idom[b] != best {
				idom[b] = best
				changed = true
			}
		}
	}
	idom[entry] = -1
	return idom
}

// reached returns the blocks that a path leads to from b, itself among them.
func (g *graph) reached(b int) set {
	seen := newSet(len(g.succs))
	var visit func(int)
	visit = func(b int) {
		if !seen.has(b) {
			seen.add(b)
			for _, s := range g.succs[b] {
				visit(s)
			}
		}
	}
	visit(b)
	return seen
}

// dominates reports whether every path to b runs through a.
func (g *graph) dominates(a, b int) bool {
	for ; b >= 0; b = g.idom[b] {
		if a == b {
			return true
		}
	}
	return false
}

func (g *graph) findLoops(rpo []int) error {
	number := make([]int, len(g.succs))
	for i, b := range rpo {
		number[b] = i
	}
	byHeader := map[int]*loop{}
	for _, b := range rpo {
		for _, s := range g.succs[b] {
			if number[s] > number[b] {
				continue
			}
			if !g.dominates(s, b) {
				return refuse("it has a loop with two entries")
			}
			if byHeader[s] != nil {
				return refuse("it has a loop with two back edges")
			}
			l := &loop{header: s, latch: b, blocks: newSet(len(g.succs))}
			l.blocks.add(s)
			work := []int{b}
			for len(work) > 0 {
				x := work[len(work)-1]
				work = work[:len(work)-1]
				if !l.blocks.has(x) {
					l.blocks.add(x)
					work = append(work, g.preds[x]...)
				}
			}
			byHeader[s] = l
			g.loops = append(g.loops, l)
		}
	}
	// A loop that holds another's header holds all of it.
	for _, l := range g.loops {
		for _, o := range g.loops {
			if o != l && o.blocks.has(l.header) && (l.parent == nil || l.parent.blocks.has(o.header)) {
				l.parent = o
			}
		}
	}
	for b := range g.succs {
		for _, l := range g.loops {
			if l.blocks.has(b) && (g.loopOf[b] == nil || g.loopOf[b].blocks.has(l.header)) {
				g.loopOf[b] = l
			}
		}
	}
	for _, l := range g.loops {
		for b := range g.succs {
			if !l.blocks.has(b) {
				continue
			}
			for _, s := range g.succs[b] {
				if !l.blocks.has(s) && !slices.Contains(l.exits, s) {
					l.exits = append(l.exits, s)
				}
			}
		}
	}
	return nil
}

// back reports whether the edge closes a loop.
func (g *graph) back(from, to int) bool {
	l := g.loopOf[from]
	for ; l != nil; l = l.parent {
		if l.header == to && l.latch == from {
			return true
		}
	}
	return false
}

// schedule finds the order: among the blocks that can come next, one of the
// innermost loop begun, and the one whose dominator came last.
func (g *graph) schedule() error {
	n := len(g.succs)
	waits := make([]int, n)
	for b := range g.succs {
		for _, s := range g.succs[b] {
			if !g.back(b, s) {
				waits[s]++
			}
		}
	}
	g.pos = make([]int, n)
	left := map[*loop]int{}
	for _, l := range g.loops {
		left[l] = l.blocks.count()
	}
	ready := []int{0}
	var inside *loop
	for len(ready) > 0 {
		best := -1
		for i, b := range ready {
			if inside != nil && !inside.blocks.has(b) {
				continue
			}
			if best < 0 || g.domPos(b) > g.domPos(ready[best]) {
				best = i
			}
		}
		if best < 0 {
			return refuse("its loops cannot be put in order")
		}
		b := ready[best]
		ready = slices.Delete(ready, best, best+1)
		g.pos[b] = len(g.order)
		g.order = append(g.order, b)
		if l := g.loopOf[b]; l != nil && l.header == b {
			inside = l
		}
		for l := g.loopOf[b]; l != nil; l = l.parent {
			left[l]--
		}
		for inside != nil && left[inside] == 0 {
			inside = inside.parent
		}
		for _, s := range g.succs[b] {
			if !g.back(b, s) {
				if waits[s]--; waits[s] == 0 {
					ready = append(ready, s)
				}
			}
		}
	}
	if len(g.order) != n {
		return refuse("its blocks cannot be put in order")
	}
	return nil
}

func (g *graph) domPos(b int) int {
	if g.idom[b] < 0 {
		return -1
	}
	return g.pos[g.idom[b]]
}

func (g *graph) postDominators(rpo []int) error {
	g.post = g.postOf(func(int) bool { return true })
	for _, l := range g.loops {
		if len(l.exits) == 0 {
			return refuse("it has a loop without end")
		}
	}
	if !slices.ContainsFunc(rpo, func(b int) bool { return len(g.succs[b]) == 0 }) {
		return refuse("it has no end")
	}
	return nil
}

// postOf finds the post-dominators in the part of the graph that is kept: the
// blocks that every path from one to an end runs through.
func (g *graph) postOf(keep func(b int) bool) []set {
	n := len(g.succs)
	post := make([]set, n)
	for i := range post {
		post[i] = newSet(n)
		post[i].fill(n)
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			b := g.order[i]
			all := newSet(n)
			all.fill(n)
			end := true
			for _, s := range g.succs[b] {
				if keep(s) {
					all.and(post[s])
					end = false
				}
			}
			if end {
				all = newSet(n)
			}
			all.add(b)
			if !all.equal(post[b]) {
				post[b] = all
				changed = true
			}
		}
	}
	return post
}
