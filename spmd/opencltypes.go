package spmd

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// clType is a type of OpenCL C as a mangled name spells it.
type clType struct {
	// letter is the element's: c, h, s, t, i, j, l, m, f, d, "Dh" for half, or a
	// name of what is none of these.
	letter string
	// n is a vector's length, 0 for a scalar.
	n int
	// pointer tells that it is the address of that.
	pointer bool
}

// elem is the element's type in IR, "" where there is none.
func (t clType) elem() string {
	switch t.letter {
	case "b":
		return "i1"
	case "c", "a", "h":
		return "i8"
	case "s", "t":
		return "i16"
	case "i", "j":
		return "i32"
	case "l", "m":
		return "i64"
	case "Dh":
		return "half"
	case "f":
		return "float"
	case "d":
		return "double"
	}
	return ""
}

// ir is the type as it is when no convention has packed it.
func (t clType) ir() string {
	switch {
	case t.pointer:
		return "ptr"
	case t.n > 0:
		return irtext.VectorOf(t.n, t.elem())
	}
	return t.elem()
}

func (t clType) unsigned() bool { return strings.Contains("hjtmb", t.letter) }

func (t clType) float() bool { return isFloat(t.elem()) }

// scalar spells the type of one element, or of the address of one.
func (t clType) scalar() string {
	if t.pointer {
		return "P" + t.letter
	}
	return t.letter
}

// clReader reads the parameter types of a mangled name. What was read before
// is referred to by S_, S0_ and so on.
type clReader struct {
	rest string
	seen []clType
}

// clParams returns a function's parameter types.
func clParams(types string) ([]clType, bool) {
	r := &clReader{rest: types}
	var params []clType
	for r.rest != "" {
		t, ok := r.read()
		if !ok || len(params) > 8 {
			return nil, false
		}
		params = append(params, t)
	}
	return params, len(params) > 0
}

func (r *clReader) remember(t clType) clType {
	r.seen = append(r.seen, t)
	return t
}

func (r *clReader) read() (clType, bool) {
	switch {
	case r.rest == "":
		return clType{}, false
	case strings.HasPrefix(r.rest, "Dv"):
		n := 0
		i := 2
		for ; i < len(r.rest) && '0' <= r.rest[i] && r.rest[i] <= '9' && n < 100; i++ {
			n = 10*n + int(r.rest[i]-'0')
		}
		if i >= len(r.rest) || r.rest[i] != '_' || n < 2 || n > 16 {
			return clType{}, false
		}
		r.rest = r.rest[i+1:]
		t, ok := r.read()
		if !ok || t.n > 0 || t.pointer || t.elem() == "" {
			return clType{}, false
		}
		t.n = n
		return r.remember(t), true
	case strings.HasPrefix(r.rest, "Dh"):
		r.rest = r.rest[2:]
		return clType{letter: "Dh"}, true
	case r.rest[0] == 'P':
		r.rest = r.rest[1:]
		t, ok := r.read()
		if !ok || t.pointer {
			return clType{}, false
		}
		t.pointer = true
		return r.remember(t), true
	case r.rest[0] == 'S':
		return r.again()
	case strings.ContainsRune("UVK", rune(r.rest[0])):
		for r.rest != "" && strings.ContainsRune("UVK", rune(r.rest[0])) {
			qualifier := r.rest[0]
			r.rest = r.rest[1:]
			if qualifier == 'U' {
				if _, ok := r.name(); !ok {
					return clType{}, false
				}
			}
		}
		t, ok := r.read()
		return r.remember(t), ok
	case '0' <= r.rest[0] && r.rest[0] <= '9':
		name, ok := r.name()
		return r.remember(clType{letter: name}), ok
	}
	t := clType{letter: r.rest[:1]}
	r.rest = r.rest[1:]
	return t, t.elem() != ""
}

func (r *clReader) again() (clType, bool) {
	number, rest, ok := strings.Cut(r.rest[1:], "_")
	if !ok {
		return clType{}, false
	}
	r.rest = rest
	n := 0
	if number != "" {
		if len(number) > 1 || number[0] < '0' || number[0] > '9' {
			return clType{}, false
		}
		n = int(number[0]-'0') + 1
	}
	if n >= len(r.seen) {
		return clType{}, false
	}
	return r.seen[n], true
}

// name takes a name behind its length.
func (r *clReader) name() (string, bool) {
	n, i := 0, 0
	for ; i < len(r.rest) && '0' <= r.rest[i] && r.rest[i] <= '9' && n < 100; i++ {
		n = 10*n + int(r.rest[i]-'0')
	}
	if n == 0 || i+n > len(r.rest) {
		return "", false
	}
	name := r.rest[i : i+n]
	r.rest = r.rest[i+n:]
	return name, true
}

func clBits(t string) int {
	switch t {
	case "half":
		return 16
	case "float":
		return 32
	case "double":
		return 64
	}
	if n, elem := irtext.Vector(t); n > 0 {
		return n * clBits(elem)
	}
	return irtext.Bits(t)
}

// unpack returns a parameter as the type it has in the source. Conventions of
// the host pass small vectors as numbers of their size and large ones in memory.
func (b *body) unpack(i int, t clType) string {
	have, want := b.arg(i), t.ir()
	switch {
	case have.typ == want:
		return have.value
	case have.typ == "ptr":
		return b.op("load %s, ptr %s, align %d", want, have.value, max(clBits(t.elem())/8, 1))
	}
	from, to := clBits(have.typ), clBits(want)
	if from < to || to == 0 {
		b.failed = true
		return "poison"
	}
	v := b.asInteger(have)
	if from > to {
		v = b.op("trunc i%d %s to i%d", from, v, to)
	}
	return b.op("bitcast i%d %s to %s", to, v, want)
}

func (b *body) asInteger(v typed) string {
	if irtext.Bits(v.typ) > 0 {
		return v.value
	}
	return b.op("bitcast %s %s to i%d", v.typ, v.value, clBits(v.typ))
}

// pack returns a result as the function's declaration has it.
func (b *body) pack(v typed, inMemory bool) string {
	want := b.sig.result
	switch {
	case v.typ == want:
		return v.value
	case inMemory:
		b.do("store %s %s, ptr %%a0, align 1", v.typ, v.value)
		return "void"
	}
	from, to := clBits(v.typ), clBits(want)
	if from > to || from == 0 {
		b.failed = true
		return "poison"
	}
	bits := b.asInteger(v)
	if from < to {
		bits = b.op("zext i%d %s to i%d", from, bits, to)
	}
	if irtext.Bits(want) > 0 {
		return bits
	}
	return b.op("bitcast i%d %s to %s", to, bits, want)
}

// callScalar calls a function of the library by its name in OpenCL C, on
// numbers and addresses.
func (b *body) callScalar(result, name string, types []clType, values []string) string {
	s := signature{result: result}
	symbol := ""
	var list []string
	for i, t := range types {
		symbol += t.scalar()
		param := t.elem()
		if t.pointer {
			param = "ptr"
		}
		s.params = append(s.params, param)
		list = append(list, param+" "+values[i])
	}
	s.name = fmt.Sprintf("@_Z%d%s%s", len(name), name, symbol)
	// The module may have a function of that name itself.
	as := "@kiln." + s.name[1:]
	if _, ok := b.lib.has[as]; !ok {
		if !b.lib.write(s, as) {
			b.failed = true
			return "poison"
		}
		b.lib.has[as] = ""
	}
	text := fmt.Sprintf("call %s %s(%s)", result, as, strings.Join(list, ", "))
	if result == "void" {
		b.do("%s", text)
		return "void"
	}
	return b.op("%s", text)
}

// elements takes a vector apart.
func (b *body) elements(v typed) []string {
	n, _ := irtext.Vector(v.typ)
	list := make([]string, n)
	for i := range list {
		list[i] = b.op("extractelement %s %s, i32 %d", v.typ, v.value, i)
	}
	return list
}

// vector puts one together.
func (b *body) vector(elem string, values []string) typed {
	t, v := irtext.VectorOf(len(values), elem), "poison"
	for i, e := range values {
		v = b.op("insertelement %s %s, %s %s, i32 %d", t, v, elem, e, i)
	}
	return typed{t, v}
}
