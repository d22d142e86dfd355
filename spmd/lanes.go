package spmd

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// laneWriter writes the function that runs as many work-items at once as there
// are lanes. Uniform and affine values are scalars, the latter those of the
// first lane; varying ones are vectors.
type laneWriter struct {
	l     *lowering
	g     *graph
	s     *shapes
	p     *plan
	lanes int
	// block spells the sizes of the block where the lanes do not lie along x alone.
	block [3]string
	// live is the mask of the lanes that are there at all, "" for all of them.
	live string
	// used are the values that others are made of.
	used map[string]bool
	// region is the part of a kernel that this is the code of, nil for all of it.
	region *regionWriter

	allocas []string
	lines   []string
	n       int
	// alias are values that have another name than their own.
	alias map[string]string
	// slots are values kept in memory between blocks, for LLVM to promote.
	slots map[string]bool
	// loaded and vectors are what the current block has of other blocks' values.
	loaded, vectors map[string]string
	at              int
	label           string
	err             error
	count           accessCount
}

// accessCount is what the code of lanes is made of.
type accessCount struct{ uniform, contiguous, tested, gathered, serial, masked int }

func (c accessCount) String() string {
	return fmt.Sprintf("accesses: %d for all at once, %d in a row, %d tested for that, %d apart; %d one by one; %d masks",
		c.uniform, c.contiguous, c.tested, c.gathered, c.serial, c.masked)
}

func (w *laneWriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = refuse(format, args...)
	}
}

func (w *laneWriter) op(format string, args ...any) string {
	w.n++
	name := fmt.Sprintf("%%t%d", w.n)
	w.lines = append(w.lines, "  "+name+" = "+fmt.Sprintf(format, args...))
	return name
}

func (w *laneWriter) do(format string, args ...any) {
	w.lines = append(w.lines, "  "+fmt.Sprintf(format, args...))
}

func (w *laneWriter) begin(label string) {
	w.lines = append(w.lines, label+":")
	w.label = label
}

// own is the name that a value of the source has here, with a suffix for what
// belongs to it. No number may stand alone: numbers must ascend in the text.
func own(name, suffix string) string {
	if strings.HasPrefix(name, `%"`) {
		return `%"x` + strings.TrimSuffix(name[2:], `"`) + suffix + `"`
	}
	return "%x" + name[1:] + suffix
}

func (w *laneWriter) wide(typ string) string {
	if members := irtext.Members(typ); members != nil {
		for i := range members {
			members[i] = w.wide(members[i])
		}
		return "{ " + strings.Join(members, ", ") + " }"
	}
	return irtext.VectorOf(w.lanes, typ)
}

// simple reports whether a type can be the element of a vector.
func simple(typ string) bool {
	switch typ {
	case "half", "bfloat", "float", "double", "ptr":
		return true
	}
	n := irtext.Bits(typ)
	return n > 0 && n <= 128
}

func (w *laneWriter) mask(b int) string {
	c := w.p.class[b]
	if c == entryClass {
		return w.live
	}
	return fmt.Sprintf("%%m%d", c)
}

func (w *laneWriter) bitsType() string { return fmt.Sprintf("i%d", w.lanes) }

// any asks whether a mask has a lane.
func (w *laneWriter) any(mask string) string {
	bits := w.op("bitcast %s %s to %s", w.wide("i1"), mask, w.bitsType())
	return w.op("icmp ne %s %s, 0", w.bitsType(), bits)
}

// function writes the whole.
func (w *laneWriter) function() {
	w.used = w.l.usedNames()
	w.alias, w.slots = map[string]string{}, w.needSlots()
	for i := range w.l.fn.Params {
		name := w.l.fn.Params[i].Name
		w.alias[name] = name
	}
	for _, b := range w.g.order {
		if w.p.owner(b) {
			w.allocas = append(w.allocas, fmt.Sprintf("  %%M%d = alloca %s, align 64", b, w.wide("i1")))
			w.do("store %s zeroinitializer, ptr %%M%d", w.wide("i1"), b)
			w.count.masked++
		}
	}
	w.flatIDs()
	w.do("br label %%b0")
	for _, b := range w.g.order {
		w.writeBlock(b)
	}
	w.begin("end")
	w.do("ret void")
}

// needSlots finds the values that are used where their definition need not
// have run just before, by the flow of lanes.
func (w *laneWriter) needSlots() map[string]bool {
	slots := map[string]bool{}
	use := func(o irtext.Operand, at int) {
		def := w.l.fn.Defs[o.Text]
		if def == nil || def.Block.Index == at {
			return
		}
		if !w.p.ran(def.Block.Index, at) {
			slots[o.Text] = true
		}
	}
	for _, b := range w.l.fn.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if in.Op == "phi" {
					use(a, w.g.block(in.Labels[i]))
				} else {
					use(a, b.Index)
				}
			}
			if strings.HasPrefix(in.Callee, "%") {
				use(irtext.Operand{Type: "ptr", Text: in.Callee}, b.Index)
			}
		}
	}
	return slots
}

// slotType is the type by which a value is kept.
func (w *laneWriter) slotType(name, typ string) string {
	if w.s.of[name].scalar() {
		return typ
	}
	return w.wide(typ)
}

func (w *laneWriter) slot(name, typ, suffix string) string {
	s := own(name, suffix)
	line := fmt.Sprintf("  %s = alloca %s, align 64", s, w.slotType(name, typ))
	w.allocas = append(w.allocas, line)
	return s
}

func (w *laneWriter) writeBlock(b int) {
	w.at = b
	w.loaded, w.vectors = map[string]string{}, map[string]string{}
	if w.p.guarded[b] {
		w.begin(fmt.Sprintf("b%d.check", b))
		m := w.op("load %s, ptr %%M%d", w.wide("i1"), b)
		w.do("br i1 %s, label %%b%d, label %s", w.any(m), b, w.target(w.p.skip(b).next))
	}
	w.begin(fmt.Sprintf("b%d", b))
	if w.p.owner(b) {
		w.do("%%m%d = load %s, ptr %%M%d", b, w.wide("i1"), b)
		w.do("store %s zeroinitializer, ptr %%M%d", w.wide("i1"), b)
	}
	for _, in := range w.g.fn.Blocks[b].Instrs {
		if in.Op == "phi" {
			slot := w.slot(in.Name, in.Type, ".p")
			w.do("%s = load %s, ptr %s", own(in.Name, ""), w.slotType(in.Name, in.Type), slot)
			w.keep(in)
		}
	}
	for _, in := range w.g.fn.Blocks[b].Instrs {
		switch in.Op {
		case "phi":
		case "br", "switch", "ret", "unreachable":
			w.leave(b, in)
		default:
			w.instr(in)
			w.keep(in)
		}
	}
}

// keep stores a value for other blocks.
func (w *laneWriter) keep(in *irtext.Instr) {
	if in.Name == "" || !w.slots[in.Name] || w.alias[in.Name] != "" {
		return
	}
	slot := w.slot(in.Name, in.Type, ".s")
	w.do("store %s %s, ptr %s", w.slotType(in.Name, in.Type), own(in.Name, ""), slot)
}

// target spells where a block is entered.
func (w *laneWriter) target(b int) string {
	switch {
	case b < 0:
		return "%end"
	case w.p.guarded[b]:
		return fmt.Sprintf("%%b%d.check", b)
	}
	return fmt.Sprintf("%%b%d", b)
}

// value is a local value here, scalar or vector as its shape is.
func (w *laneWriter) value(name, typ string) string {
	if a := w.alias[name]; a != "" {
		return a
	}
	def := w.l.fn.Defs[name]
	if def == nil {
		w.fail("it uses %s, which has no definition", name)
		return "poison"
	}
	if def.Block.Index == w.at || !w.slots[name] {
		return own(name, "")
	}
	if v := w.loaded[name]; v != "" {
		return v
	}
	v := w.op("load %s, ptr %s", w.slotType(name, typ), own(name, ".s"))
	w.loaded[name] = v
	return v
}

// scalar is an operand whose shape is uniform or affine; of the latter the
// first lane's value.
func (w *laneWriter) scalar(o irtext.Operand) string {
	if o.Local() {
		return w.value(o.Text, o.Type)
	}
	return o.Text
}

// vector is an operand in all lanes.
func (w *laneWriter) vector(o irtext.Operand) string {
	if !o.Local() {
		switch o.Text {
		case "poison", "undef", "zeroinitializer":
			return o.Text
		case "null":
			return "zeroinitializer"
		}
		if irtext.Members(o.Type) != nil {
			w.fail("it uses a constant of type %s", o.Type)
		}
		return splat(w.lanes, o.Type, o.Text)
	}
	sh := w.s.of[o.Text]
	if !sh.scalar() {
		return w.value(o.Text, o.Type)
	}
	if v := w.vectors[o.Text]; v != "" {
		return v
	}
	v := w.spread(w.value(o.Text, o.Type), o.Type, sh)
	w.vectors[o.Text] = v
	return v
}

// spread makes a vector of the first lane's value.
func (w *laneWriter) spread(first, typ string, sh shape) string {
	if !simple(typ) {
		w.fail("it has values of type %s that differ by lane", typ)
		return "poison"
	}
	if sh.kind == affine && typ == "ptr" {
		return w.op("getelementptr i8, ptr %s, %s %s", first, w.wide("i64"), w.steps("i64", sh.stride))
	}
	all := w.all(typ, first)
	if sh.kind == affine {
		return w.op("add %s %s, %s", w.wide(typ), all, w.steps(typ, sh.stride))
	}
	return all
}

// all is a vector of one scalar.
func (w *laneWriter) all(typ, scalar string) string {
	if !strings.HasPrefix(scalar, "%") {
		return splat(w.lanes, typ, scalar)
	}
	one := w.op("insertelement %s poison, %s %s, i64 0", w.wide(typ), typ, scalar)
	return w.op("shufflevector %s %s, %s poison, %s zeroinitializer", w.wide(typ), one, w.wide(typ), w.wide("i32"))
}

// steps is the constant vector 0, stride, 2*stride and so on.
func (w *laneWriter) steps(typ string, stride int64) string {
	var b strings.Builder
	width := irtext.Bits(typ)
	for i := range w.lanes {
		if i > 0 {
			b.WriteString(", ")
		}
		v := int64(i) * stride
		if width < 64 {
			v = v << (64 - width) >> (64 - width)
		}
		fmt.Fprintf(&b, "%s %d", typ, v)
	}
	return "<" + b.String() + ">"
}

func (w *laneWriter) declare(result, name string, params ...string) string {
	w.l.declare(name, "declare "+result+" "+name+"("+strings.Join(params, ", ")+")")
	return name
}
