package spmd

// diverge follows the lanes that part at the end of block b, and marks the
// blocks where lanes that went different ways meet again and the loops that
// they leave in different turns.
//
// Each block that lanes reach carries a label, the last block on the way where
// they were still told apart from the others. Where two labels meet is a join.
func (s *shapes) diverge(b int) {
	g := s.g
	label := map[int]int{}
	front := newSet(len(g.order)) // labelled blocks not yet passed, by position
	again := map[*loop]bool{}     // loops whose header is reached again
	reach := func(from, to, with int) {
		if g.back(from, to) {
			for l := g.loopOf[from]; l != nil; l = l.parent {
				if l.header == to {
					again[l] = true
				}
			}
			return
		}
		old, ok := label[to]
		switch {
		case !ok:
			label[to] = with
			front.add(g.pos[to])
		case old != with:
			s.joins[to] = true
			label[to] = to
		}
	}
	for _, t := range g.succs[b] {
		reach(b, t, t)
	}
	inside := g.loopOf[b]
	for {
		p := front.first()
		if p < 0 {
			return
		}
		x := g.order[p]
		// Leaving a loop: did all lanes leave by the same block in this turn?
		for inside != nil && !inside.blocks.has(x) {
			if again[inside] || front.count() > 1 {
				inside.divergent = true
				for _, e := range inside.exits {
					if old, ok := label[e]; ok && old != e {
						label[e] = e
					} else if !ok {
						label[e] = e
						front.add(g.pos[e])
					}
				}
				p = front.first()
				x = g.order[p]
			}
			inside = inside.parent
		}
		front.remove(p)
		if front.first() < 0 && !turning(again, inside) {
			return // one way is left: all lanes that are still there are together
		}
		for _, t := range g.succs[x] {
			reach(x, t, label[x])
		}
	}
}

// turning reports whether lanes wait at the end of a loop still inside.
func turning(again map[*loop]bool, inside *loop) bool {
	for l := inside; l != nil; l = l.parent {
		if again[l] {
			return true
		}
	}
	return false
}
