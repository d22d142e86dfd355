package spmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// instr writes one instruction that is no phi and no terminator.
func (w *laneWriter) instr(in *irtext.Instr) {
	sh := w.s.of[in.Name]
	if in.Name != "" && sh.kind == unknown {
		w.fail("it uses a value that has no definition")
		return
	}
	switch in.Op {
	case "alloca":
		p := w.s.private[in.Name]
		w.allocas = append(w.allocas, fmt.Sprintf("  %s = alloca [%d x i8], align 64", own(in.Name, ""), p.bytes*int64(w.lanes)))
	case "call":
		w.call(in, sh)
	case "load":
		w.load(in, sh)
	case "store":
		w.store(in)
	case "atomicrmw", "cmpxchg":
		if !w.plainUpdate(in) {
			w.serial(in)
		}
	case "fence":
		w.do("%s", irtext.Join(in.Head))
	case "getelementptr":
		w.address(in, sh)
	default:
		if sh.scalar() {
			w.clone(in, sh)
			return
		}
		w.widen(in)
	}
}

// clone writes the instruction as it is, on scalars. For lanes that do not
// run nothing may be promised, so an affine value's flags go: its first lane
// may be such.
func (w *laneWriter) clone(in *irtext.Instr, sh shape) {
	strict := true
	for _, a := range in.Args {
		if a.Local() && w.s.of[a.Text].kind != uniform {
			strict = false
		}
	}
	text := in.Rewrite(func(name string) string { return w.value(name, "") })
	if !strict {
		text = plain(text)
	}
	if in.Name != "" {
		text = own(in.Name, "") + " = " + text
	}
	w.do("%s%s", text, w.meta(in, strict && in.Op == "load"))
}

// plain drops from an instruction's text the flags that promise something.
func plain(text string) string {
	words := strings.Split(text, " ")
	out := words[:1]
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "nuw", "nsw", "exact", "inbounds", "nusw", "samesign":
		case "disjoint":
			out[0] = "add"
		case "nneg":
			out[0] = "sext"
		default:
			return strings.Join(append(out, words[i:]...), " ")
		}
	}
	return strings.Join(out, " ")
}

// meta spells the attachments that still hold.
func (w *laneWriter) meta(in *irtext.Instr, all bool) string {
	var b strings.Builder
	for i := 0; i+2 < len(in.Meta); i += 3 {
		kind := in.Meta[i+1].Text
		switch {
		case kind == "!tbaa" || kind == "!invariant.load":
		case all && (kind == "!range" || kind == "!nonnull" || kind == "!noundef" || kind == "!align"):
		default:
			continue
		}
		fmt.Fprintf(&b, ", %s %s", kind, in.Meta[i+2].Text)
	}
	return b.String()
}

func flags(in *irtext.Instr) string {
	f := in.Flags()
	if len(f) == 0 {
		return ""
	}
	return strings.Join(f, " ") + " "
}

// widen writes the instruction on vectors.
func (w *laneWriter) widen(in *irtext.Instr) {
	for _, a := range in.Args {
		if !simple(a.Type) && in.Op != "extractvalue" && in.Op != "insertvalue" {
			w.fail("it has values of type %s that differ by lane", a.Type)
			return
		}
	}
	if !simple(in.Type) && in.Op != "insertvalue" {
		w.fail("it has values of type %s that differ by lane", in.Type)
		return
	}
	name, typ := own(in.Name, ""), ""
	if len(in.Args) > 0 {
		typ = w.wide(in.Args[0].Type)
	}
	switch in.Op {
	case "add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "fadd", "fsub", "fmul", "fdiv", "frem", "icmp", "fcmp":
		w.do("%s = %s %s%s %s, %s", name, in.Op, flags(in), typ, w.vector(in.Args[0]), w.vector(in.Args[1]))
	case "udiv", "sdiv", "urem", "srem":
		x, y := w.vector(in.Args[0]), w.vector(in.Args[1])
		if m := w.mask(w.at); m != "" && in.Args[1].Local() {
			y = w.op("select %s %s, %s %s, %s %s", w.wide("i1"), m, typ, y, typ, splat(w.lanes, in.Type, "1"))
		}
		w.do("%s = %s %s%s %s, %s", name, in.Op, flags(in), typ, x, y)
	case "fneg", "freeze":
		w.do("%s = %s %s%s %s", name, in.Op, flags(in), typ, w.vector(in.Args[0]))
	case "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint", "inttoptr", "bitcast":
		w.do("%s = %s %s%s %s to %s", name, in.Op, flags(in), typ, w.vector(in.Args[0]), w.wide(in.Type))
	case "select":
		cond, ctype := "", "i1"
		if w.s.at(in.Args[0]).kind == uniform {
			cond = w.scalar(in.Args[0])
		} else {
			cond, ctype = w.vector(in.Args[0]), typ
		}
		typ = w.wide(in.Type)
		w.do("%s = select %s%s %s, %s %s, %s %s", name, flags(in), ctype, cond, typ, w.vector(in.Args[1]), typ, w.vector(in.Args[2]))
	case "extractvalue", "insertvalue":
		w.member(in)
	default:
		w.fail("it has %s on values that differ by lane", in.Op)
	}
}

// member writes access to a struct of vectors.
func (w *laneWriter) member(in *irtext.Instr) {
	index := in.Head[len(in.Head)-1].Text
	if irtext.Members(in.Args[0].Type) == nil {
		w.fail("it has values of type %s that differ by lane", in.Args[0].Type)
		return
	}
	text := fmt.Sprintf("%s %s %s", in.Op, w.wide(in.Args[0].Type), w.vector(in.Args[0]))
	if in.Op == "insertvalue" {
		text += fmt.Sprintf(", %s %s", w.wide(in.Args[1].Type), w.vector(in.Args[1]))
	}
	w.do("%s = %s, %s", own(in.Name, ""), text, index)
}

// address writes a getelementptr.
func (w *laneWriter) address(in *irtext.Instr, sh shape) {
	if sh.soa {
		w.sideBySide(in, sh)
		return
	}
	if sh.scalar() {
		w.clone(in, sh)
		return
	}
	operand := func(o irtext.Operand) string {
		if k := w.s.at(o).kind; k == uniform {
			return o.Type + " " + w.scalar(o)
		}
		return w.wide(o.Type) + " " + w.vector(o)
	}
	parts := []string{sourceType(in)}
	for _, a := range in.Args {
		if strings.HasPrefix(a.Type, "<") {
			w.fail("it has values of type %s that differ by lane", a.Type)
			return
		}
		parts = append(parts, operand(a))
	}
	w.do("%s = getelementptr %s%s", own(in.Name, ""), flags(in), strings.Join(parts, ", "))
}

// sideBySide writes an address in a private array whose lanes lie side by
// side: each index moves as many times further as there are lanes.
func (w *laneWriter) sideBySide(in *irtext.Instr, sh shape) {
	list, ok := w.s.sizes.steps(in)
	if !ok {
		w.fail("it has a private array of unknown size")
		return
	}
	vector := !sh.scalar()
	pointer, fixed, base := "", int64(0), "ptr"
	if vector {
		pointer, base = w.vector(in.Args[0]), w.wide("ptr")
	} else {
		pointer = w.scalar(in.Args[0])
	}
	for _, st := range list {
		if st.fixed {
			fixed += st.offset
			continue
		}
		if n, ok := integer(st.index.Text); ok {
			fixed += n * st.scale
			continue
		}
		index := st.index.Type + " "
		if vector && w.s.at(st.index).kind != uniform {
			index = w.wide(st.index.Type) + " " + w.vector(st.index)
		} else {
			index += w.scalar(st.index)
		}
		pointer = w.op("getelementptr [%d x i8], %s %s, %s", st.scale*int64(w.lanes), base, pointer, index)
	}
	w.do("%s = getelementptr i8, %s %s, i64 %d", own(in.Name, ""), base, pointer, fixed*int64(w.lanes))
}

// alignment returns the alignment that an access states, in bytes.
func (w *laneWriter) alignment(in *irtext.Instr, typ string) int64 {
	for i, t := range in.Head {
		if t.Is("align") && i > 0 && in.Head[i-1].Is(",") && i+1 < len(in.Head) {
			if n, err := strconv.ParseInt(in.Head[i+1].Text, 10, 64); err == nil {
				return n
			}
		}
	}
	_, align := w.s.sizes.of(typ)
	return max(align, 1)
}
