package spmd

import (
	"fmt"
	"strings"
)

// groupForm is a way of running a group's items in chunks of lanes.
type groupForm struct {
	// name tells the functions of several forms apart.
	name  string
	lanes int
	// flat tells that chunks take items in the order of their numbers in the
	// group, not row by row.
	flat bool
	// masked tells that a row, or in flat order the group, may be no multiple of
	// the lanes.
	masked bool
	// block holds the sizes of the block, 0 where the launch says.
	block [3]uint32
}

// stackBytes bounds what a group takes of a worker's stack. What needs more
// lies in the context memory.
const stackBytes = 64 << 10

// groupWriter writes the function that runs one group.
type groupWriter struct {
	entryWriter
	c       *cutting
	f       groupForm
	context int64 // bytes of context memory, 0 where all is on the stack
	regions []*regionWriter
	arrays  map[string]int
}

// addGroup adds the functions that run a group in a form. Nothing is added
// where it returns an error.
func (l *lowering) addGroup(f groupForm, attributes string) (*groupWriter, error) {
	c, err := l.cut(f)
	if err != nil {
		return nil, err
	}
	if f.masked {
		c.masked = true
	}
	c.findRepeated()
	w := &groupWriter{entryWriter: entryWriter{l: l}, c: c, f: f, arrays: map[string]int{}}
	defines, declares := len(l.module.Defines), len(l.module.Declares)
	for k, r := range c.regions {
		rw := &regionWriter{g: w, r: r, k: k, name: fmt.Sprintf("kiln.%s.%d", f.name, k), given: map[string]bool{}}
		if err := rw.write(); err != nil {
			l.module.Defines, l.module.Declares = l.module.Defines[:defines], l.module.Declares[:declares]
			return nil, err
		}
		w.regions = append(w.regions, rw)
	}
	w.write(attributes)
	return w, nil
}

// findRepeated finds the private arrays whose contents may outlive a region.
func (c *cutting) findRepeated() {
	c.repeated = map[string]bool{}
	seen := map[string]int{}
	for k, r := range c.regions {
		for _, in := range r.inputs {
			if !in.array {
				continue
			}
			if at, ok := seen[in.name]; ok && at != k || c.comesAgain(k) {
				c.repeated[in.name] = true
			}
			seen[in.name] = k
		}
	}
}

// comesAgain reports whether a region can follow itself.
func (c *cutting) comesAgain(k int) bool {
	seen := make([]bool, len(c.regions))
	var follow func(int) bool
	follow = func(at int) bool {
		for _, e := range c.regions[at].exits {
			if e.to == k {
				return true
			}
			if !seen[e.to] {
				seen[e.to] = true
				if follow(e.to) {
					return true
				}
			}
		}
		return false
	}
	return follow(k)
}

func (w *groupWriter) arrayName(alloca string) string {
	if _, ok := w.arrays[alloca]; !ok {
		w.arrays[alloca] = len(w.arrays)
	}
	return fmt.Sprintf("%%kiln.array.g%d", w.arrays[alloca])
}

// rowType is the type of what a slot holds for one chunk.
func (w *groupWriter) rowType(s *slot) string {
	if s.kind == perLane {
		return fmt.Sprintf("<%d x %s>", w.f.lanes, stored(s.typ))
	}
	return stored(s.typ)
}

func (w *groupWriter) rowBytes(s *slot) int64 {
	n, _ := w.c.lanes.sizes.of(stored(s.typ))
	if s.kind == perLane {
		n *= int64(w.f.lanes)
	}
	return n
}

func (w *groupWriter) rowAlign(s *slot) int64 { return min(w.rowBytes(s), 64) }

// mostChunks is how many chunks there is room for.
func (w *groupWriter) mostChunks() int64 {
	n := int64(maxItems)
	if w.fixed() {
		n = w.items()
		if !w.f.flat {
			x := int64(w.f.block[0])
			return (x + int64(w.f.lanes) - 1) / int64(w.f.lanes) * (n / x)
		}
	}
	return (n + int64(w.f.lanes) - 1) / int64(w.f.lanes)
}

func (w *groupWriter) fixed() bool {
	return w.f.block[0] != 0 && w.f.block[1] != 0 && w.f.block[2] != 0
}

func (w *groupWriter) items() int64 {
	return int64(w.f.block[0]) * int64(w.f.block[1]) * int64(w.f.block[2])
}

// memory writes the memory of the group: shared variables, values that live
// across cuts, private arrays and who is there.
func (w *groupWriter) memory() {
	type part struct {
		name  string
		bytes int64
	}
	chunks := w.mostChunks()
	parts := []part{}
	if w.l.shared.bytes > 0 {
		parts = append(parts, part{"%kiln.static", w.l.shared.bytes})
	}
	for _, s := range w.c.order {
		if s.kind != perGroup {
			parts = append(parts, part{fmt.Sprintf("%%kiln.slot.%d", s.id), chunks * w.rowBytes(s)})
		}
	}
	arrays := make([]part, len(w.arrays))
	for name, i := range w.arrays {
		arrays[i] = part{w.arrayName(name), chunks * int64(w.f.lanes) * w.c.private[name].bytes}
	}
	parts = append(parts, arrays...)
	if w.c.masked {
		parts = append(parts, part{"%kiln.lives", 8 * chunks})
	}
	total := int64(0)
	for _, p := range parts {
		total += aligned(p.bytes, frameAlign)
	}
	if total > stackBytes {
		w.context = total
	}
	offset := int64(0)
	for _, p := range parts {
		if w.context > 0 {
			w.do("%s = getelementptr inbounds i8, ptr %%kiln.context, i64 %d", p.name, offset)
			offset += aligned(p.bytes, frameAlign)
			continue
		}
		w.do("%s = alloca [%d x i8], align %d", p.name, p.bytes, max(frameAlign, w.l.shared.align))
	}
	for _, s := range w.c.order {
		if s.kind == perGroup {
			w.do("%%kiln.value.%d = alloca %s", s.id, s.typ)
			w.do("%%kiln.out.%d = alloca %s", s.id, s.typ)
		}
	}
	for k, at := range w.c.roots {
		if w.c.sums(at) {
			w.do("%%kiln.sum.%d = alloca i32", k)
		}
	}
	if w.f.flat {
		w.do("%%kiln.items = mul i32 %s, %%kiln.ntid.z", w.op("mul i32 %%kiln.ntid.x, %%kiln.ntid.y"))
	}
	for _, r := range w.regions {
		if r.r.once && w.c.masked {
			w.do("%%%s.left = alloca i64", r.name)
		}
	}
	w.do("%%kiln.next = alloca i32")
	w.do("%%kiln.status = alloca i32")
	w.do("store i32 0, ptr %%kiln.status")
}

func (w *groupWriter) write(attributes string) {
	w.label("entry")
	w.memory()
	if w.c.masked {
		w.begin()
	}
	w.do("br label %%region.0")
	for _, r := range w.regions {
		w.region(r)
	}
	w.label("end")
	w.do("ret i32 0")
	w.l.addFunction("define internal i32 @kiln.group."+w.f.name+"("+w.params()+") nounwind "+attributes, w.lines)
}

// sums reports whether the region that begins with a block comes after a
// barrier that sums up.
func (c *cutting) sums(root int) bool {
	for _, p := range c.g.preds[root] {
		if in := ended(c.fn.Blocks[p]); in != nil && len(in.Args) > 2 {
			return true
		}
	}
	return false
}

// sizeParams are the ids that all items of a group have in common.
const sizeParams = "i32 %kiln.ntid.x, i32 %kiln.ntid.y, i32 %kiln.ntid.z, " +
	"i32 %kiln.ctaid.x, i32 %kiln.ctaid.y, i32 %kiln.ctaid.z, " +
	"i32 %kiln.nctaid.x, i32 %kiln.nctaid.y, i32 %kiln.nctaid.z"

func (w *groupWriter) params() string {
	var b strings.Builder
	for _, p := range w.l.fn.Params {
		fmt.Fprintf(&b, "%s %s, ", p.Type, p.Name)
	}
	return b.String() + sizeParams + ", ptr %kiln.dynamic, ptr noalias %kiln.context"
}

// begin writes who is there at the start: all, but in the last chunk.
func (w *groupWriter) begin() {
	w.chunks("start", func(x, _, _ string) {
		all := "-1"
		if w.f.lanes < 64 {
			all = fmt.Sprint(uint64(1)<<w.f.lanes - 1)
		}
		bits := all
		if w.f.masked {
			bound := "%kiln.ntid.x"
			if w.f.flat {
				bound = "%kiln.items"
			}
			left := w.op("sub i32 %s, %s", bound, x)
			whole := w.op("icmp uge i32 %s, %d", left, w.f.lanes)
			some := w.op("sub i64 %s, 1", w.op("shl i64 1, %s", w.op("zext i32 %s to i64", left)))
			bits = w.op("select i1 %s, i64 %s, i64 %s", whole, all, some)
		}
		w.do("store i64 %s, ptr %s", bits, w.op("getelementptr inbounds i64, ptr %%kiln.lives, i64 %%start.chunk"))
	})
}
