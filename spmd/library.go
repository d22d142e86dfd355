package spmd

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// library defines the functions that device code expects of its device: what
// the back end builds in and what the device's own libraries have. A function
// is defined only where it is needed, in terms of LLVM's intrinsics, of libm,
// and of the ids.
type library struct {
	opt      *Options
	defines  []irtext.Entity
	declares []irtext.Entity
	has      map[string]string // name to signature
}

// signature is a function as a module declares it.
type signature struct {
	name, result string
	params       []string
}

func (s *signature) String() string {
	return s.result + " " + s.name + "(" + strings.Join(s.params, ", ") + ")"
}

func newLibrary(opt *Options) *library { return &library{opt: opt, has: map[string]string{}} }

// need makes the library have the function.
func (l *library) need(s signature, missing *problems) {
	if had, ok := l.has[s.name]; ok {
		if had != s.String() {
			missing.add(signatureClash, s.name[1:])
		}
		return
	}
	l.has[s.name] = s.String()
	if l.id(s.name) {
		if s.result != "i32" || len(s.params) > 0 {
			missing.add(signatureClash, s.name[1:])
		}
		return
	}
	if l.write(s, s.name) {
		return
	}
	missing.add(classify(s.name), s.name[1:])
}

// write defines the function that a signature names, under another name.
func (l *library) write(s signature, as string) bool {
	for _, f := range []func(*body) string{barrierFunction, warpFunction, atomicFunction, deviceFunction, workItemFunction, openclFunction, libdeviceFunction, mathFunction} {
		b := &body{lib: l, sig: &s}
		if result := f(b); result != "" && !b.failed {
			s.name = as
			l.define(b, result)
			return true
		}
	}
	return false
}

func (l *library) define(b *body, result string) {
	var params []string
	for i, t := range b.sig.params {
		params = append(params, fmt.Sprintf("%s %%a%d", t, i))
	}
	ret := "  ret void"
	if b.sig.result != "void" {
		ret = fmt.Sprintf("  ret %s %s", b.sig.result, result)
	}
	l.defines = append(l.defines, irtext.Entity{
		Name: b.sig.name,
		Line: fmt.Sprintf("define internal %s %s(%s) alwaysinline nounwind", b.sig.result, b.sig.name, strings.Join(params, ", ")),
		Body: append(b.lines, ret),
	})
}

// finish adds what is needed to a module. Several of the module's own
// declarations may have become one by their names on the host.
func (l *library) finish(m *irtext.Module, missing *problems) {
	seen := map[string]bool{}
	for _, d := range m.Declares {
		seen[d.Name] = true
	}
	for _, d := range l.declares {
		if !seen[d.Name] {
			seen[d.Name] = true
			m.Declares = append(m.Declares, d)
		}
	}
	m.Defines = append(m.Defines, l.defines...)
}

const pure = " nocallback nofree nosync nounwind speculatable willreturn memory(none)"

// The bounds that ids have: a group has fewer than 65,536 items along a
// dimension, a launch fewer than 2^31 groups.
const (
	maxBlock = 65535
	maxGrid  = 1<<31 - 1
)

// id makes the library have the function if it is one of the ids and sizes
// that differ from item to item or launch to launch. Fixed ones become constants.
func (l *library) id(name string) bool {
	kind, d, ok := idOf(name)
	if !ok {
		return false
	}
	l.has[name] = "i32 " + name + "()"
	size := l.opt.Block[d]
	if kind == ctaid || kind == nctaid {
		size = l.opt.Grid[d]
	}
	value := ""
	switch {
	case size == 0:
	case kind == ntid || kind == nctaid:
		value = fmt.Sprint(size)
	case size == 1:
		value = "0"
	}
	if value != "" {
		b := &body{lib: l, sig: &signature{name: name, result: "i32"}}
		l.define(b, value)
		return true
	}
	lo, hi := uint64(0), uint64(size)
	if size == 0 {
		hi = maxBlock
		if kind == ctaid || kind == nctaid {
			hi = maxGrid
		}
	}
	if kind == ntid || kind == nctaid {
		lo, hi = 1, hi+1
	}
	bounds := fmt.Sprintf("range(i32 %d, %d) ", lo, int32(hi))
	l.declares = append(l.declares, irtext.Entity{
		Name: name,
		Line: "declare noundef " + bounds + "i32 " + name + "()" + pure,
	})
	return true
}

type idKind uint8

const (
	tid idKind = iota
	ntid
	ctaid
	nctaid
)

// idOf tells which id or size the function is, and of which dimension.
func idOf(name string) (kind idKind, dim int, ok bool) {
	rest, found := strings.CutPrefix(name, "@kiln.")
	if !found {
		return 0, 0, false
	}
	base, d, found := strings.Cut(rest, ".")
	if !found || len(d) != 1 || d[0] < 'x' || d[0] > 'z' {
		return 0, 0, false
	}
	switch base {
	case "tid":
		kind = tid
	case "ntid":
		kind = ntid
	case "ctaid":
		kind = ctaid
	case "nctaid":
		kind = nctaid
	default:
		return 0, 0, false
	}
	return kind, int(d[0] - 'x'), true
}

// body writes the body of one function of the library. Its arguments are
// %a0, %a1, and so on.
type body struct {
	lib    *library
	sig    *signature
	lines  []string
	n      int
	failed bool
}

// op adds an instruction and returns its result.
func (b *body) op(format string, args ...any) string {
	b.n++
	name := fmt.Sprintf("%%t%d", b.n)
	b.lines = append(b.lines, "  "+name+" = "+fmt.Sprintf(format, args...))
	return name
}

// do adds an instruction that has no result.
func (b *body) do(format string, args ...any) {
	b.lines = append(b.lines, "  "+fmt.Sprintf(format, args...))
}

// typed is a value with its type.
type typed struct{ typ, value string }

// call adds a call of a function that LLVM or libm has, and declares it.
func (b *body) call(result, name string, args ...typed) string {
	var types, list []string
	for _, a := range args {
		types = append(types, a.typ)
		list = append(list, a.typ+" "+a.value)
	}
	if _, ok := b.lib.has[name]; !ok {
		b.lib.has[name] = ""
		line := "declare " + result + " " + name + "(" + strings.Join(types, ", ") + ")"
		if !strings.HasPrefix(name, "@llvm.") {
			line += " nounwind willreturn memory(argmem: readwrite)"
			if !strings.Contains(strings.Join(types, " "), "ptr") {
				line = strings.Replace(line, "memory(argmem: readwrite)", "memory(none)", 1)
			}
		}
		b.lib.declares = append(b.lib.declares, irtext.Entity{Name: name, Line: line})
	}
	text := fmt.Sprintf("call %s %s(%s)", result, name, strings.Join(list, ", "))
	if result == "void" {
		b.do("%s", text)
		return "void"
	}
	return b.op("%s", text)
}

// id adds the call of an id or size: "tid.x".
func (b *body) id(name string) string {
	full := "@kiln." + name
	if _, ok := b.lib.has[full]; !ok {
		b.lib.id(full)
	}
	return b.op("call i32 %s()", full)
}

// linear is the item's number in its group.
func (b *body) linear() string {
	row := b.op("mul i32 %s, %s", b.id("tid.z"), b.id("ntid.y"))
	row = b.op("add i32 %s, %s", row, b.id("tid.y"))
	row = b.op("mul i32 %s, %s", row, b.id("ntid.x"))
	return b.op("add i32 %s, %s", row, b.id("tid.x"))
}

func (b *body) arg(i int) typed {
	if i >= len(b.sig.params) {
		b.failed = true
		return typed{"i32", "poison"}
	}
	return typed{b.sig.params[i], fmt.Sprintf("%%a%d", i)}
}

// mangle spells a type as the names of overloaded intrinsics do.
func mangle(typ string) string {
	if n, elem := irtext.Vector(typ); n > 0 {
		return fmt.Sprintf("v%d%s", n, mangle(elem))
	}
	switch typ {
	case "half":
		return "f16"
	case "bfloat":
		return "bf16"
	case "float":
		return "f32"
	case "double":
		return "f64"
	case "ptr":
		return "p0"
	}
	return typ
}
