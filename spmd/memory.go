package spmd

import (
	"fmt"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// ways of access to memory.
type access uint8

const (
	once      access = iota // all lanes at one address
	ascending               // each lane right after the one before
	perhaps                 // most likely so, but that must be tested
	apart
)

func (w *laneWriter) access(pointer irtext.Operand, typ string) access {
	sh := w.s.at(pointer)
	size, _ := w.s.sizes.of(typ)
	switch {
	case sh.kind == uniform:
		return once
	case sh.kind == affine && sh.stride == size:
		return ascending
	case sh.kind == varying && sh.guess == size:
		return perhaps
	}
	return apart
}

// stored is the type that a type has in memory, where a bit takes a byte.
func stored(typ string) string {
	if typ == "i1" {
		return "i8"
	}
	return typ
}

// memoryType reports whether lanes of the type can be read and written as one.
func memoryType(typ string) bool {
	switch irtext.Bits(typ) {
	case 0:
		return simple(typ)
	case 1, 8, 16, 32, 64:
		return true
	}
	return false
}

// memory is one access to memory by all lanes.
type memory struct {
	w          *laneWriter
	in         *irtext.Instr
	pointer    irtext.Operand
	way        access
	wide, mask string
	align      int64
}

func (w *laneWriter) memory(in *irtext.Instr, pointer irtext.Operand, typ string) *memory {
	return &memory{
		w: w, in: in, pointer: pointer, way: w.access(pointer, typ),
		wide: w.wide(stored(typ)), mask: w.mask(w.at), align: w.alignment(in, typ),
	}
}

// result begins an instruction whose result has the name, or a new one.
func (m *memory) result(name string, format string, args ...any) string {
	text := fmt.Sprintf(format, args...) + m.w.meta(m.in, false)
	if name == "" {
		return m.w.op("%s", text)
	}
	m.w.do("%s = %s", name, text)
	return name
}

// lanesThatRun is the mask as an operand, all lanes where there is none.
func (m *memory) lanesThatRun() string {
	if m.mask == "" {
		return m.w.wide("i1") + " " + splat(m.w.lanes, "i1", "true")
	}
	return m.w.wide("i1") + " " + m.mask
}

// loadRow reads lanes that lie in a row from the first lane's address on.
func (m *memory) loadRow(name, first string) string {
	if m.mask == "" {
		return m.result(name, "load %s, ptr %s, align %d", m.wide, first, m.align)
	}
	f := m.w.declare(m.wide, "@llvm.masked.load."+mangle(m.wide)+".p0", "ptr", "i32 immarg", m.w.wide("i1"), m.wide)
	return m.result(name, "call %s %s(ptr %s, i32 %d, %s, %s poison)", m.wide, f, first, m.align, m.lanesThatRun(), m.wide)
}

func (m *memory) storeRow(value, first string) {
	w := m.w
	if m.mask == "" {
		w.do("store %s %s, ptr %s, align %d%s", m.wide, value, first, m.align, w.meta(m.in, false))
		return
	}
	f := w.declare("void", "@llvm.masked.store."+mangle(m.wide)+".p0", m.wide, "ptr", "i32 immarg", w.wide("i1"))
	w.do("call void %s(%s %s, ptr %s, i32 %d, %s)%s", f, m.wide, value, first, m.align, m.lanesThatRun(), w.meta(m.in, false))
}

// gather reads each lane at an address of its own.
func (m *memory) gather(name, pointers string) string {
	w, ptrs := m.w, m.w.wide("ptr")
	f := w.declare(m.wide, "@llvm.masked.gather."+mangle(m.wide)+"."+mangle(ptrs), ptrs, "i32 immarg", w.wide("i1"), m.wide)
	return m.result(name, "call %s %s(%s %s, i32 %d, %s, %s poison)", m.wide, f, ptrs, pointers, m.align, m.lanesThatRun(), m.wide)
}

func (m *memory) scatter(value, pointers string) {
	w, ptrs := m.w, m.w.wide("ptr")
	f := w.declare("void", "@llvm.masked.scatter."+mangle(m.wide)+"."+mangle(ptrs), m.wide, ptrs, "i32 immarg", w.wide("i1"))
	w.do("call void %s(%s %s, %s %s, i32 %d, %s)%s", f, m.wide, value, ptrs, pointers, m.align, m.lanesThatRun(), w.meta(m.in, false))
}

// tested writes both ways of an access and asks which it is: by rows where the
// addresses of the lanes that run ascend from the first lane's, or to the last
// one's. A lane that does not run may have no address at all, hence the freeze.
func (m *memory) tested(row func(first string) string, each func() string, name string) {
	w := m.w
	pointers := w.op("freeze %s %s", w.wide("ptr"), w.vector(m.pointer))
	first := w.op("extractelement %s %s, i64 0", w.wide("ptr"), pointers)
	size, _ := w.s.sizes.of(m.elem())
	if m.mask != "" {
		// Where the first lane does not run, the last may.
		last := w.op("extractelement %s %s, i64 %d", w.wide("ptr"), pointers, w.lanes-1)
		back := w.op("getelementptr i8, ptr %s, i64 %d", last, -size*int64(w.lanes-1))
		runs := w.op("extractelement %s %s, i64 0", w.wide("i1"), m.mask)
		first = w.op("select i1 %s, ptr %s, ptr %s", runs, first, back)
	}
	straight := w.op("getelementptr i8, ptr %s, %s %s", first, w.wide("i64"), w.steps("i64", size))
	off := w.op("icmp ne %s %s, %s", w.wide("ptr"), pointers, straight)
	if m.mask != "" {
		off = w.op("and %s %s, %s", w.wide("i1"), m.mask, off)
	}
	w.n++
	id := w.n
	w.do("br i1 %s, label %%a%d.each, label %%a%d.row", w.any(off), id, id)
	w.begin(fmt.Sprintf("a%d.row", id))
	x := row(first)
	w.do("br label %%a%d.end", id)
	w.begin(fmt.Sprintf("a%d.each", id))
	y := each()
	w.do("br label %%a%d.end", id)
	w.begin(fmt.Sprintf("a%d.end", id))
	if name != "" {
		w.do("%s = phi %s [ %s, %%a%d.row ], [ %s, %%a%d.each ]", name, m.wide, x, id, y, id)
	}
}

func (m *memory) elem() string {
	_, elem := irtext.Vector(m.wide)
	return elem
}

func (w *laneWriter) load(in *irtext.Instr, sh shape) {
	if in.Has("volatile") || in.Has("atomic") || !sh.scalar() && !memoryType(in.Type) {
		w.serial(in)
		return
	}
	m := w.memory(in, in.Args[0], in.Type)
	if m.way == once {
		w.count.uniform++
		w.clone(in, sh)
		return
	}
	name := own(in.Name, "")
	if stored(in.Type) != in.Type {
		name = own(in.Name, ".byte")
	}
	switch m.way {
	case ascending:
		w.count.contiguous++
		m.loadRow(name, w.scalar(in.Args[0]))
	case perhaps:
		w.count.tested++
		m.tested(func(first string) string { return m.loadRow("", first) }, func() string { return m.gather("", w.vector(in.Args[0])) }, name)
	default:
		w.count.gathered++
		m.gather(name, w.vector(in.Args[0]))
	}
	if stored(in.Type) != in.Type {
		w.do("%s = trunc %s %s to %s", own(in.Name, ""), m.wide, name, w.wide(in.Type))
	}
}

func (w *laneWriter) store(in *irtext.Instr) {
	v, p := in.Args[0], in.Args[1]
	if in.Has("volatile") || in.Has("atomic") {
		w.serial(in)
		return
	}
	m := w.memory(in, p, v.Type)
	if m.way == once && w.s.at(v).kind == uniform {
		w.count.uniform++
		w.clone(in, isUniform)
		return
	}
	if !memoryType(v.Type) {
		w.serial(in)
		return
	}
	value := w.vector(v)
	if stored(v.Type) != v.Type {
		value = w.op("zext %s %s to %s", w.wide(v.Type), value, m.wide)
	}
	switch m.way {
	case ascending:
		w.count.contiguous++
		m.storeRow(value, w.scalar(p))
	case perhaps:
		w.count.tested++
		m.tested(func(first string) string { m.storeRow(value, first); return "" }, func() string { m.scatter(value, w.vector(p)); return "" }, "")
	default:
		w.count.gathered++
		m.scatter(value, w.vector(p))
	}
}
