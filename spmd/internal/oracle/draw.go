package oracle

import (
	"math"

	"pgregory.net/rapid"
)

// Features choose what drawn programs may have.
type Features struct {
	// Barriers: barriers and what they make usable, memory that a group shares.
	Barriers bool
	// Warps: operations across the lanes of a warp.
	Warps bool
	// Statements bounds the size of a program; 0 is 32.
	Statements int
}

// Draw makes a program.
func Draw(t *rapid.T, f Features) *Program {
	if f.Statements == 0 {
		f.Statements = 32
	}
	d := &drawing{t: t, features: f, left: f.Statements}
	d.p = &Program{
		Grid:  rapid.SampledFrom([][3]uint32{{1, 1, 1}, {2, 1, 1}, {2, 2, 1}}).Draw(t, "grid"),
		Block: rapid.SampledFrom(blocks).Draw(t, "block"),
		Seed:  rapid.Uint32Range(0, 99).Draw(t, "seed"),
		Exits: rapid.Bool().Draw(t, "exits"),
	}
	for i := range d.p.Args {
		d.p.Args[i] = rapid.Int32Range(0, 9).Draw(t, "argument")
	}
	if f.Barriers {
		d.p.Shared = make([]SharedArray, rapid.IntRange(0, 2).Draw(t, "shared arrays"))
		for i := range d.p.Shared {
			d.p.Shared[i].Atomic = rapid.SampledFrom([]string{"add", "xor", "or", "and", "max", "min", "umax", "umin"}).Draw(t, "atomic")
		}
		if n := len(d.p.Shared); n > 0 {
			d.p.Shared[n-1].Dynamic = rapid.Bool().Draw(t, "dynamic")
		}
		n := len(d.p.Shared)
		d.state, d.floor, d.since = make([]use, n), make([]use, n), make([]use, n)
	}
	top := place{level: byGroup, mask: fullMask}
	d.closed = true
	for i, e := range start {
		d.p.Body = append(d.p.Body, Stmt{Op: "set", N: int32(i), E: []Expr{e}})
	}
	for i := range d.p.Shared {
		d.p.Body = append(d.p.Body, Stmt{Op: "share", N: int32(i), E: []Expr{d.value("i", byLane, top, 1)}})
	}
	if len(d.p.Shared) > 0 {
		d.p.Body = append(d.p.Body, Stmt{Op: "barrier"})
	}
	d.closed = false
	for range rapid.IntRange(2, 6).Draw(t, "parts") {
		d.p.Body = append(d.p.Body, d.block(top, 3)...)
	}
	for i := range int32(ints) {
		d.p.Body = append(d.p.Body, Stmt{Op: "out", N: i, E: []Expr{{Op: "var", N: i}}})
	}
	for i := range int32(floats) {
		d.p.Body = append(d.p.Body, Stmt{Op: "fout", N: i, E: []Expr{{Op: "var", N: ints + i}}})
	}
	return d.p
}

// start is what the variables hold at first: something else for each item as
// far as their levels let them.
var start = [variables]Expr{
	{Op: "id", N: 4}, {Op: "in", Args: []Expr{{Op: "id", N: 4}}}, {Op: "sub", Args: []Expr{{Op: "id", N: 3}, {Op: "int", N: 9}}},
	{Op: "arg"}, {Op: "id", N: 8}, {Op: "id", N: 5},
	{Op: "fin", Args: []Expr{{Op: "id", N: 4}}}, {Op: "sitofp", Args: []Expr{{Op: "id", N: 3}}}, {Op: "fin", Args: []Expr{{Op: "arg"}}},
}

var blocks = [][3]uint32{{4, 1, 1}, {32, 1, 1}, {1, 1, 1}, {64, 1, 1}, {31, 1, 1}, {33, 1, 1}, {8, 4, 2}, {16, 3, 1}, {48, 1, 1}, {5, 3, 1}, {96, 1, 1}}

const fullMask = 0xffffffff

// place is where a statement stands.
type place struct {
	// level is that of the conditions around it.
	level level
	// mask names the lanes that are together here, 0 where that is not known.
	mask uint32
	// loops are the levels of the loops around.
	loops []level
	// here is the level of conditions when the innermost loop began.
	here level
}

// use is what items do with a shared array between two barriers.
type use uint8

const (
	readOwn use = 1 << iota
	readAny
	writeOwn
	changeAny
)

// conflicts tells what must not have been done to a shared array before this use.
var conflicts = map[use]use{
	readOwn: changeAny, readAny: writeOwn | changeAny, writeOwn: readAny | changeAny, changeAny: readOwn | readAny | writeOwn,
}

type drawing struct {
	t        *rapid.T
	features Features
	p        *Program
	left     int
	// state is what was done to each shared array since the last barrier, floor
	// what must be taken for done there at any time, since a loop does it.
	state, floor []use
	// since is what the statement being drawn does with them, split whether it
	// needs a barrier before it.
	since []use
	split bool
	// closed tells that no shared array may be read here.
	closed bool
}

func pick[T any](d *drawing, label string, from []T) T {
	return rapid.SampledFrom(from).Draw(d.t, label)
}

// may reports whether array i can be used so here, if need be with a barrier
// before the statement, and notes that it is.
func (d *drawing) may(i int, u use, at place) bool {
	if d.state[i]&conflicts[u] != 0 {
		if at.level != byGroup || (d.floor[i]|d.since[i])&conflicts[u] != 0 {
			return false
		}
		d.split = true
		for k := range d.state {
			d.state[k] = d.floor[k] | d.since[k]
		}
	}
	d.state[i] |= u
	d.since[i] |= u
	return true
}

// value draws an expression that is the same for all items of the level, of
// type "i" or "f".
func (d *drawing) value(typ string, same level, at place, depth int) Expr {
	if depth > 0 && rapid.IntRange(0, 2).Draw(d.t, "operator") > 0 {
		names := intOperators
		if typ == "f" {
			names = floatOperators
		}
		e := Expr{Op: pick(d, "operator", names)}
		for _, a := range operators[e.Op].args {
			e.Args = append(e.Args, d.value(string(a), same, at, depth-1))
		}
		return e
	}
	if typ == "f" {
		return d.floatLeaf(same, at, depth)
	}
	switch pick(d, "value", []string{"var", "in", "id", "int", "shared", "own", "turn", "private", "arg"}) {
	case "var":
		if v := d.variable(0, ints, byGroup, same); v >= 0 {
			return Expr{Op: "var", N: v}
		}
	case "id":
		if n := rapid.Int32Range(0, int32(len(ids)-1)).Draw(d.t, "id"); idLevel(n) <= same {
			return Expr{Op: "id", N: n}
		}
	case "arg":
		return Expr{Op: "arg", N: rapid.Int32Range(0, 1).Draw(d.t, "argument")}
	case "turn":
		for i, l := range at.loops {
			if l <= same {
				return Expr{Op: "turn", N: int32(i)}
			}
		}
	case "in":
		return Expr{Op: "in", Args: []Expr{d.value("i", same, at, min(depth, 1)-1)}}
	case "private":
		if same == byLane {
			return Expr{Op: "private", Args: []Expr{d.value("i", same, at, min(depth, 1)-1)}}
		}
	case "own":
		if same == byLane {
			if i, ok := d.array(readOwn, at); ok {
				return Expr{Op: "own", N: int32(i)}
			}
		}
	case "shared":
		if i, ok := d.array(readAny, at); ok {
			return Expr{Op: "shared", N: int32(i), Args: []Expr{d.value("i", same, at, min(depth, 1)-1)}}
		}
	}
	return Expr{Op: "int", N: rapid.OneOf(rapid.Int32Range(-4, 40), rapid.Int32()).Draw(d.t, "constant")}
}

// array draws a shared array that can be used so here.
func (d *drawing) array(u use, at place) (int, bool) {
	n := len(d.p.Shared)
	if n == 0 || d.closed && u&(readOwn|readAny) != 0 {
		return 0, false
	}
	i := rapid.IntRange(0, n-1).Draw(d.t, "array")
	return i, d.may(i, u, at)
}

func (d *drawing) floatLeaf(same level, at place, depth int) Expr {
	switch pick(d, "value", []string{"var", "fin", "float"}) {
	case "var":
		if v := d.variable(ints, variables, byGroup, same); v >= 0 {
			return Expr{Op: "var", N: v}
		}
	case "fin":
		return Expr{Op: "fin", Args: []Expr{d.value("i", same, at, min(depth, 1)-1)}}
	}
	f := pick(d, "constant", []float32{0, 1, -1, 0.5, 3.25, 1e-3, 16777217, -1e20})
	return Expr{Op: "float", N: int32(math.Float32bits(f))}
}

// variable draws one whose level lies between two, -1 where there is none.
func (d *drawing) variable(from, to int, low, high level) int32 {
	var list []int32
	for i := from; i < to; i++ {
		if low <= variableLevel[i] && variableLevel[i] <= high {
			list = append(list, int32(i))
		}
	}
	if list == nil {
		return -1
	}
	return pick(d, "variable", list)
}
