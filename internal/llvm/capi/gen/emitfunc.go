package main

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

const ffiPath = "github.com/kilnjit/kiln/internal/ffi"

var (
	lengthName  = regexp.MustCompile(`^(Num\w*|N|Count|Size|\w*Count|\w*Len|\w*Length|\w*Size)$`)
	integerSize = map[string]string{
		"unsigned": "uint32", "int": "int32", "size_t": "uint64", "uint64_t": "uint64", "int64_t": "int64",
		"unsigned long long": "uint64", "long long": "int64", "uint8_t": "uint8", "uint32_t": "uint32", "uint16_t": "uint16",
		"unsigned long": "uint64",
	}
)

// goBase returns the Go type for a C type without pointers.
func (e *emitter) goBase(base string) (string, error) {
	if base == "LLVMBool" {
		return "bool", nil
	}
	if t, ok := integerSize[base]; ok {
		return t, nil
	}
	if base == "double" {
		return "float64", nil
	}
	if t := e.names[base]; t != "" {
		return t, nil
	}
	return "", fmt.Errorf("unknown type %q", base)
}

func isInteger(t ctype) bool {
	return t.pointers == 0 && integerSize[t.base] != ""
}

// isArray says whether p of f points to the first of several elements.
func (e *emitter) isArray(f *function, i int) bool {
	p := f.params[i]
	if p.typ.pointers != 1 || p.typ.base == "void" || e.kinds[p.typ.base] == "record" {
		return false
	}
	if p.typ.base == "char" {
		return !p.typ.constant && e.countFollows(f, i)
	}
	return p.typ.array || unsizedArrays[f.name+"."+p.name] || e.countFollows(f, i) ||
		i+1 < len(f.params) && f.params[i+1].typ.pointers == 1 && e.countFollows(f, i+1)
}

func (e *emitter) countFollows(f *function, i int) bool {
	return i+1 < len(f.params) && isInteger(f.params[i+1].typ) && lengthName.MatchString(f.params[i+1].name)
}

// function emits one Go function.
func (e *emitter) function(f *function) error {
	if f.result.base == "double" || slices.ContainsFunc(f.params, func(p param) bool { return p.typ.base == "double" }) {
		return e.floating(f)
	}
	var params, body []string
	textLength := false // the result is text whose length is an out parameter
	for i := 0; i < len(f.params); i++ {
		p := f.params[i]
		name := goParam(p, i)
		add := func(typ, format string, args ...any) {
			params = append(params, name+" "+typ)
			body = append(body, fmt.Sprintf(format, args...))
		}
		t := p.typ
		switch {
		case f.result.base == "char" && f.result.pointers == 1 && i == len(f.params)-1 && t.pointers == 1 &&
			(t.base == "size_t" || t.base == "unsigned"):
			textLength = true
			body = append(body, "frame.OutLength()")
		case t.base == "char" && t.pointers == 1 && t.constant:
			switch {
			case byteSlices[f.name+"."+p.name]:
				add("[]byte", "ffi.Elements(frame, %[1]s)\nframe.Word(uintptr(len(%[1]s)))", name)
				i++
			case e.countFollows(f, i):
				add("string", "frame.TextAndLength(%s)", name)
				i++
			case retained[f.name+"."+p.name]:
				add("string", "frame.Word(retain(%s))", name)
			default:
				add("string", "frame.Text(%s)", name)
			}
		case t.base == "char" && t.pointers == 1 && t.array:
			add("string", "frame.Text(%s)", name)
		case e.isArray(f, i):
			base := "byte"
			if t.base != "char" {
				var err error
				if base, err = e.goBase(t.base); err != nil {
					return err
				}
				if base == "bool" {
					base = "int32"
				}
			}
			add("[]"+base, "ffi.Elements(frame, %s)", name)
			if e.countFollows(f, i) {
				i++
				body = append(body, fmt.Sprintf("frame.Word(uintptr(len(%s)))", name))
			}
		case isInteger(t) && p.name == "NumWords" && i+1 < len(f.params) && f.params[i+1].typ.array:
			body = append(body, fmt.Sprintf("frame.Word(uintptr(len(%s)))", goParam(f.params[i+1], i+1)))
		case t.base == "char" && t.pointers == 1:
			add(messageType(f), "frame.Word(uintptr(%s))", name)
		case t.base == "char" && t.pointers == 2 && !t.constant:
			add("*"+messageType(f), "ffi.Pointer(frame, %s)", name)
		case t.base == "char", t.base == "void":
			add("uintptr", "frame.Word(%s)", name)
		case e.kinds[t.base] == "record":
			add(e.names[t.base], "frame.Word(uintptr(%s))", name)
		case t.pointers == 1:
			base, err := e.goBase(t.base)
			if err != nil {
				return err
			}
			if base == "bool" {
				base = "int32"
			}
			add("*"+base, "ffi.Pointer(frame, %s)", name)
		case t.pointers == 0:
			base, err := e.goBase(t.base)
			if err != nil {
				return err
			}
			if base == "bool" {
				add(base, "frame.Bool(%s)", name)
			} else {
				add(base, "frame.Word(uintptr(%s))", name)
			}
		default:
			return fmt.Errorf("parameter %s", p.name)
		}
	}
	result, call, err := e.result(f, textLength)
	if err != nil {
		return err
	}
	b := e.file("zz_" + strings.ToLower(f.header) + ".go")
	fmt.Fprintf(b, "// %s calls %s, of %s.\n", e.names[f.name], f.name, versionText(f))
	fmt.Fprintf(b, "func %s(%s) %s {\n\tframe := enter(sym%[1]s)\n", e.names[f.name], strings.Join(params, ", "), result)
	for _, line := range body {
		fmt.Fprintf(b, "\t%s\n", line)
	}
	fmt.Fprintf(b, "\t%s\n}\n\n", call)
	return nil
}

func messageType(f *function) string {
	if errorMessages[f.name] {
		return "ErrorMessage"
	}
	return "Message"
}

// result returns the Go result type and the last statement of the function.
func (e *emitter) result(f *function, textLength bool) (typ, call string, err error) {
	t := f.result
	switch {
	case t.base == "void" && t.pointers == 0:
		return "", "frame.Call()", nil
	case t.base == "char" && t.pointers == 1 && t.constant:
		switch {
		case addresses[f.name]:
			return "uintptr", "return frame.Call()", nil
		case textLength:
			return "string", "return frame.CallTextAndLength()", nil
		}
		return "string", "return frame.CallText()", nil
	case t.base == "char" && t.pointers == 1:
		m := messageType(f)
		return m, fmt.Sprintf("return %s(frame.Call())", m), nil
	case t.pointers == 1 && e.kinds[t.base] == "record":
		return e.names[t.base], fmt.Sprintf("return %s(frame.Call())", e.names[t.base]), nil
	case t.pointers > 0:
		return "uintptr", "return frame.Call()", nil
	}
	base, err := e.goBase(t.base)
	if err != nil {
		return "", "", err
	}
	if base == "bool" {
		return base, "return uint32(frame.Call()) != 0", nil
	}
	return base, fmt.Sprintf("return %s(frame.Call())", base), nil
}

// floating emits a function that takes or returns floating point, which
// travels in registers of its own.
func (e *emitter) floating(f *function) error {
	var params, args, types []string
	for i, p := range f.params {
		base, err := e.goBase(p.typ.base)
		if err != nil {
			return err
		}
		if p.typ.pointers == 1 {
			if base == "bool" {
				base = "int32"
			}
			base = "*" + base
		}
		name := goParam(p, i)
		params = append(params, name+" "+base)
		args = append(args, name)
		types = append(types, base)
	}
	result, err := e.goBase(f.result.base)
	if err != nil {
		return err
	}
	name := e.names[f.name]
	b := e.file("zz_floating.go")
	fmt.Fprintf(b, "var bound%s binding[func(%s) %s]\n\n", name, strings.Join(types, ", "), result)
	fmt.Fprintf(b, "// %s calls %s, of %s.\n", name, f.name, versionText(f))
	fmt.Fprintf(b, "func %s(%s) %s {\n\treturn bound%[1]s.get(sym%[1]s)(%[4]s)\n}\n\n",
		name, strings.Join(params, ", "), result, strings.Join(args, ", "))
	return nil
}

// versionText says which versions have f, in words.
func versionText(f *function) string {
	switch f.versions {
	case 1:
		return "LLVM 19 but not 22"
	case 2:
		return "LLVM 22 but not 19"
	}
	return "LLVM 19 to 22"
}

var taken = []string{
	"frame", "ffi", "string", "bool", "len", "new", "int32", "uint32", "uint64", "int64", "uint8", "uintptr", "byte", "float64",
}

// unnamed names the parameters that the headers leave without a name.
var unnamed = map[string]string{"LLVMBuilderRef": "builder", "LLVMTypeRef": "ty"}

// goParam returns the Go name of the i-th parameter.
func goParam(p param, i int) string {
	name := p.name
	if name == "" {
		if name = unnamed[p.typ.base]; name == "" {
			name = fmt.Sprintf("p%d", i)
		}
		return name
	}
	name = strings.TrimPrefix(name, "LLVM")
	r := []rune(strings.ReplaceAll(name, "_", ""))
	for j := range r {
		if !unicode.IsUpper(r[j]) || j > 0 && j+1 < len(r) && unicode.IsLower(r[j+1]) {
			break
		}
		r[j] = unicode.ToLower(r[j])
	}
	name = string(r)
	if token.IsKeyword(name) || slices.Contains(taken, name) {
		name += "Value"
	}
	return name
}
