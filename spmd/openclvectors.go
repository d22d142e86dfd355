package spmd

import "strings"

// openclFunction defines the functions of OpenCL C that mathFunction does not:
// all of them for vectors, element by element, for their types in IR are not
// those of the source, and conversions, comparisons, and loads and stores of
// vectors.
func openclFunction(b *body) string {
	name, types, ok := demangle(b.sig.name)
	if !ok {
		return ""
	}
	params, ok := clParams(types)
	if !ok {
		return ""
	}
	switch name {
	case "mem_fence", "read_mem_fence", "write_mem_fence", "atomic_work_item_fence":
		b.do("fence seq_cst")
		return "void"
	case "prefetch":
		return "void"
	}
	// A result that no register holds is stored where the first argument says.
	inMemory := b.sig.result == "void" && len(b.sig.params) == len(params)+1
	if !inMemory && len(b.sig.params) != len(params) {
		return ""
	}
	first := 0
	if inMemory {
		first = 1
	}
	if strings.HasPrefix(name, "vload") || strings.HasPrefix(name, "vstore") {
		return b.memoryFunction(name, params, first, inMemory)
	}
	width := 0
	for _, p := range params {
		width = max(width, p.n)
	}
	if width == 0 {
		return openclScalar(b, name, params)
	}
	values := make([]string, len(params))
	apart := make([][]string, len(params))
	for i, p := range params {
		if p.elem() == "" {
			return ""
		}
		values[i] = b.unpack(first+i, p)
		if p.n > 0 && !p.pointer {
			apart[i] = b.elements(typed{p.ir(), values[i]})
		}
	}
	if v, done := b.wholeVectors(name, params, apart); done {
		if v.typ == "" {
			return ""
		}
		return b.pack(v, inMemory)
	}
	result := elementResult(name, params)
	if result.elem() == "" && result.letter != "v" {
		return ""
	}
	list := make([]string, width)
	scalar := elementName(name)
	for i := range list {
		args := make([]string, len(params))
		for j, p := range params {
			switch {
			case p.n == 0:
				args[j] = values[j]
			case p.pointer:
				args[j] = b.op("getelementptr %s, ptr %s, i64 %d", p.elem(), values[j], i)
			case p.n != width:
				return ""
			default:
				args[j] = apart[j][i]
			}
		}
		list[i] = b.element(name, scalar, params, args, result)
	}
	if b.sig.result == "void" && !inMemory {
		return "void"
	}
	return b.pack(b.vector(result.elem(), list), inMemory)
}

// element is one element of what a function makes of vectors.
func (b *body) element(name, scalar string, params []clType, args []string, result clType) string {
	switch {
	case name == "select":
		// The highest bit of an element decides, not whether it is zero.
		yes := b.op("icmp slt %s %s, 0", params[2].elem(), args[2])
		return b.op("select i1 %s, %s %s, %s %s", yes, result.elem(), args[1], result.elem(), args[0])
	case relational(name):
		// A vector's true is -1, in as many bits as were compared.
		is := b.op("icmp ne i32 %s, 0", b.callScalar("i32", name, params, args))
		return b.op("sext i1 %s to %s", is, result.elem())
	}
	return b.callScalar(result.elem(), scalar, params, args)
}

// elementName is the function that does for a number what name does for vectors.
func elementName(name string) string {
	rest, ok := strings.CutPrefix(name, "convert_")
	if !ok {
		return name
	}
	t, suffix, _ := strings.Cut(rest, "_")
	t = strings.TrimRight(t, "0123456789")
	if suffix != "" {
		t += "_" + suffix
	}
	return "convert_" + t
}

// elementResult is the type of an element of the result.
func elementResult(name string, params []clType) clType {
	first := params[0]
	for _, p := range params {
		if p.n > 0 {
			first = p
			break
		}
	}
	e := clType{letter: first.letter}
	bits := clBits(e.elem())
	switch {
	case strings.HasPrefix(name, "convert_"):
		t, _, _ := strings.Cut(strings.TrimPrefix(elementName(name), "convert_"), "_")
		return clType{letter: clNamed(t)}
	case relational(name):
		return clType{letter: map[int]string{16: "s", 32: "i", 64: "l"}[bits]}
	case name == "ilogb":
		return clType{letter: "i"}
	case name == "nan":
		return clType{letter: map[int]string{16: "Dh", 32: "f", 64: "d"}[bits]}
	case name == "upsample":
		return clType{letter: map[string]string{"c": "s", "h": "t", "s": "i", "t": "j", "i": "l", "j": "m"}[e.letter]}
	case name == "abs" || name == "abs_diff":
		return clType{letter: map[string]string{"c": "h", "a": "h", "s": "t", "i": "j", "l": "m"}[e.letter] + map[bool]string{true: e.letter}[e.unsigned()]}
	}
	return e
}

// wholeVectors defines what is no function of one element after the other. The
// result has no type where it cannot be had.
func (b *body) wholeVectors(name string, params []clType, apart [][]string) (v typed, done bool) {
	elem := params[0].elem()
	reduce := func(op string, list []string) string {
		sum := list[0]
		for _, e := range list[1:] {
			sum = b.op("%s %s %s, %s", op, elem, sum, e)
		}
		return sum
	}
	dot := func(x, y []string) string {
		products := make([]string, len(x))
		for i := range x {
			products[i] = b.op("fmul %s %s, %s", elem, x[i], y[i])
		}
		return reduce("fadd", products)
	}
	length := func(x []string) string {
		return b.call(elem, "@llvm.sqrt."+mangle(elem), typed{elem, dot(x, x)})
	}
	binary := len(params) == 2 && params[0] == params[1]
	switch strings.TrimPrefix(name, "fast_") {
	case "any", "all":
		op := map[string]string{"any": "or", "all": "and"}[name]
		if params[0].float() || len(params) != 1 {
			return typed{}, true
		}
		is := b.op("icmp slt %s %s, 0", elem, reduce(op, apart[0]))
		return typed{"i32", b.op("zext i1 %s to i32", is)}, true
	case "dot":
		if !binary || !params[0].float() {
			return typed{}, true
		}
		return typed{elem, dot(apart[0], apart[1])}, true
	case "length":
		return typed{elem, length(apart[0])}, true
	case "distance":
		if !binary {
			return typed{}, true
		}
		d := make([]string, params[0].n)
		for i := range d {
			d[i] = b.op("fsub %s %s, %s", elem, apart[0][i], apart[1][i])
		}
		return typed{elem, length(d)}, true
	case "normalize":
		// The null vector stays what it is.
		l := length(apart[0])
		null := b.op("fcmp oeq %s %s, %s", elem, l, constantOf(elem, 0))
		l = b.op("select i1 %s, %s %s, %s %s", null, elem, constantOf(elem, 1), elem, l)
		list := make([]string, params[0].n)
		for i := range list {
			list[i] = b.op("fdiv %s %s, %s", elem, apart[0][i], l)
		}
		return b.vector(elem, list), true
	case "cross":
		if !binary || params[0].n < 3 {
			return typed{}, true
		}
		x, y := apart[0], apart[1]
		list := make([]string, params[0].n)
		for i := range list {
			if i == 3 {
				list[i] = constantOf(elem, 0)
				continue
			}
			j, k := (i+1)%3, (i+2)%3
			list[i] = b.op("fsub %s %s, %s", elem, b.op("fmul %s %s, %s", elem, x[j], y[k]), b.op("fmul %s %s, %s", elem, x[k], y[j]))
		}
		return b.vector(elem, list), true
	case "shuffle", "shuffle2":
		mask := len(params) - 1
		from := apart[0]
		if mask == 2 {
			from = append(from[:len(from):len(from)], apart[1]...)
		}
		source, list := b.vector(elem, from), make([]string, params[mask].n)
		for i, at := range apart[mask] {
			at = b.op("and %s %s, %d", params[mask].elem(), at, len(from)-1)
			list[i] = b.op("extractelement %s %s, %s %s", source.typ, source.value, params[mask].elem(), at)
		}
		return b.vector(elem, list), true
	}
	return typed{}, false
}
