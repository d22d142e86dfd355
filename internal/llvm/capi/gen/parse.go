package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// api is what one version's headers declare.
type api struct {
	handles   []string          // pointer types: LLVMValueRef
	words     []string          // void * types: LLVMDisasmContextRef
	callbacks []string          // function pointer types
	integers  []string          // unsigned types: LLVMAttributeIndex
	records   []string          // opaque structs used by pointer: LLVMModuleFlagEntry
	enums     []*enum           // in order of appearance
	functions []*function       // in order of appearance
	values    map[string]int64  // enumerator values
	kinds     map[string]string // type name: the kind it is
}

type enum struct {
	name      string // "" until an integer type that follows names it
	constants []string
	versions  uint
}

type function struct {
	name     string
	header   string
	result   ctype
	params   []param
	versions uint
}

type param struct {
	name string
	typ  ctype
}

// ctype is a C type as the headers use them: a base name, how many * follow,
// and whether the pointed-to is const.
type ctype struct {
	base     string
	pointers int
	constant bool
	array    bool // written T name[]
}

type parser struct {
	*api
	tokens []string
	pos    int
	header string
}

func parseHeaders(folder string) (*api, error) {
	a := &api{values: map[string]int64{}, kinds: map[string]string{"LLVMBool": "bool"}}
	for _, header := range headers {
		text, err := os.ReadFile(filepath.Join(folder, header))
		if err != nil {
			return nil, fmt.Errorf("reading headers: %w (install llvm-19-dev and llvm-22-dev)", err)
		}
		tokens, classes := scan(string(text))
		p := &parser{api: a, tokens: tokens, header: strings.TrimSuffix(filepath.Base(header), ".h")}
		if err := p.file(); err != nil {
			at := max(0, p.pos-5)
			return nil, fmt.Errorf("%s: near %q: %w", header, strings.Join(tokens[at:min(at+15, len(tokens))], " "), err)
		}
		for _, class := range classes {
			value := ctype{base: "LLVMValueRef"}
			a.functions = append(a.functions, &function{
				name: "LLVMIsA" + class, header: p.header, result: value, params: []param{{"Val", value}},
			})
		}
	}
	return a, nil
}

// file parses the declarations of one header.
func (p *parser) file() error {
	for p.pos < len(p.tokens) {
		var err error
		switch p.peek() {
		case "typedef":
			err = p.typedef()
		case "enum":
			if p.tokens[p.pos+1] == "{" || p.tokens[p.pos+2] == "{" {
				err = p.enumeration()
			} else {
				err = p.function(true)
			}
		case "struct":
			err = p.skipTo(";")
		case "static":
			err = p.skipBody()
		case "LLVM_ATTRIBUTE_C_DEPRECATED":
			err = p.deprecated()
		case "LLVM_DECLARE_VALUE_CAST", "LLVM_FOR_EACH_VALUE_SUBCLASS":
			err = p.skipPast(")")
		case ";":
			p.pos++
		default:
			err = p.function(true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// deprecated parses MACRO(declaration, "text" ...);
func (p *parser) deprecated() error {
	p.pos++
	if err := p.expect("("); err != nil {
		return err
	}
	if err := p.function(false); err != nil {
		return err
	}
	return p.skipTo(";")
}

func (p *parser) typedef() error {
	p.pos++
	if p.peek() == "enum" {
		if err := p.enumeration(); err != nil {
			return err
		}
		return nil
	}
	start := p.pos
	if err := p.skipTo(";"); err != nil {
		return err
	}
	decl := p.tokens[start : p.pos-1]
	name := decl[len(decl)-1]
	switch {
	case slices.Contains(decl, "("):
		name = decl[slices.Index(decl, "(")+2]
		p.callbacks = append(p.callbacks, name)
		p.kinds[name] = "callback"
	case decl[0] == "struct" && slices.Contains(decl, "*"):
		p.handles = append(p.handles, name)
		p.kinds[name] = "handle"
	case decl[0] == "struct":
		p.records = append(p.records, name)
		p.kinds[name] = "record"
	case slices.Contains(decl, "*"):
		p.words = append(p.words, name)
		p.kinds[name] = "handle"
	case name == "LLVMBool":
	case decl[0] == "unsigned":
		p.integers = append(p.integers, name)
		p.kinds[name] = "unsigned"
		if n := len(p.enums); n > 0 && p.enums[n-1].name == "" {
			p.enums[n-1].name = name
		}
	default:
		return fmt.Errorf("unknown kind of typedef: %v", decl)
	}
	return nil
}

// function parses a declaration up to its closing parenthesis and, if
// terminated, the semicolon.
func (p *parser) function(terminated bool) error {
	result, name, err := p.typeAndName()
	if err != nil {
		return err
	}
	f := &function{name: name, header: p.header, result: result}
	if err := p.expect("("); err != nil {
		return err
	}
	if p.peek() == "void" && p.tokens[p.pos+1] == ")" {
		p.pos++
	}
	for p.peek() != ")" {
		typ, name, err := p.typeAndName()
		if err != nil {
			return err
		}
		if p.accept("[") {
			typ.array = true
			typ.pointers++
			if err := p.expect("]"); err != nil {
				return err
			}
		}
		f.params = append(f.params, param{name, typ})
		if !p.accept(",") && p.peek() != ")" {
			return fmt.Errorf("parameter list of %s", f.name)
		}
	}
	p.pos++
	if !slices.ContainsFunc(p.functions, func(g *function) bool { return g.name == f.name }) {
		p.functions = append(p.functions, f)
	}
	if terminated {
		return p.expect(";")
	}
	return nil
}

var basicWords = []string{"unsigned", "signed", "long", "int", "char", "short"}

// typeAndName parses a type and the name that follows it, if one does.
func (p *parser) typeAndName() (ctype, string, error) {
	var t ctype
	t.constant = p.accept("const")
	p.accept("enum")
	p.accept("struct")
	if slices.Contains(basicWords, p.peek()) {
		var words []string
		for slices.Contains(basicWords, p.peek()) {
			words = append(words, p.next())
		}
		t.base = strings.Join(words, " ")
	} else {
		t.base = p.next()
	}
	for p.peek() == "*" || p.peek() == "const" {
		if p.next() == "*" {
			t.pointers++
		}
	}
	name := ""
	if t := p.peek(); t != "," && t != ")" && t != "[" {
		name = p.next()
	}
	if t.base == "" {
		return t, "", errors.New("no type")
	}
	return t, name, nil
}
