package spmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// region is the code from one cut to the next, as a function of its own: what
// comes in is what calls of "@kiln.in.N" give, N its place among the inputs,
// and where it ends it calls "@kiln.out.N", N the region that comes next.
type region struct {
	fn     *irtext.Function
	g      *graph
	root   int
	inputs []input
	exits  []*exit
	// once tells that one chunk of items can do what it does for all.
	once bool

	c      *cutting
	inside map[int]bool
	again  []string
	have   map[string]bool
}

// input is a value or a private array that comes into a region.
type input struct {
	name  string
	slot  *slot
	array bool
}

// exit is a way out of a region to another.
type exit struct {
	to      int
	barrier *irtext.Instr
	preds   []int
	outs    []output
}

// output is a value for the region that comes next: what each predecessor brings.
type output struct {
	slot *slot
	from []irtext.Operand
}

const (
	inPrefix  = "@kiln.in."
	outPrefix = "@kiln.out."
)

func exitName(to int) string { return fmt.Sprintf("%%kiln.exit.%d", to) }

// build writes the region that begins with root k.
func (c *cutting) build(k int) (*region, error) {
	r := &region{c: c, root: c.roots[k], inside: map[int]bool{}, have: map[string]bool{}}
	r.walk(r.root)
	order := make([]int, 0, len(r.inside))
	for _, b := range c.g.order {
		if r.inside[b] && b != r.root {
			order = append(order, b)
		}
	}
	order = append([]int{r.root}, order...)
	var body []string
	for _, b := range order {
		lines, err := r.block(b)
		if err != nil {
			return nil, err
		}
		body = append(body, lines...)
	}
	for _, e := range r.exits {
		if err := r.findOutputs(e); err != nil {
			return nil, err
		}
		body = append(body, r.exitBlock(e)...)
	}
	var start []string
	for i, in := range r.inputs {
		start = append(start, fmt.Sprintf("  %s = call %s %s%d()", in.name, c.typeOf(in.name), inPrefix, i))
	}
	start = append(start, r.again...)
	body = append(append([]string{c.fn.Blocks[r.root].Name[1:] + ":"}, start...), body[1:]...)
	var err error
	if r.fn, err = irtext.ParseFunction(&irtext.Entity{Name: "@kiln.region", Line: header(c.fn), Body: body}); err != nil {
		return nil, err
	}
	if r.g, err = newGraph(r.fn); err != nil {
		return nil, err
	}
	return r, r.check()
}

func (c *cutting) typeOf(name string) string { return c.fn.Defs[name].Type }

// walk finds the region's blocks and its ways out.
func (r *region) walk(b int) {
	r.inside[b] = true
	block := r.c.fn.Blocks[b]
	for _, s := range r.c.g.succs[b] {
		k, cut := r.c.region[s]
		if !cut {
			if !r.inside[s] {
				r.walk(s)
			}
			continue
		}
		at := slices.IndexFunc(r.exits, func(e *exit) bool { return e.to == k })
		if at < 0 {
			at = len(r.exits)
			r.exits = append(r.exits, &exit{to: k, barrier: ended(block)})
		}
		r.exits[at].preds = append(r.exits[at].preds, b)
	}
}

// block writes one block, with the ways out of the region where the others go.
func (r *region) block(b int) ([]string, error) {
	block := r.c.fn.Blocks[b]
	lines := []string{block.Name[1:] + ":"}
	rename := func(name string) string {
		if to := r.c.g.block(name); to >= 0 {
			if k, cut := r.c.region[to]; cut && name == r.c.fn.Blocks[to].Name {
				return exitName(k)
			}
		}
		return name
	}
	for _, in := range block.Instrs {
		switch {
		case in.Op == "phi" && b == r.root, in.Op == "alloca":
			continue
		case meets(in):
			for _, a := range in.Args {
				if err := r.need(a.Text); err != nil {
					return nil, err
				}
			}
			continue
		case in.Op == "phi":
			list, err := r.phi(in)
			if err != nil {
				return nil, err
			}
			lines = append(lines, list)
			continue
		}
		for _, a := range in.Args {
			if err := r.need(a.Text); err != nil {
				return nil, err
			}
		}
		if strings.HasPrefix(in.Callee, "%") {
			if err := r.need(in.Callee); err != nil {
				return nil, err
			}
		}
		if in == block.Terminator() && len(block.Succs) > 0 {
			lines = append(lines, "  "+r.terminator(in, rename))
			continue
		}
		lines = append(lines, "  "+sourceText(in, func(name string) string { return name }))
	}
	return lines, nil
}

// terminator writes a branch; one whose ways have become one is no branch any more.
func (r *region) terminator(in *irtext.Instr, rename func(string) string) string {
	to := rename(in.Labels[0])
	if slices.ContainsFunc(in.Labels, func(l string) bool { return rename(l) != to }) {
		return sourceText(in, func(name string) string {
			if slices.Contains(in.Labels, name) {
				return rename(name)
			}
			return name
		})
	}
	return "br label " + to
}

// phi writes a phi without what comes from outside the region.
func (r *region) phi(in *irtext.Instr) (string, error) {
	var parts []string
	for i, a := range in.Args {
		if !r.inside[r.c.g.block(in.Labels[i])] {
			continue
		}
		if err := r.need(a.Text); err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprintf("[ %s, %s ]", a.Text, in.Labels[i]))
	}
	return fmt.Sprintf("  %s = phi %s %s", in.Name, in.Type, strings.Join(parts, ", ")), nil
}

// need makes a value at hand in the region.
func (r *region) need(name string) error {
	def := r.c.fn.Defs[name]
	if def == nil || r.have[name] {
		return nil
	}
	b := def.Block.Index
	if r.inside[b] && !(b == r.root && def.Op == "phi") && def.Op != "alloca" {
		return nil
	}
	r.have[name] = true
	if def.Op != "alloca" && r.c.recomputed(name) {
		for _, a := range def.Args {
			if err := r.need(a.Text); err != nil {
				return err
			}
		}
		r.again = append(r.again, "  "+sourceText(def, func(name string) string { return name }))
		return nil
	}
	in := input{name: name, slot: r.c.slots[name], array: def.Op == "alloca"}
	if !in.array && in.slot == nil {
		return fmt.Errorf("kernel %s: %s comes into a region from nowhere", r.c.l.kernel, name)
	}
	r.inputs = append(r.inputs, in)
	return nil
}

// findOutputs finds what the region brings to one that comes next.
func (r *region) findOutputs(e *exit) error {
	c, root := r.c, r.c.roots[e.to]
	add := func(s *slot, from []irtext.Operand) error {
		stays := true
		for _, o := range from {
			if err := r.need(o.Text); err != nil {
				return err
			}
			stays = stays && c.slots[o.Text] == s && r.isInput(o.Text)
		}
		if !stays {
			e.outs = append(e.outs, output{s, from})
		}
		return nil
	}
	live := c.live[root]
	for i, name := range c.values {
		def := c.fn.Defs[name]
		if !live.has(i) || !r.inside[def.Block.Index] || meets(def) || def.Block.Index == r.root && def.Op == "phi" {
			continue
		}
		from := make([]irtext.Operand, len(e.preds))
		for k := range from {
			from[k] = irtext.Operand{Type: def.Type, Text: name}
		}
		if err := add(c.slots[name], from); err != nil {
			return err
		}
	}
	for _, phi := range c.fn.Blocks[root].Instrs {
		if phi.Op != "phi" {
			break
		}
		from := make([]irtext.Operand, len(e.preds))
		for k, p := range e.preds {
			at := slices.IndexFunc(phi.Labels, func(l string) bool { return c.g.block(l) == p })
			from[k] = phi.Args[at]
		}
		if err := add(c.slots[phi.Name], from); err != nil {
			return err
		}
	}
	return nil
}

func (r *region) isInput(name string) bool {
	return slices.ContainsFunc(r.inputs, func(in input) bool { return in.name == name })
}

// exitBlock writes the block in which the region ends this way.
func (r *region) exitBlock(e *exit) []string {
	lines := []string{exitName(e.to)[1:] + ":"}
	var args []string
	if e.barrier != nil && len(e.barrier.Args) > 2 {
		args = append(args, e.barrier.Args[2].Type+" "+e.barrier.Args[2].Text)
	}
	for i, o := range e.outs {
		value := o.from[0].Text
		if slices.ContainsFunc(o.from, func(p irtext.Operand) bool { return p.Text != value }) {
			value = fmt.Sprintf("%%kiln.out.%d.%d", e.to, i)
			var parts []string
			for k, p := range o.from {
				parts = append(parts, fmt.Sprintf("[ %s, %s ]", p.Text, r.c.fn.Blocks[e.preds[k]].Name))
			}
			lines = append(lines, fmt.Sprintf("  %s = phi %s %s", value, o.slot.typ, strings.Join(parts, ", ")))
		}
		args = append(args, o.slot.typ+" "+value)
	}
	return append(lines, fmt.Sprintf("  call void %s%d(%s)", outPrefix, e.to, strings.Join(args, ", ")), "  ret void")
}

// check finds whether items of a group can part ways: some may be gone, but
// all that go on go to one region.
func (r *region) check() error {
	g := r.g
	n := len(g.succs)
	on := r.goesOn()
	post := g.postOf(func(b int) bool { return on[b] })
	parts := false
	for b := range n {
		at := r.c.g.block(r.fn.Blocks[b].Name)
		if at < 0 || !r.c.group.branches[at] || !on[b] {
			continue
		}
		parts = true
		common, left := newSet(n), 0
		common.fill(n)
		all := newSet(n)
		all.fill(n)
		for _, s := range g.succs[b] {
			all.and(g.post[s])
			if on[s] {
				left++
				common.and(post[s])
			}
		}
		if left > 1 && common.first() < 0 {
			return refuse("its items may part ways where some meet")
		}
		if all.first() < 0 {
			r.c.masked = true
		}
	}
	r.once = !parts && r.noEffect()
	return nil
}

// goesOn returns the blocks from which the region leads to another.
func (r *region) goesOn() []bool {
	on := make([]bool, len(r.g.succs))
	var mark func(int)
	mark = func(b int) {
		if !on[b] {
			on[b] = true
			for _, p := range r.g.preds[b] {
				mark(p)
			}
		}
	}
	for _, e := range r.exits {
		mark(r.g.block(exitName(e.to)))
	}
	return on
}

// noEffect reports whether the region works out nothing but what is the same
// for all items.
func (r *region) noEffect() bool {
	for _, e := range r.exits {
		if e.barrier != nil && len(e.barrier.Args) > 2 {
			return false
		}
		for _, o := range e.outs {
			if o.slot.kind != perGroup {
				return false
			}
		}
	}
	for _, b := range r.fn.Blocks {
		for _, in := range b.Instrs {
			switch in.Op {
			case "store", "atomicrmw", "cmpxchg", "fence":
				return false
			case "load":
				if in.Has("volatile") || in.Has("atomic") {
					return false
				}
			case "call":
				if strings.HasPrefix(in.Callee, inPrefix) || strings.HasPrefix(in.Callee, outPrefix) ||
					strings.HasPrefix(in.Callee, sharedPrefix) {
					continue
				}
				if _, _, id := idOf(in.Callee); !id && !r.c.l.pureCall(in.Callee) {
					return false
				}
			}
		}
	}
	return true
}
