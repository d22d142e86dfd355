package oracle

import (
	"fmt"
	"strings"
)

func (w *writer) block(list []Stmt) {
	for i := range list {
		w.stmt(&list[i])
	}
}

func (w *writer) stmt(s *Stmt) {
	e := func(i int) string { return w.eval(&s.E[i]) }
	switch s.Op {
	case "set":
		w.do("store %s %s, ptr %%v%d", w.typeOf(s.N), e(0), s.N)
	case "private":
		at := w.privateElement(w.modulo(e(0), privateSize))
		w.do("store i32 %s, ptr %s", e(1), at)
	case "share":
		v := e(0)
		at, space := w.sharedElement(s.N, "%item")
		w.do("store i32 %s, %s %s", v, space, at)
	case "atomic":
		index, v := w.modulo(e(0), w.p.Items()), e(1)
		at, space := w.sharedElement(s.N, index)
		w.op("atomicrmw %s %s %s, i32 %s seq_cst", w.p.Shared[s.N].Atomic, space, at, v)
	case "out", "fout":
		typ, base, n := "i32", "%out", outInts
		if s.Op == "fout" {
			typ, base, n = "float", "%fout", outFloats
		}
		v := e(0)
		index := w.op("add i32 %s, %d", w.op("mul i32 %%global, %d", n), s.N)
		w.do("store %s %s, %s %s", typ, v, w.pointer(), w.element(typ, base, index))
	case "count":
		v := e(0)
		w.op("atomicrmw %s %s %s, i32 %s monotonic", counterOps[s.N], w.pointer(), w.element("i32", "%count", fmt.Sprint(s.N)), v)
	case "if":
		w.branch(s)
	case "switch":
		w.choice(s)
	case "loop":
		w.loop(s)
	case "break":
		w.do("br label %%%s", w.leave[len(w.leave)-1])
		w.begin(w.label())
	case "continue":
		w.do("br label %%%s", w.next[len(w.next)-1])
		w.begin(w.label())
	case "return":
		w.do("ret void")
		w.begin(w.label())
	case "barrier":
		w.barrier(s)
	case "reduce":
		w.reduce(s)
	case "warp":
		w.warp(s)
	}
}

func (w *writer) truth(e *Expr) string { return w.op("icmp ne i32 %s, 0", w.eval(e)) }

func (w *writer) branch(s *Stmt) {
	yes, no, end := w.label(), w.label(), w.label()
	if len(s.Blocks) < 2 {
		no = end
	}
	w.do("br i1 %s, label %%%s, label %%%s", w.truth(&s.E[0]), yes, no)
	for i, b := range s.Blocks {
		w.begin([]string{yes, no}[i])
		w.block(b)
		w.do("br label %%%s", end)
	}
	w.begin(end)
}

func (w *writer) choice(s *Stmt) {
	end := w.label()
	labels := []string{}
	var cases strings.Builder
	for i := range s.Blocks {
		labels = append(labels, w.label())
		if i > 0 {
			fmt.Fprintf(&cases, " i32 %d, label %%%s", i, labels[i])
		}
	}
	w.do("switch i32 %s, label %%%s [%s ]", w.modulo(w.eval(&s.E[0]), len(s.Blocks)), labels[0], cases.String())
	labels = append(labels, end)
	for i, b := range s.Blocks {
		w.begin(labels[i])
		w.block(b)
		if s.N == 1 {
			w.do("br label %%%s", labels[i+1])
		} else {
			w.do("br label %%%s", end)
		}
	}
	w.begin(end)
}

func (w *writer) loop(s *Stmt) {
	turn := fmt.Sprintf("%%turn%d", len(w.turns))
	bound := w.op("and i32 %s, 7", w.eval(&s.E[0]))
	w.do("store i32 0, ptr %s", turn)
	w.turns = append(w.turns, turn)
	head, body, next, end := w.label(), w.label(), w.label(), w.label()
	w.next, w.leave = append(w.next, next), append(w.leave, end)
	test := func() {
		more := w.op("icmp slt i32 %s, %s", w.op("load i32, ptr %s", turn), bound)
		if len(s.E) > 1 {
			go_, also := w.label(), ""
			w.do("br i1 %s, label %%%s, label %%%s", more, go_, end)
			w.begin(go_)
			also = w.truth(&s.E[1])
			more = also
		}
		w.do("br i1 %s, label %%%s, label %%%s", more, body, end)
	}
	w.do("br label %%%s", head)
	w.begin(head)
	if s.N == 0 {
		test()
	} else {
		w.do("br label %%%s", body)
	}
	w.begin(body)
	w.block(s.Blocks[0])
	w.do("br label %%%s", next)
	w.begin(next)
	w.do("store i32 %s, ptr %s", w.op("add i32 %s, 1", w.op("load i32, ptr %s", turn)), turn)
	if s.N == 0 {
		w.do("br label %%%s", head)
	} else {
		test()
	}
	w.begin(end)
	w.turns, w.next, w.leave = w.turns[:len(w.turns)-1], w.next[:len(w.next)-1], w.leave[:len(w.leave)-1]
}

func (w *writer) set(v int32, value string) {
	w.do("store %s %s, ptr %%v%d", w.typeOf(v), value, v)
}

func (w *writer) barrier(s *Stmt) {
	switch {
	case w.d == AMDGPU:
		w.do("fence syncscope(\"workgroup\") release")
		w.call("void", "llvm.amdgcn.s.barrier", "")
		w.do("fence syncscope(\"workgroup\") acquire")
	case w.d == OldNVPTX && s.N == 0:
		w.call("void", "llvm.nvvm.barrier0", "")
	case w.d == OldNVPTX:
		w.call("void", "llvm.nvvm.barrier.n", "i32", fmt.Sprint(s.N))
	default:
		w.call("void", "llvm.nvvm.barrier.cta.sync.aligned.all", "i32", fmt.Sprint(s.N))
	}
}

func (w *writer) reduce(s *Stmt) {
	is := w.truth(&s.E[0])
	number := func() string { return w.op("zext i1 %s to i32", is) }
	switch w.d {
	case AMDGPU:
		op := map[string]string{"popc": "add", "and": "and", "or": "or"}[s.Kind]
		w.set(s.N, w.call("i32", "__ockl_wgred_"+op+"_i32", "i32", number()))
		return
	case OldNVPTX:
		got := w.call("i32", "llvm.nvvm.barrier0."+s.Kind, "i32", number())
		if s.Kind != "popc" {
			got = w.op("zext i1 %s to i32", w.op("icmp ne i32 %s, 0", got))
		}
		w.set(s.N, got)
		return
	}
	name := "llvm.nvvm.barrier.cta.red." + s.Kind + ".aligned.all"
	if s.Kind == "popc" {
		w.set(s.N, w.call("i32", name, "i32, i1", "0", is))
		return
	}
	w.set(s.N, w.op("zext i1 %s to i32", w.call("i1", name, "i32, i1", "0", is)))
}

func (w *writer) warp(s *Stmt) {
	if w.d == AMDGPU {
		w.ok = false
	}
	mask := fmt.Sprint(int32(s.Mask))
	switch s.Kind {
	case "sync":
		w.call("void", "llvm.nvvm.bar.warp.sync", "i32", mask)
	case "ballot":
		w.set(s.N, w.call("i32", "llvm.nvvm.vote.ballot.sync", "i32, i1", mask, w.truth(&s.E[0])))
	case "any", "all", "uni":
		w.set(s.N, w.op("zext i1 %s to i32", w.call("i1", "llvm.nvvm.vote."+s.Kind+".sync", "i32, i1", mask, w.truth(&s.E[0]))))
	case "match.any":
		w.set(s.N, w.call("i32", "llvm.nvvm.match.any.sync.i32", "i32, i32", mask, w.eval(&s.E[0])))
	case "match.all":
		pair := w.call("{ i32, i1 }", "llvm.nvvm.match.all.sync.i32p", "i32, i32", mask, w.eval(&s.E[0]))
		w.set(s.N, w.op("extractvalue { i32, i1 } %s, 0", pair))
	case "idx", "up", "down", "bfly":
		typ, suffix := "i32", "i32"
		if s.N >= ints {
			typ, suffix = "float", "f32"
		}
		v, by := w.eval(&s.E[0]), w.eval(&s.E[1])
		w.set(s.N, w.call(typ, "llvm.nvvm.shfl.sync."+s.Kind+"."+suffix, "i32, "+typ+", i32, i32", mask, v, by, fmt.Sprint(segment(s))))
	default:
		w.set(s.N, w.call("i32", "llvm.nvvm.redux.sync."+s.Kind, "i32, i32", w.eval(&s.E[0]), mask))
	}
}
