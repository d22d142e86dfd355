package oracle

import (
	"fmt"
	"iter"
)

// Run interprets the program's launch on the buffers, which are those of
// NewBuffers. It returns an error where the program has no one meaning: items
// race for an element of a shared array, or wait for each other forever.
func (p *Program) Run(b *Buffers) error {
	for z := range p.Grid[2] {
		for y := range p.Grid[1] {
			for x := range p.Grid[0] {
				g := newGroup(p, b, [3]uint32{x, y, z})
				if err := g.run(); err != nil {
					return fmt.Errorf("group %d, %d, %d: %w", x, y, z, err)
				}
			}
		}
	}
	return nil
}

// group is one group at work.
type group struct {
	p      *Program
	b      *Buffers
	id     [3]uint32
	lanes  []*lane
	shared [][]cell
	phase  int
	err    error
}

// cell is one element of a shared array and what was done to it in a phase,
// the time between two barriers.
type cell struct {
	value  int32
	phase  int
	did    use
	reader int // who read it, many if several did
	writer int
}

const (
	nobody = -1
	many   = -2
)

// lane is one item at work.
type lane struct {
	g       *group
	item    int
	tid     [3]uint32
	vars    [variables]uint32
	private [privateSize]int32
	turns   []int32

	resume func() (*Stmt, bool)
	stop   func()
	yield  func(*Stmt) bool
	// waits is the barrier or warp operation that the lane has come to.
	waits *Stmt
	gone  bool
	// value and other are what it brings there, result what it gets.
	value, other uint32
	result       uint32
}

func newGroup(p *Program, b *Buffers, id [3]uint32) *group {
	g := &group{p: p, b: b, id: id, phase: 1}
	n := p.Items()
	for range p.Shared {
		g.shared = append(g.shared, make([]cell, n))
	}
	for i := range n {
		u := uint32(i)
		l := &lane{g: g, item: i, tid: [3]uint32{u % p.Block[0], u / p.Block[0] % p.Block[1], u / p.Block[0] / p.Block[1]}}
		l.resume, l.stop = iter.Pull(func(yield func(*Stmt) bool) {
			l.yield = yield
			l.block(p.Body)
		})
		g.lanes = append(g.lanes, l)
	}
	return g
}

// run lets each lane run until it waits, and those that have met go on.
func (g *group) run() error {
	defer func() {
		for _, l := range g.lanes {
			l.stop()
		}
	}()
	for {
		live := 0
		for _, l := range g.lanes {
			if l.waits == nil && !l.gone {
				s, ok := l.resume()
				l.waits, l.gone = s, !ok
			}
			if !l.gone {
				live++
			}
		}
		if g.err != nil || live == 0 {
			return g.err
		}
		met := false
		for from := 0; from < len(g.lanes); from += warpSize {
			met = g.warp(g.lanes[from:min(from+warpSize, len(g.lanes))]) || met
		}
		if !met && !g.barrier() {
			return fmt.Errorf("its items wait for each other forever")
		}
	}
}

// barrier lets the group go on if all its live items are at one barrier.
func (g *group) barrier() bool {
	var at *Stmt
	var here []*lane
	for _, l := range g.lanes {
		if l.gone {
			continue
		}
		if at == nil {
			at = l.waits
		}
		if l.waits != at || at.Op == "warp" {
			return false
		}
		here = append(here, l)
	}
	count := uint32(0)
	for _, l := range here {
		if l.value != 0 {
			count++
		}
	}
	result := count
	switch at.Kind {
	case "and":
		result = truth(count == uint32(len(here)))
	case "or":
		result = truth(count > 0)
	}
	for _, l := range here {
		l.result, l.waits = result, nil
	}
	g.phase++
	return true
}

// warp lets those lanes go on that have met in an operation.
func (g *group) warp(lanes []*lane) bool {
	met := false
	for _, l := range lanes {
		if l.waits == nil || l.waits.Op != "warp" {
			continue
		}
		s := l.waits
		var here []*lane
		ready := true
		for i, o := range lanes {
			if s.Mask>>i&1 != 0 && !o.gone {
				ready = ready && o.waits == s
				here = append(here, o)
			}
		}
		if ready {
			meet(s, here)
			met = true
			for _, o := range here {
				o.waits = nil
			}
		}
	}
	return met
}

// wait has the lane come to a statement and go on with the result.
func (l *lane) wait(s *Stmt) (result uint32, ok bool) {
	ok = l.yield(s)
	return l.result, ok
}

func (g *group) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// touch notes what a lane does to an element of a shared array and returns it.
func (l *lane) touch(array int32, index uint32, u use) *cell {
	g := l.g
	c := &g.shared[array][index%uint32(len(g.lanes))]
	if c.phase != g.phase {
		c.phase, c.did, c.reader, c.writer = g.phase, 0, nobody, nobody
	}
	others := func(who int) bool { return who != nobody && who != l.item }
	race := false
	switch u {
	case writeOwn:
		race = others(c.reader) || others(c.writer) || c.did&changeAny != 0
		c.writer = l.item
	case changeAny:
		race = c.did&^changeAny != 0
	default:
		race = others(c.writer) || c.did&changeAny != 0
		if c.reader == nobody {
			c.reader = l.item
		} else if c.reader != l.item {
			c.reader = many
		}
	}
	c.did |= u
	if race {
		g.fail("items race for element %d of shared array %d", index%uint32(len(g.lanes)), array)
	}
	return c
}
