package spmd

import "github.com/kilnjit/kiln/spmd/internal/irtext"

// waiting finds where an item may wait in a loop for what another item writes:
// side by side that may never end.
type waiting struct {
	g    *graph
	uses map[string][]*irtext.Instr
}

func newWaiting(g *graph) *waiting {
	w := &waiting{g: g, uses: map[string][]*irtext.Instr{}}
	for _, b := range g.fn.Blocks {
		for _, in := range b.Instrs {
			for _, a := range in.Args {
				if a.Local() {
					w.uses[a.Text] = append(w.uses[a.Text], in)
				}
			}
		}
	}
	return w
}

// at reports whether the instruction reads what may keep an item in a loop.
func (w *waiting) at(in *irtext.Instr) bool {
	l := w.g.loopOf[in.Block.Index]
	if l == nil {
		return false
	}
	switch in.Op {
	case "cmpxchg", "atomicrmw":
	case "load":
		if !in.Has("volatile") && !in.Has("atomic") {
			return false
		}
	default:
		return false
	}
	for l.parent != nil {
		l = l.parent
	}
	return w.decides(in.Name, l, map[string]bool{})
}

// decides reports whether a value has a say in where control goes in a loop, as
// far as can be told: what is written to memory may.
func (w *waiting) decides(name string, l *loop, seen map[string]bool) bool {
	if seen[name] {
		return false
	}
	seen[name] = true
	for _, in := range w.uses[name] {
		inside := l.blocks.has(in.Block.Index)
		switch in.Op {
		case "br", "switch":
			if inside {
				return true
			}
		case "store":
			if inside && in.Args[0].Text == name {
				return true
			}
		}
		if in.Name != "" && w.decides(in.Name, l, seen) {
			return true
		}
	}
	return false
}
