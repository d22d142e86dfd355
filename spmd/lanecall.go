package spmd

import (
	"fmt"
	"strings"
	"sync"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// elementwise are the intrinsics that LLVM has for vectors too, with the
// arguments that stay scalars, one bit each.
var elementwise = sync.OnceValue(func() map[string]int {
	return map[string]int{
		"sqrt": 0, "fma": 0, "fmuladd": 0, "fabs": 0, "floor": 0, "ceil": 0, "trunc": 0, "rint": 0, "nearbyint": 0,
		"round": 0, "roundeven": 0, "sin": 0, "cos": 0, "tan": 0, "asin": 0, "acos": 0, "atan": 0, "sinh": 0, "cosh": 0,
		"tanh": 0, "exp": 0, "exp2": 0, "exp10": 0, "log": 0, "log2": 0, "log10": 0, "pow": 0, "minnum": 0, "maxnum": 0,
		"minimum": 0, "maximum": 0, "copysign": 0, "canonicalize": 0, "ldexp": 0, "atan2": 0,
		"ctpop": 0, "bitreverse": 0, "bswap": 0, "fshl": 0, "fshr": 0, "smin": 0, "smax": 0, "umin": 0, "umax": 0,
		"sadd.sat": 0, "uadd.sat": 0, "ssub.sat": 0, "usub.sat": 0, "sshl.sat": 0, "ushl.sat": 0,
		"sadd.with.overflow": 0, "uadd.with.overflow": 0, "ssub.with.overflow": 0, "usub.with.overflow": 0,
		"smul.with.overflow": 0, "umul.with.overflow": 0, "fptosi.sat": 0, "fptoui.sat": 0, "lrint": 0, "llrint": 0,
		"lround": 0, "llround": 0, "scmp": 0, "ucmp": 0,
		"ctlz": 1 << 1, "cttz": 1 << 1, "abs": 1 << 1, "is.fpclass": 1 << 1, "powi": 1 << 1,
	}
})

// intrinsicName parts "@llvm.sqrt.f32" into the name and the types it is
// overloaded for.
func intrinsicName(callee string) (base string, types []string, ok bool) {
	rest, ok := strings.CutPrefix(callee, "@llvm.")
	if !ok {
		return "", nil, false
	}
	parts := strings.Split(rest, ".")
	n := len(parts)
	for n > 1 && scalarSuffix(parts[n-1]) {
		n--
	}
	return strings.Join(parts[:n], "."), parts[n:], true
}

func scalarSuffix(s string) bool {
	switch s {
	case "f16", "bf16", "f32", "f64":
		return true
	}
	return irtext.Bits(s) > 0
}

// pureCall tells for a function that what it returns follows from its
// arguments alone, and that it does nothing else.
func (l *lowering) pureCall(callee string) bool {
	if base, _, ok := intrinsicName(callee); ok {
		_, known := elementwise()[base]
		return known
	}
	for _, d := range l.module.Declares {
		if d.Name != callee {
			continue
		}
		if strings.Contains(d.Line, "memory(none)") {
			return true
		}
		for _, t := range irtext.Scan(nil, d.Line) {
			if t.Kind == irtext.AttrRef {
				for _, a := range l.module.Attributes {
					if a.Name == t.Text {
						return strings.Contains(a.Line, "memory(none)") && strings.Contains(a.Line, "willreturn")
					}
				}
			}
		}
	}
	return false
}

func (w *laneWriter) call(in *irtext.Instr, sh shape) {
	if w.region != nil && w.region.call(w, in) {
		w.anchor(in)
		return
	}
	if kind, d, ok := idOf(in.Callee); ok {
		w.alias[in.Name] = w.idValue(kind, d)
		return
	}
	base, types, isIntrinsic := intrinsicName(in.Callee)
	switch {
	case base == "assume" || base == "prefetch":
	case in.Type == "void" && (base == "trap" || base == "debugtrap"):
		w.do("%s", irtext.Join(in.Head))
		w.l.declare(in.Callee, "declare void "+in.Callee+"()")
	case sh.scalar():
		w.clone(in, sh)
	case isIntrinsic && w.widensCall(in, base):
		w.wideCall(in, base, types)
	default:
		w.serial(in)
	}
}

// anchor gives a call's result a name of its own where other blocks take it
// from memory.
func (w *laneWriter) anchor(in *irtext.Instr) {
	if a := w.alias[in.Name]; a != "" && w.slots[in.Name] {
		delete(w.alias, in.Name)
		w.do("%s = freeze %s %s", own(in.Name, ""), w.slotType(in.Name, in.Type), a)
	}
}

// widensCall reports whether the intrinsic is one for vectors and its
// arguments that stay scalars are equal in all lanes.
func (w *laneWriter) widensCall(in *irtext.Instr, base string) bool {
	scalars, ok := elementwise()[base]
	if !ok {
		return false
	}
	for i, a := range in.Args {
		if !simple(a.Type) || scalars>>i&1 != 0 && w.s.at(a).kind != uniform {
			return false
		}
	}
	return true
}

func (w *laneWriter) wideCall(in *irtext.Instr, base string, types []string) {
	scalars := elementwise()[base]
	name := "@llvm." + base
	for i, t := range types {
		if base == "powi" && i == 1 {
			name += "." + t
			continue
		}
		name += fmt.Sprintf(".v%d%s", w.lanes, t)
	}
	var params, args []string
	for i, a := range in.Args {
		if scalars>>i&1 != 0 {
			params = append(params, a.Type)
			args = append(args, a.Type+" "+w.scalar(a))
			continue
		}
		params = append(params, w.wide(a.Type))
		args = append(args, w.wide(a.Type)+" "+w.vector(a))
	}
	fast := ""
	for _, f := range in.Flags() {
		switch f {
		case "fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc":
			fast += f + " "
		}
	}
	result := w.wide(in.Type)
	w.declare(result, name, params...)
	w.do("%s = call %s%s %s(%s)", own(in.Name, ""), fast, result, name, strings.Join(args, ", "))
}

// idValue is an id or size in the function's own terms.
func (w *laneWriter) idValue(kind idKind, d int) string {
	dim := "xyz"[d : d+1]
	switch kind {
	case tid:
		if w.s.flat {
			return "%kiln.flat." + dim
		}
		return "%kiln.tid." + dim
	case ntid:
		return "%kiln.ntid." + dim
	case ctaid:
		return "%kiln.ctaid." + dim
	}
	return "%kiln.nctaid." + dim
}

// flatIDs works out the ids of lanes that do not lie along x alone: %kiln.tid.x
// is then the first lane's number in the group.
func (w *laneWriter) flatIDs() {
	if !w.s.flat {
		return
	}
	wide := w.wide("i32")
	lane := w.spread("%kiln.tid.x", "i32", shape{kind: affine, stride: 1})
	x, y := w.all("i32", w.block[0]), w.all("i32", w.block[1])
	row := w.ratio(lane, x, w.block[0])
	depth := w.ratio(row, y, w.block[1])
	w.do("%%kiln.flat.x = sub %s %s, %s", wide, lane, w.op("mul %s %s, %s", wide, row, x))
	w.do("%%kiln.flat.y = sub %s %s, %s", wide, row, w.op("mul %s %s, %s", wide, depth, y))
	w.do("%%kiln.flat.z = add %s %s, zeroinitializer", wide, depth)
}

// ratio divides numbers of items by a size. They are so small that the
// quotient of floats, cut short, is that of the numbers; no processor divides
// vectors of integers.
func (w *laneWriter) ratio(n, by, size string) string {
	wide, float := w.wide("i32"), w.wide("float")
	if !strings.HasPrefix(size, "%") {
		return w.op("udiv %s %s, %s", wide, n, by)
	}
	quotient := w.op("fdiv %s %s, %s", float, w.op("uitofp %s %s to %s", wide, n, float), w.op("uitofp %s %s to %s", wide, by, float))
	return w.op("fptoui %s %s to %s", float, quotient, wide)
}

// serial writes an instruction once for each lane that runs, in a loop.
func (w *laneWriter) serial(in *irtext.Instr) {
	w.count.serial++
	w.n++
	id := w.n
	operands := in.Args
	if strings.HasPrefix(in.Callee, "%") {
		operands = append(operands[:len(operands):len(operands)], irtext.Operand{Type: "ptr", Text: in.Callee})
	}
	names := map[string]string{}
	type lane struct{ name, typ, memory string }
	var in1 []lane
	for _, a := range operands {
		if !a.Local() || names[a.Text] != "" {
			continue
		}
		if w.s.at(a).kind == uniform {
			names[a.Text] = w.scalar(a)
			continue
		}
		if !simple(a.Type) {
			w.fail("it has values of type %s that differ by lane", a.Type)
			return
		}
		memory := w.scratch(stored(a.Type), id, len(in1))
		v := w.vector(a)
		if a.Type == "i1" {
			v = w.op("zext %s %s to %s", w.wide("i1"), v, w.wide("i8"))
		}
		w.do("store %s %s, ptr %s", w.wide(stored(a.Type)), v, memory)
		names[a.Text] = fmt.Sprintf("%%s%d.%d", id, len(in1))
		in1 = append(in1, lane{names[a.Text], a.Type, memory})
	}
	all, bits := "-1", w.bitsType()
	if m := w.mask(w.at); m != "" {
		all = w.op("bitcast %s %s to %s", w.wide("i1"), m, bits)
	}
	before := w.label
	w.do("br label %%s%d.head", id)
	w.begin(fmt.Sprintf("s%d.head", id))
	w.do("%%s%d.left = phi %s [ %s, %%%s ], [ %%s%d.next, %%s%d.body ]", id, bits, all, before, id, id)
	more := w.op("icmp ne %s %%s%d.left, 0", bits, id)
	w.do("br i1 %s, label %%s%d.body, label %%s%d.end", more, id, id)
	w.begin(fmt.Sprintf("s%d.body", id))
	f := w.declare(bits, "@llvm.cttz."+bits, bits, "i1 immarg")
	w.do("%%s%d.lane = call %s %s(%s %%s%d.left, i1 true)", id, bits, f, bits, id)
	w.do("%%s%d.next = and %s %%s%d.left, %s", id, bits, id, w.op("add %s %%s%d.left, -1", bits, id))
	index := fmt.Sprintf("%%s%d.lane", id)
	if bits != "i64" {
		index = w.op("zext %s %s to i64", bits, index)
	}
	for _, a := range in1 {
		p := w.op("getelementptr %s, ptr %s, i64 %s", stored(a.typ), a.memory, index)
		if a.typ == "i1" {
			w.do("%s = trunc i8 %s to i1", a.name, w.op("load i8, ptr %s", p))
			continue
		}
		w.do("%s = load %s, ptr %s", a.name, a.typ, p)
	}
	text := in.Rewrite(func(name string) string { return names[name] })
	finish := func() {
		w.do("br label %%s%d.head, !llvm.loop !%d", id, w.l.loopNode("llvm.loop.unroll.disable"))
		w.begin(fmt.Sprintf("s%d.end", id))
	}
	if in.Name == "" {
		w.do("%s", text)
		finish()
		return
	}
	w.do("%%s%d = %s", id, text)
	w.results(in, id, index, finish)
}

// scratch is memory for a value of each lane.
func (w *laneWriter) scratch(typ string, id, k int) string {
	name := fmt.Sprintf("%%s%d.mem%d", id, k)
	w.allocas = append(w.allocas, fmt.Sprintf("  %s = alloca %s, align 64", name, w.wide(typ)))
	return name
}

// results gathers what the lanes' runs of an instruction gave.
func (w *laneWriter) results(in *irtext.Instr, id int, index string, finish func()) {
	types := irtext.Members(in.Type)
	if types == nil {
		types = []string{in.Type}
	}
	var memory []string
	for k, t := range types {
		if !simple(t) {
			w.fail("it has values of type %s that differ by lane", t)
			return
		}
		memory = append(memory, w.scratch(stored(t), id, 100+k))
		v := fmt.Sprintf("%%s%d", id)
		if len(types) > 1 {
			v = w.op("extractvalue %s %s, %d", in.Type, v, k)
		}
		if t == "i1" {
			v = w.op("zext i1 %s to i8", v)
		}
		w.do("store %s %s, ptr %s", stored(t), v, w.op("getelementptr %s, ptr %s, i64 %s", stored(t), memory[k], index))
	}
	finish()
	so := "poison"
	for k, t := range types {
		name := own(in.Name, "")
		if len(types) > 1 || t == "i1" {
			name = fmt.Sprintf("%%s%d.all%d", id, k)
		}
		w.do("%s = load %s, ptr %s", name, w.wide(stored(t)), memory[k])
		if t == "i1" {
			bit := name + ".bit"
			if len(types) == 1 {
				bit = own(in.Name, "")
			}
			w.do("%s = trunc %s %s to %s", bit, w.wide("i8"), name, w.wide("i1"))
			name = bit
		}
		if len(types) == 1 {
			return
		}
		next := own(in.Name, "")
		if k < len(types)-1 {
			next = fmt.Sprintf("%%s%d.so%d", id, k)
		}
		w.do("%s = insertvalue %s %s, %s %s, %d", next, w.wide(in.Type), so, w.wide(t), name, k)
		so = next
	}
}
