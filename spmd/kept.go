package spmd

import (
	"slices"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// cheap are the operations that cost less than to keep their results.
func cheap(in *irtext.Instr) bool {
	switch in.Op {
	case "add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "icmp", "select", "zext", "sext", "trunc",
		"getelementptr", "ptrtoint", "inttoptr", "bitcast", "sitofp", "uitofp":
		return true
	case "udiv", "urem":
		return !in.Args[1].Local()
	case "call":
		_, _, id := idOf(in.Callee)
		switch base, _, _ := intrinsicName(in.Callee); base {
		case "umin", "umax", "usub.sat", "ctpop": // what a lane's number in a wave is made of
			return true
		}
		return id || strings.HasPrefix(in.Callee, sharedPrefix)
	}
	return false
}

// maxAgain is how many values of a chain are worked out again.
const maxAgain = 12

// leavesOf returns what must be kept so that a value is at hand in another
// region: none for a parameter, what the ids and values equal in all items give,
// and the value itself where it is not worked out again.
func (c *cutting) leavesOf(name string) []string {
	in := c.fn.Defs[name]
	if in == nil || in.Op == "alloca" {
		return nil
	}
	if k, ok := c.kept[name]; ok {
		return k.leaves
	}
	k := keeping{leaves: []string{name}}
	c.kept[name] = k
	if !cheap(in) {
		return k.leaves
	}
	again := keeping{size: 1}
	for _, a := range in.Args {
		list := c.leavesOf(a.Text)
		if n := c.kept[a.Text].size; n > 0 {
			again.size += n
		} else if list != nil && c.group.of[a.Text].kind != uniform {
			return k.leaves
		}
		again.leaves = append(again.leaves, list...)
	}
	if again.size <= maxAgain || again.size <= maxLook && c.foreseen(in) {
		c.kept[name] = again
	}
	return c.kept[name].leaves
}

// foreseen reports whether a lane's value is known while compiling, as far as
// it names a lane: what takes it then needs no code for it.
func (c *cutting) foreseen(in *irtext.Instr) bool {
	w := &laneWriter{l: &lowering{fn: c.fn}, s: c.lanes, lanes: int(c.lanes.lanes)}
	left := maxLook
	low := uint64(w.lanes - 1)
	return w.look(irtext.Operand{Type: in.Type, Text: in.Name}, 0, &left).known&low == low
}

// keeping says what is kept of a value: itself, or what the instructions take that
// work it out again, size of them.
type keeping struct {
	leaves []string
	size   int
}

// recomputed reports whether a value is worked out again where it is needed.
func (c *cutting) recomputed(name string) bool {
	c.leavesOf(name)
	return c.kept[name].size > 0
}

// liveness finds the values that live where each region begins.
func (c *cutting) liveness() {
	c.kept, c.number = map[string]keeping{}, map[string]int{}
	c.values = nil
	for _, b := range c.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Name != "" {
				c.number[in.Name] = len(c.values)
				c.values = append(c.values, in.Name)
			}
		}
	}
	n := len(c.fn.Blocks)
	uses, kills, phiUses := make([]set, n), make([]set, n), make([]set, n)
	for i := range n {
		uses[i], kills[i], phiUses[i] = newSet(len(c.values)), newSet(len(c.values)), newSet(len(c.values))
	}
	note := func(to set, at int, o string) {
		if def := c.fn.Defs[o]; def == nil || def.Block.Index == at {
			return
		}
		for _, leaf := range c.leavesOf(o) {
			to.add(c.number[leaf])
		}
	}
	for i, b := range c.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Name != "" {
				kills[i].add(c.number[in.Name])
			}
			for k, a := range in.Args {
				if !a.Local() {
					continue
				}
				if in.Op == "phi" {
					from := c.g.block(in.Labels[k])
					note(phiUses[from], from, a.Text)
				} else {
					note(uses[i], i, a.Text)
				}
			}
			if strings.HasPrefix(in.Callee, "%") {
				note(uses[i], i, in.Callee)
			}
		}
	}
	c.live = make([]set, n)
	for i := range n {
		c.live[i] = uses[i].clone()
	}
	for changed := true; changed; {
		changed = false
		for i := len(c.g.order) - 1; i >= 0; i-- {
			b := c.g.order[i]
			out := phiUses[b].clone()
			for _, s := range c.g.succs[b] {
				out.or(c.live[s])
			}
			for w := range out {
				out[w] &^= kills[b][w]
			}
			changed = c.live[b].or(out) || changed
		}
	}
	c.assign()
}

// at returns the values that live where a root begins, its own phis among them.
func (c *cutting) at(root int) set {
	s := c.live[root].clone()
	for _, in := range c.fn.Blocks[root].Instrs {
		if in.Op == "phi" {
			s.add(c.number[in.Name])
		}
	}
	return s
}

// slot is where a value lies between regions.
type slot struct {
	id   int
	typ  string
	kind slotKind
	of   shape
}

type slotKind uint8

const (
	perGroup slotKind = iota // one for all items
	perChunk                 // one for those that run side by side, the first lane's
	perLane
)

// assign gives each value that lives across a cut a slot, and a phi the same
// as the values that come into it where these never live side by side.
func (c *cutting) assign() {
	together := make([]set, len(c.roots))
	kept := newSet(len(c.values))
	for k, r := range c.roots {
		together[k] = c.at(r)
		kept.or(together[k])
	}
	c.slots = map[string]*slot{}
	web := map[*slot]set{}
	for i, name := range c.values {
		if !kept.has(i) {
			continue
		}
		s := &slot{typ: c.fn.Defs[name].Type, of: c.lanes.of[name]}
		switch {
		case c.group.of[name].kind == uniform:
			s.kind = perGroup
		case s.of.scalar():
			s.kind = perChunk
		default:
			s.kind = perLane
		}
		c.slots[name] = s
		web[s] = newSet(len(c.values))
		web[s].add(i)
	}
	for _, r := range c.roots {
		for _, in := range c.fn.Blocks[r].Instrs {
			if in.Op != "phi" {
				break
			}
			for _, a := range in.Args {
				p, v := c.slots[in.Name], c.slots[a.Text]
				if v == nil || p == v || p.kind != v.kind || p.typ != v.typ || p.kind == perChunk && p.of != v.of || c.clash(together, web[p], web[v]) {
					continue
				}
				web[p].or(web[v])
				for i := range c.values {
					if web[v].has(i) {
						c.slots[c.values[i]] = p
					}
				}
			}
		}
	}
	for i, name := range c.values {
		if kept.has(i) && !slices.Contains(c.order, c.slots[name]) {
			c.slots[name].id = len(c.order)
			c.order = append(c.order, c.slots[name])
		}
	}
}

// clash reports whether a value of one set ever lives beside one of the other.
func (c *cutting) clash(together []set, x, y set) bool {
	for _, s := range together {
		a, b := s.clone(), s.clone()
		a.and(x)
		b.and(y)
		if a.first() >= 0 && b.first() >= 0 {
			return true
		}
	}
	return false
}
