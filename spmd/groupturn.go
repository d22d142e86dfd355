package spmd

import (
	"fmt"
	"strings"
)

// region writes a region's turn: all chunks one after the other, then where
// the group goes.
func (w *groupWriter) region(r *regionWriter) {
	n := r.name
	w.label(fmt.Sprintf("region.%d", r.k))
	for _, in := range r.r.inputs {
		if !in.array && in.slot.kind == perGroup && r.given[fmt.Sprintf("%s %%kiln.in.%d", in.slot.typ, w.inputIndex(r, in.name))] {
			name := fmt.Sprintf("%%%s.in.%d", n, in.slot.id)
			if !r.given[name] {
				r.given[name] = true
				w.do("%s = load %s, ptr %%kiln.value.%d", name, in.slot.typ, in.slot.id)
			}
		}
	}
	w.do("store i32 -1, ptr %%kiln.next")
	for _, e := range r.r.exits {
		if e.barrier != nil && len(e.barrier.Args) > 2 {
			w.do("store i32 %s, ptr %%kiln.sum.%d", neutral[collectives()[e.barrier.Callee].op], e.to)
		}
	}
	args := func(x, y, z string) string {
		var list []string
		for _, p := range w.l.fn.Params {
			list = append(list, p.Type+" "+p.Name)
		}
		list = append(list, "i32 "+x, "i32 "+y, "i32 "+z)
		list = append(list, strings.Split(sizeParams, ", ")...)
		return strings.Join(append(list, r.args...), ", ")
	}
	if r.r.once {
		w.do("%%%s.chunk = add i64 0, 0", n)
		if w.c.masked {
			w.do("%%%s.live = add %s zeroinitializer, %s", n, fmt.Sprintf("<%d x i1>", w.f.lanes), splat(w.f.lanes, "i1", "true"))
		}
		w.do("call void @%s(%s)", n, args("0", "0", "0"))
	} else {
		w.chunks(n, func(x, y, z string) { w.chunk(r, args(x, y, z)) })
	}
	w.next(r)
}

func (w *groupWriter) inputIndex(r *regionWriter, name string) int {
	for i, in := range r.r.inputs {
		if in.name == name {
			return i
		}
	}
	return -1
}

// chunk runs one chunk if an item of it is there.
func (w *groupWriter) chunk(r *regionWriter, args string) {
	n := r.name
	if !w.c.masked {
		w.do("call void @%s(%s)", n, args)
		return
	}
	w.do("%%%s.left = getelementptr inbounds i64, ptr %%kiln.lives, i64 %%%s.chunk", n, n)
	bits := w.op("load i64, ptr %%%s.left", n)
	w.do("br i1 %s, label %%%s.run, label %%%s.gone", w.op("icmp ne i64 %s, 0", bits), n, n)
	w.label(n + ".run")
	w.do("store i64 0, ptr %%%s.left", n)
	narrow := bits
	if w.f.lanes < 64 {
		narrow = w.op("trunc i64 %s to i%d", bits, w.f.lanes)
	}
	w.do("%%%s.live = bitcast i%d %s to <%d x i1>", n, w.f.lanes, narrow, w.f.lanes)
	w.do("call void @%s(%s)", n, args)
	w.do("br label %%%s.gone", n)
	w.label(n + ".gone")
}

// next writes where the group goes after a region.
func (w *groupWriter) next(r *regionWriter) {
	if r.checks {
		status := w.op("load i32, ptr %%kiln.status")
		w.do("br i1 %s, label %%%s.well, label %%%s.stuck", w.op("icmp eq i32 %s, 0", status), r.name, r.name)
		w.label(r.name + ".stuck")
		w.do("ret i32 %s", status)
		w.label(r.name + ".well")
	}
	copied := map[int]bool{}
	for _, e := range r.r.exits {
		for _, o := range e.outs {
			if o.slot.kind == perGroup && !copied[o.slot.id] {
				copied[o.slot.id] = true
				w.do("store %s %s, ptr %%kiln.value.%d", o.slot.typ, w.op("load %s, ptr %%kiln.out.%d", o.slot.typ, o.slot.id), o.slot.id)
			}
		}
	}
	next := w.op("load i32, ptr %%kiln.next")
	var cases []string
	for _, e := range r.r.exits {
		cases = append(cases, fmt.Sprintf("i32 %d, label %%%s.to.%d", e.to, r.name, e.to))
	}
	w.do("switch i32 %s, label %%end [ %s ]", next, strings.Join(cases, " "))
	for _, e := range r.r.exits {
		w.label(fmt.Sprintf("%s.to.%d", r.name, e.to))
		if e.barrier != nil && len(e.barrier.Args) > 2 {
			if s := w.c.slots[e.barrier.Name]; s != nil {
				w.do("store i32 %s, ptr %%kiln.value.%d", w.op("load i32, ptr %%kiln.sum.%d", e.to), s.id)
				w.do("store i32 %s, ptr %%kiln.out.%d", w.op("load i32, ptr %%kiln.sum.%d", e.to), s.id)
			}
		}
		w.do("br label %%region.%d", e.to)
	}
}

// chunks writes loops over the chunks of the group; body gets the ids of each
// one's first item, and the chunk's number is "%prefix.chunk".
func (w *groupWriter) chunks(prefix string, body func(x, y, z string)) {
	p := prefix
	meta := ""
	if !w.fixed() {
		meta = fmt.Sprintf(", !llvm.loop !%d", w.l.loopNode("llvm.loop.unroll.disable"))
	}
	lanes := w.f.lanes
	loop := func(dim, bound string, step int, inner func()) {
		at := fmt.Sprintf("%%%s.%s", p, dim)
		w.do("br label %s.before", at)
		w.label(at[1:] + ".before")
		w.do("br label %s.head", at)
		w.label(at[1:] + ".head")
		w.do("%s = phi i32 [ 0, %s.before ], [ %s.next, %s.latch ]", at, at, at, at)
		inner()
		w.do("br label %s.latch", at)
		w.label(at[1:] + ".latch")
		w.do("%s.next = add nuw i32 %s, %d", at, at, step)
		w.do("%s.more = icmp ult i32 %s.next, %s", at, at, bound)
		w.do("br i1 %s.more, label %s.head, label %s.end%s", at, at, at, meta)
		w.label(at[1:] + ".end")
	}
	shift := 0
	for 1<<shift < lanes {
		shift++
	}
	if w.f.flat {
		loop("x", "%kiln.items", lanes, func() {
			w.do("%%%s.chunk = zext i32 %s to i64", p, w.op("lshr i32 %%%s.x, %d", p, shift))
			body("%"+p+".x", "0", "0")
		})
		return
	}
	row := w.op("lshr i32 %s, %d", w.op("add i32 %%kiln.ntid.x, %d", lanes-1), shift)
	loop("z", "%kiln.ntid.z", 1, func() {
		loop("y", "%kiln.ntid.y", 1, func() {
			loop("x", "%kiln.ntid.x", lanes, func() {
				line := w.op("add i32 %s, %%%s.y", w.op("mul i32 %%%s.z, %%kiln.ntid.y", p), p)
				number := w.op("add i32 %s, %s", w.op("mul i32 %s, %s", line, row), w.op("lshr i32 %%%s.x, %d", p, shift))
				w.do("%%%s.chunk = zext i32 %s to i64", p, number)
				body("%"+p+".x", "%"+p+".y", "%"+p+".z")
			})
		})
	})
}
