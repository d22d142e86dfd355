package spmd

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// cutting is a kernel's function taken apart where the items of a group meet.
//
// Every barrier ends a block, and control is cut there and on the way into
// each loop that holds a barrier. A region is what is reached from one cut
// without passing another; all items of a group run one region before any
// runs the next. No cycle of a region leads through a loop that holds a
// barrier, so that a value either comes into a region or is made in it.
type cutting struct {
	l  *lowering
	fn *irtext.Function
	g  *graph
	// roots are the blocks that regions begin with, the kernel's first among
	// them; region is the number of the region that begins with a block.
	roots  []int
	region map[int]int
	// group holds what is the same for all items of a group, lanes for those
	// that run side by side.
	group, lanes *shapes
	private      map[string]privateArray
	repeated     map[string]bool
	live         []set
	values       []string
	number       map[string]int
	kept         map[string]keeping
	slots        map[string]*slot
	order        []*slot
	regions      []*region
	// masked tells that some items of a group may be gone while others run.
	masked bool
}

// meets reports whether the instruction is a barrier.
func meets(in *irtext.Instr) bool {
	return in.Op == "call" && collectives()[in.Callee].kind == atBarrier
}

// ended returns the barrier that ends a block, or nil.
func ended(b *irtext.Block) *irtext.Instr {
	if n := len(b.Instrs); n > 1 && meets(b.Instrs[n-2]) {
		return b.Instrs[n-2]
	}
	return nil
}

// splitAtBarriers returns the function with each barrier as the last
// instruction of a block but for the branch to what follows.
func splitAtBarriers(fn *irtext.Function) (*irtext.Function, error) {
	last := map[string]string{}
	for _, b := range fn.Blocks {
		last[b.Name] = b.Name
		for i, in := range b.Instrs {
			if meets(in) {
				last[b.Name] = after(b, i)
			}
		}
	}
	same := func(name string) string { return name }
	tail := func(name string) string {
		if to := last[name]; to != "" {
			return to
		}
		return name
	}
	var body []string
	for _, b := range fn.Blocks {
		body = append(body, b.Name[1:]+":")
		for i, in := range b.Instrs {
			rename := same
			if in.Op == "phi" {
				rename = tail
			}
			body = append(body, "  "+sourceText(in, rename))
			if meets(in) {
				body = append(body, "  br label "+after(b, i), after(b, i)[1:]+":")
			}
		}
	}
	return irtext.ParseFunction(&irtext.Entity{Name: fn.Name, Line: header(fn), Body: body})
}

func after(b *irtext.Block, i int) string { return fmt.Sprintf("%%kiln.after.%d.%d", b.Index, i) }

// sourceText is an instruction as a line of a function with other names.
func sourceText(in *irtext.Instr, rename func(string) string) string {
	text := in.Rewrite(rename) + irtext.Join(in.Meta)
	if in.Name != "" {
		text = in.Name + " = " + text
	}
	return text
}

func header(fn *irtext.Function) string {
	var list []string
	for _, p := range fn.Params {
		list = append(list, p.Type+" "+p.Name)
	}
	return "define void @kiln.kernel(" + strings.Join(list, ", ") + ")"
}

// cut takes the kernel apart for lanes side by side.
func (l *lowering) cut(f groupForm) (*cutting, error) {
	fn, err := splitAtBarriers(l.fn)
	if err != nil {
		return nil, err
	}
	c := &cutting{l: l, fn: fn, region: map[int]int{}, masked: f.masked}
	if c.g, err = newGraph(fn); err != nil {
		return nil, err
	}
	waits := newWaiting(c.g)
	for i, p := range fn.Params {
		if l.byValue[i] && l.written(p.Name) {
			return nil, refuse("it writes to a struct given by value")
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch {
			case waits.at(in):
				return nil, refuse("it may wait in a loop for another item")
			case meets(in) && !f.whole(in.Args[1]):
				return nil, refuse("it has a barrier for some items of a group")
			}
		}
	}
	c.findRoots()
	sz := newSizes(l.module)
	if c.private, err = privateArrays(fn, sz, int64(f.lanes), maxGroupPrivate); err != nil {
		return nil, err
	}
	solve := func(group bool) *shapes {
		s := &shapes{g: c.g, sizes: sz, lanes: int64(f.lanes), flat: f.flat, group: group, partial: f.masked, pure: l.pureCall, private: c.private}
		s.solve()
		return s
	}
	c.group, c.lanes = solve(true), solve(false)
	c.liveness()
	for k := range c.roots {
		r, err := c.build(k)
		if err != nil {
			return nil, err
		}
		c.regions = append(c.regions, r)
	}
	return c, nil
}

// whole reports whether a barrier's number of items is that of the group.
func (f groupForm) whole(items irtext.Operand) bool {
	n, ok := integer(items.Text)
	return ok && (n == 0 || f.block[0] != 0 && f.block[1] != 0 && f.block[2] != 0 &&
		n == int64(f.block[0])*int64(f.block[1])*int64(f.block[2]))
}

// findRoots finds where regions begin.
func (c *cutting) findRoots() {
	add := func(b int) {
		if _, ok := c.region[b]; !ok {
			c.region[b] = len(c.roots)
			c.roots = append(c.roots, b)
		}
	}
	add(0)
	for _, b := range c.fn.Blocks {
		if ended(b) != nil {
			add(b.Succs[0].Index)
		}
	}
	for _, l := range c.g.loops {
		for _, b := range c.fn.Blocks {
			if l.blocks.has(b.Index) && ended(b) != nil {
				add(l.header)
			}
		}
	}
}
