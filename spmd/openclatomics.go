package spmd

import "strings"

// atomicFunction defines OpenCL's atomic functions, of version 1 and 2. All
// are as strong as can be: an order that is asked for is left out.
func atomicFunction(b *body) string {
	name, types, ok := demangle(b.sig.name)
	if !ok || len(b.sig.params) == 0 || b.sig.params[0] != "ptr" {
		return ""
	}
	op, ok := strings.CutPrefix(name, "atomic_")
	if !ok {
		op, ok = strings.CutPrefix(name, "atom_")
	}
	if !ok {
		return ""
	}
	op = strings.TrimPrefix(strings.TrimSuffix(op, "_explicit"), "fetch_")
	letter := pointee(types)
	unsigned := letter == 'j' || letter == 'm'
	t := map[byte]string{'i': "i32", 'j': "i32", 'l': "i64", 'm': "i64", 'f': "float", 'd': "double"}[letter]
	if t == "" {
		return ""
	}
	operand := func() string {
		if v := b.arg(1); v.typ == t {
			return v.value
		}
		b.failed = true
		return "poison"
	}
	result := func(v string) string {
		switch b.sig.result {
		case t:
			return v
		case "void":
			return "void"
		}
		return ""
	}
	rmw := func(kind, value string) string {
		return result(b.op("atomicrmw %s ptr %%a0, %s %s seq_cst", kind, t, value))
	}
	float := t == "float" || t == "double"
	switch op {
	case "inc", "dec":
		return rmw(map[string]string{"inc": "add", "dec": "sub"}[op], "1")
	case "xchg", "exchange":
		return rmw("xchg", operand())
	case "add", "sub", "min", "max":
		switch {
		case float:
			op = "f" + op
		case unsigned && (op == "min" || op == "max"):
			op = "u" + op
		}
		return rmw(op, operand())
	case "and", "or", "xor":
		if !float {
			return rmw(op, operand())
		}
	case "load":
		return result(b.op("load atomic %s, ptr %%a0 seq_cst, align %d", t, width(t)))
	case "store", "init":
		b.do("store atomic %s %s, ptr %%a0 seq_cst, align %d", t, operand(), width(t))
		return "void"
	case "cmpxchg":
		if v := b.arg(2); v.typ == t && !float {
			pair := b.op("cmpxchg ptr %%a0, %s %s, %s %s seq_cst seq_cst", t, operand(), t, v.value)
			return result(b.op("extractvalue { %s, i1 } %s, 0", t, pair))
		}
	}
	return ""
}

func width(t string) int {
	if t == "i64" || t == "double" {
		return 8
	}
	return 4
}

// pointee is the letter of the type that the first of a function's parameters
// points to: "PU3AS1VU7_Atomicj" names an unsigned int.
func pointee(types string) byte {
	rest, ok := strings.CutPrefix(types, "P")
	for ok && rest != "" {
		switch c := rest[0]; c {
		case 'V', 'K':
			rest = rest[1:]
		case 'U':
			n := 0
			for rest = rest[1:]; rest != "" && '0' <= rest[0] && rest[0] <= '9' && n < 100; rest = rest[1:] {
				n = 10*n + int(rest[0]-'0')
			}
			if n == 0 || n > len(rest) {
				return 0
			}
			rest = rest[n:]
		default:
			return c
		}
	}
	return 0
}
