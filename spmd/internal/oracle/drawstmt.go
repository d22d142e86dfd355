package oracle

import (
	"slices"

	"pgregory.net/rapid"
)

func (d *drawing) block(at place, depth int) []Stmt {
	var list []Stmt
	for n := rapid.IntRange(1, 5).Draw(d.t, "statements"); n > 0 && d.left > 0; n-- {
		d.left--
		clear(d.since)
		d.split = false
		s, split := d.stmt(at, depth)
		if split {
			list = append(list, Stmt{Op: "barrier"})
		}
		list = append(list, s)
	}
	return list
}

// stmt draws a statement, and tells whether it needs a barrier before it.
func (d *drawing) stmt(at place, depth int) (s Stmt, split bool) {
	switch kind := d.kind(at, depth); kind {
	case "if":
		e, inner := d.condition(at)
		split = d.split
		return d.branch(e, inner, depth), split
	case "switch":
		e, inner := d.condition(at)
		split = d.split
		return d.choice(e, inner, depth), split
	case "loop":
		e, inner := d.condition(at)
		split = d.split
		return d.loop(e, inner, depth), split
	case "lanes":
		return d.lanes(at), false
	default:
		s = d.simple(kind, at)
		return s, d.split
	}
}

// kind draws what the statement is.
func (d *drawing) kind(at place, depth int) string {
	kinds := []string{"set", "set"}
	if d.features.Barriers && at.level == byGroup {
		kinds = append(kinds, "barrier", "reduce")
	}
	if len(d.p.Shared) > 0 {
		kinds = append(kinds, "share", "atomic")
	}
	if d.features.Warps && at.mask != 0 {
		kinds = append(kinds, "warp", "warp", "warp")
		if at.mask == fullMask {
			kinds = append(kinds, "lanes")
		}
	}
	if depth > 0 {
		kinds = append(kinds, "if", "if", "if", "loop", "loop", "switch")
		if len(at.loops) > 0 && at.level == at.here {
			kinds = append(kinds, "break", "continue")
		}
		if d.p.Exits {
			kinds = append(kinds, "return")
		}
	}
	return pick(d, "statement", append(kinds, "private", "count", "out", "fout"))
}

// simple draws a statement that holds no others.
func (d *drawing) simple(kind string, at place) Stmt {
	switch kind {
	case "private":
		return Stmt{Op: kind, E: []Expr{d.value("i", byLane, at, 1), d.value("i", byLane, at, 2)}}
	case "out":
		return Stmt{Op: kind, N: rapid.Int32Range(ints, outInts-1).Draw(d.t, "output"), E: []Expr{d.value("i", byLane, at, 2)}}
	case "fout":
		return Stmt{Op: kind, N: outFloats - 1, E: []Expr{d.value("f", byLane, at, 2)}}
	case "count":
		return Stmt{Op: kind, N: rapid.Int32Range(0, counters-1).Draw(d.t, "counter"), E: []Expr{d.value("i", byLane, at, 2)}}
	case "share":
		e := d.value("i", byLane, at, 2)
		if i, ok := d.array(writeOwn, at); ok {
			return Stmt{Op: kind, N: int32(i), E: []Expr{e}}
		}
	case "atomic":
		index, e := d.value("i", byLane, at, 1), d.value("i", byLane, at, 1)
		if i, ok := d.array(changeAny, at); ok {
			return Stmt{Op: kind, N: int32(i), E: []Expr{index, e}}
		}
	case "barrier":
		copy(d.state, d.floor)
		return Stmt{Op: kind, N: rapid.Int32Range(0, 2).Draw(d.t, "barrier")}
	case "reduce":
		e := d.value("i", byLane, at, 2)
		copy(d.state, d.floor)
		return Stmt{Op: kind, Kind: pick(d, "reduction", []string{"popc", "and", "or"}), N: d.variable(0, ints, at.level, byLane), E: []Expr{e}}
	case "warp":
		return d.warp(at)
	case "break", "continue", "return":
		return d.leave(kind, at)
	}
	v := d.variable(0, variables, at.level, byLane)
	typ := "i"
	if v >= ints {
		typ = "f"
	}
	return Stmt{Op: "set", N: v, E: []Expr{d.value(typ, variableLevel[v], at, 3)}}
}

// condition draws an expression and the place of what hangs on it.
func (d *drawing) condition(at place) (Expr, place) {
	same := max(at.level, pick(d, "level", []level{byLane, byGroup, byWarp}))
	e := d.value("i", same, at, 2)
	inner := at
	inner.level = same
	if same == byLane {
		inner.mask = 0
	}
	return e, inner
}

// leave ends a loop's turn, the loop or the item under a condition, so that
// what follows is not dead.
func (d *drawing) leave(kind string, at place) Stmt {
	var e Expr
	if kind == "return" {
		e, _ = d.condition(at)
	} else {
		e = d.value("i", at.level, at, 2)
	}
	return Stmt{Op: "if", E: []Expr{e}, Blocks: [][]Stmt{{{Op: kind}}}}
}

// branches draws blocks of which an item runs some. Where items of a group may
// run different ones, each block comes with what the others do.
func (d *drawing) branches(n int, inner place, depth int, through bool) [][]Stmt {
	before, after := slices.Clone(d.state), slices.Clone(d.state)
	list := make([][]Stmt, n)
	for i := range list {
		if inner.level == byGroup && !through {
			copy(d.state, before)
		}
		list[i] = d.block(inner, depth-1)
		for k := range after {
			after[k] |= d.state[k]
			if through {
				d.state[k] |= before[k]
			}
		}
	}
	copy(d.state, after)
	return list
}

func (d *drawing) branch(e Expr, inner place, depth int) Stmt {
	return Stmt{Op: "if", E: []Expr{e}, Blocks: d.branches(rapid.IntRange(1, 2).Draw(d.t, "blocks"), inner, depth, false)}
}

func (d *drawing) choice(e Expr, inner place, depth int) Stmt {
	through := rapid.Bool().Draw(d.t, "falls through")
	s := Stmt{Op: "switch", E: []Expr{e}}
	if through {
		s.N = 1
	}
	s.Blocks = d.branches(rapid.IntRange(1, 4).Draw(d.t, "blocks"), inner, depth, through)
	return s
}

// loop draws a loop. One whose turns all begin with a barrier may do with
// shared arrays what it likes; in any other each array is for one use.
func (d *drawing) loop(bound Expr, inner place, depth int) Stmt {
	inner.loops, inner.here = append(slices.Clone(inner.loops), inner.level), inner.level
	s := Stmt{Op: "loop", E: []Expr{bound}, N: rapid.Int32Range(0, 1).Draw(d.t, "test behind")}
	if rapid.Bool().Draw(d.t, "condition") {
		closed := d.closed
		d.closed = true
		s.E = append(s.E, d.value("i", inner.level, inner, 2))
		d.closed = closed
	}
	before, floor := slices.Clone(d.state), slices.Clone(d.floor)
	var first []Stmt
	if d.features.Barriers && inner.level == byGroup && rapid.Bool().Draw(d.t, "starts with a barrier") {
		first = []Stmt{{Op: "barrier"}}
		copy(d.state, d.floor)
	} else {
		for i := range d.state {
			d.state[i] |= d.oneUse(d.state[i])
			d.floor[i] |= d.state[i]
		}
	}
	s.Blocks = [][]Stmt{append(first, d.block(inner, depth-1)...)}
	// A turn may be left anywhere, behind a barrier as well as before the next.
	for i := range d.state {
		if first != nil {
			d.state[i] = readOwn | readAny | writeOwn | changeAny
		}
		d.state[i] |= before[i]
	}
	copy(d.floor, floor)
	return s
}

// oneUse draws what a loop without a barrier at its start does with an array.
func (d *drawing) oneUse(had use) use {
	switch {
	case had&changeAny != 0:
		return changeAny
	case had&readAny != 0:
		return readOwn | readAny
	case had&writeOwn != 0:
		return readOwn | writeOwn
	case had != 0:
		return pick(d, "use", []use{readOwn | readAny, readOwn | writeOwn})
	}
	return pick(d, "use", []use{readOwn | readAny, readOwn | writeOwn, changeAny})
}

// lanes draws a warp operation of the first few lanes of each warp alone.
func (d *drawing) lanes(at place) Stmt {
	n := pick(d, "lanes", []int32{4, 8, 16, 2, 1})
	inner := place{level: byLane, mask: 1<<n - 1, loops: at.loops, here: at.here}
	body := []Stmt{}
	for range rapid.IntRange(1, 3).Draw(d.t, "operations") {
		body = append(body, d.warp(inner))
	}
	few := Expr{Op: "ult", Args: []Expr{{Op: "id", N: 3}, {Op: "int", N: n}}}
	return Stmt{Op: "if", E: []Expr{few}, Blocks: [][]Stmt{body}}
}

// warp draws an operation of the lanes that are together.
func (d *drawing) warp(at place) Stmt {
	s := Stmt{Op: "warp", Mask: at.mask}
	result := byWarp
	if at.mask != fullMask {
		result = byLane
	}
	kinds := []string{"sync"}
	var widths []int32
	for _, w := range []int32{32, 16, 8, 4, 2} {
		// A shuffle reads lanes that are there: all of its segments are full.
		if d.p.Items()%int(w) == 0 && (at.mask == fullMask || at.mask == 1<<w-1) {
			widths = append(widths, w)
		}
	}
	if len(widths) > 0 && !d.p.Exits {
		kinds = append(kinds, "idx", "up", "down", "bfly")
	}
	kinds = append(kinds, "ballot", "min", "max", "any", "all", "uni", "add", "and", "or", "xor", "umin", "umax", "match.any", "match.all")
	s.Kind = pick(d, "operation", kinds)
	low := max(result, at.level)
	typ := "i"
	switch s.Kind {
	case "sync":
		return s
	case "match.any":
		low = byLane
	case "idx", "up", "down", "bfly":
		low = byLane
		s.Width = pick(d, "width", widths)
		typ = pick(d, "type", []string{"i", "f"})
	}
	if typ == "f" {
		s.N = d.variable(ints, variables, low, byLane)
	} else {
		s.N = d.variable(0, ints, low, byLane)
	}
	s.E = []Expr{d.value(typ, byLane, at, 2)}
	if s.Width != 0 {
		s.E = append(s.E, d.value("i", byLane, at, 1))
	}
	return s
}
