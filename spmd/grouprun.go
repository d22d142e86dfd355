package spmd

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// runGroup adds the functions that run a group's items side by side from one
// meeting to the next, and the entry. Nothing is added where it returns an error.
func (l *lowering) runGroup() error {
	defines, declares := slices.Clone(l.module.Defines), slices.Clone(l.module.Declares)
	var groups []*groupWriter
	for i, f := range l.groupForms() {
		attributes := "alwaysinline"
		if i > 0 && f.flat {
			attributes = "noinline optsize"
		}
		g, err := l.addGroup(f, attributes)
		if err != nil {
			l.module.Defines, l.module.Declares = defines, declares
			return err
		}
		groups = append(groups, g)
	}
	l.dropCollectives()
	l.addGroupEntry(groups)
	for _, g := range groups {
		l.remarkGroup(g)
	}
	return nil
}

// remarkGroup says how each region of a form runs.
func (l *lowering) remarkGroup(g *groupWriter) {
	what := "row by row"
	if g.f.flat {
		what = "in order"
	}
	if g.c.masked {
		what += ", under a mask"
	}
	size := "any block"
	switch {
	case g.fixed():
		size = fmt.Sprintf("a block of %d by %d by %d", g.f.block[0], g.f.block[1], g.f.block[2])
	case !g.f.flat:
		size = fmt.Sprintf("a block's width a multiple of %d", g.f.lanes)
	}
	l.remark("regions for %s: %d of %d side by side, %s; %d values kept", size, len(g.regions), g.f.lanes, what, len(g.c.order))
	for _, r := range g.regions {
		text := r.count.String()
		if r.r.once {
			text = "once for all"
		}
		l.remark("region %d: %s", r.k, text)
	}
}

// warpWide reports whether items of a warp work together.
func (l *lowering) warpWide() bool {
	for _, d := range l.module.Declares {
		if k := collectives()[d.Name].kind; k == inWarp || k == atSite {
			return true
		}
	}
	return false
}

// groupForms chooses in which forms a group is run: one where the block is
// fixed, else one for the block that the kernel seems to be made for, or for rows
// that fill vectors, and one for any block.
func (l *lowering) groupForms() []groupForm {
	warp := 0
	if l.warpWide() {
		warp = l.warp
	}
	if l.opt.Lanes > 1 {
		warp = l.opt.Lanes
	}
	block := l.opt.Block
	if block[0] != 0 && block[1] != 0 && block[2] != 0 {
		return []groupForm{formOf("fixed", block, warp)}
	}
	lanes := warp
	if lanes == 0 {
		lanes = 16
	}
	first := groupForm{name: "rows", lanes: lanes, block: block}
	if likely := l.likelyBlock(); likely[0] != 0 && block == ([3]uint32{}) {
		first = formOf("likely", likely, warp)
	}
	return []groupForm{first, {name: "any", lanes: lanes, flat: true, masked: true, block: block}}
}

// likelyBlock is the block that a kernel with so many items at most is made
// for, zeros where that cannot be told.
func (l *lowering) likelyBlock() [3]uint32 {
	n := l.opt.MaxBlock
	if n < 32 || n >= maxItems || n%32 != 0 {
		return [3]uint32{}
	}
	var uses [3]bool
	for _, b := range l.fn.Blocks {
		for _, in := range b.Instrs {
			if kind, d, ok := idOf(in.Callee); ok && kind == tid {
				uses[d] = true
			}
		}
	}
	switch side := uint32(math.Sqrt(float64(n))); {
	case !uses[1] && !uses[2]:
		return [3]uint32{n, 1, 1}
	case !uses[2] && side*side == n:
		return [3]uint32{side, side, 1}
	}
	return [3]uint32{}
}

// formOf is the form for a block of known size.
func formOf(name string, block [3]uint32, lanes int) groupForm {
	f := groupForm{name: name, lanes: lanes, block: block}
	if lanes == 0 {
		f.lanes = 16
		for _, n := range []int{32, 16, 8} {
			if int(block[0])%n == 0 {
				f.lanes = n
				break
			}
		}
	}
	switch n := uint32(f.lanes); {
	case block[0]%n == 0:
	case block[1] == 1 && block[2] == 1:
		f.masked = true
	default:
		f.flat = true
		f.masked = block[0]*block[1]*block[2]%n != 0
	}
	return f
}

// addGroupEntry adds the entry: a loop over groups, each run in the first form
// that takes the block.
func (l *lowering) addGroupEntry(groups []*groupWriter) {
	w := &entryWriter{l: l}
	w.label("entry")
	args := w.arguments()
	size := func(fixed [3]uint32, offset uint32) (v [3]string) {
		for d := range v {
			if v[d] = fmt.Sprint(fixed[d]); fixed[d] == 0 {
				v[d] = w.load("i32", offset+4*uint32(d), "%frame")
			}
		}
		return v
	}
	grid, block := size(l.opt.Grid, frameGrid), size(l.opt.Block, frameBlock)
	first, last := w.load("i64", frameFirst, "%frame"), w.load("i64", frameLast, "%frame")
	dynamic, context := w.load("ptr", frameShared, "%frame"), w.load("ptr", frameContext, "%frame")
	width, height := w.op("zext i32 %s to i64", grid[0]), w.op("zext i32 %s to i64", grid[1])
	row := w.op("udiv i64 %s, %s", first, width)
	x := w.op("trunc i64 %s to i32", w.op("urem i64 %s, %s", first, width))
	y := w.op("trunc i64 %s to i32", w.op("urem i64 %s, %s", row, height))
	z := w.op("trunc i64 %s to i32", w.op("udiv i64 %s, %s", row, height))
	fits := make([]string, len(groups))
	for i, g := range groups {
		fits[i] = w.fits(g, block)
	}
	n := w.op("mul i32 %s, %s", w.op("mul i32 %s, %s", block[0], block[1]), block[2])
	w.do("%%room = icmp ule i32 %s, %d", n, l.mostItems())
	w.do("br i1 %%room, label %%groups, label %%full")

	w.label("groups")
	w.do("%%g = phi i64 [ %s, %%entry ], [ %%g.next, %%group.end ]", first)
	w.do("%%gx = phi i32 [ %s, %%entry ], [ %%gx.next, %%group.end ]", x)
	w.do("%%gy = phi i32 [ %s, %%entry ], [ %%gy.next, %%group.end ]", y)
	w.do("%%gz = phi i32 [ %s, %%entry ], [ %%gz.next, %%group.end ]", z)
	w.do("%%more = icmp ult i64 %%g, %s", last)
	w.do("br i1 %%more, label %%form.0, label %%done")
	var results []string
	for i, g := range groups {
		w.label(fmt.Sprintf("form.%d", i))
		if i < len(groups)-1 {
			w.do("br i1 %s, label %%run.%d, label %%form.%d", fits[i], i, i+1)
		} else {
			w.do("br label %%run.%d", i)
		}
		w.label(fmt.Sprintf("run.%d", i))
		sizes := block
		for d, n := range g.f.block {
			if n != 0 {
				sizes[d] = fmt.Sprint(n)
			}
		}
		ids := strings.Join([]string{sizes[0], sizes[1], sizes[2], "%gx", "%gy", "%gz", grid[0], grid[1], grid[2]}, ", i32 ")
		status := w.op("call i32 @kiln.group.%s(%si32 %s, ptr %s, ptr %s)", g.f.name, args, ids, dynamic, context)
		results = append(results, fmt.Sprintf("[ %s, %%run.%d ]", status, i))
		w.do("br label %%group.end")
	}
	w.label("group.end")
	w.do("%%status = phi i32 %s", strings.Join(results, ", "))
	w.do("%%x.inc = add nuw i32 %%gx, 1")
	w.do("%%x.wrap = icmp eq i32 %%x.inc, %s", grid[0])
	w.do("%%gx.next = select i1 %%x.wrap, i32 0, i32 %%x.inc")
	w.do("%%gy.inc = add nuw i32 %%gy, 1")
	w.do("%%gy.up = select i1 %%x.wrap, i32 %%gy.inc, i32 %%gy")
	w.do("%%y.wrap = icmp eq i32 %%gy.up, %s", grid[1])
	w.do("%%gy.next = select i1 %%y.wrap, i32 0, i32 %%gy.up")
	w.do("%%gz.inc = add i32 %%gz, 1")
	w.do("%%gz.next = select i1 %%y.wrap, i32 %%gz.inc, i32 %%gz")
	w.do("%%g.next = add nuw i64 %%g, 1")
	w.do("%%well = icmp eq i32 %%status, 0")
	w.do("br i1 %%well, label %%groups, label %%stuck")
	w.label("done")
	w.do("ret i32 0")
	w.label("stuck")
	w.do("ret i32 %%status")
	w.label("full")
	w.do("ret i32 %d", StatusBlock)
	l.addFunction("define i32 "+globalName(l.kernel)+"(ptr noundef nonnull align 8 dereferenceable(80) %frame)"+entryAttributes, w.lines)
	for _, g := range groups {
		l.contextBytes = max(l.contextBytes, g.context)
	}
}

// fits asks whether a form takes the launch's block.
func (w *entryWriter) fits(g *groupWriter, block [3]string) string {
	if g.f.flat {
		return "true"
	}
	fits := "true"
	for d, n := range g.f.block {
		if n != 0 && w.l.opt.Block[d] == 0 {
			is := w.op("icmp eq i32 %s, %d", block[d], n)
			fits = w.op("and i1 %s, %s", fits, is)
		}
	}
	if g.f.block[0] == 0 {
		rest := w.op("and i32 %s, %d", block[0], g.f.lanes-1)
		fits = w.op("and i1 %s, %s", fits, w.op("icmp eq i32 %s, 0", rest))
	}
	return fits
}
