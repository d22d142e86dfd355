package irtext

import (
	"fmt"
	"strconv"
	"strings"
)

// Type reads the type that starts at token i and returns its spelling, as the
// printer spells it, and the index after it.
func Type(t []Token, i int) (string, int, error) {
	if i >= len(t) {
		return "", i, fmt.Errorf("end of line where a type should be: %w", ErrForm)
	}
	switch tok := t[i]; {
	case tok.Kind == Word && isType(tok.Text):
		if tok.Text == "target" {
			return "", i, fmt.Errorf("type target(...): %w", ErrForm)
		}
		if tok.Text == "ptr" && i+1 < len(t) && t[i+1].Is("addrspace") {
			end := Match(t, i+2)
			if end < len(t) {
				return Join(t[i : end+1]), end + 1, nil
			}
		}
		return tok.Text, i + 1, nil
	case tok.Kind == Local:
		return tok.Text, i + 1, nil
	case tok.Is("[") || tok.Is("{") || tok.Is("<"):
		if end := Match(t, i); end < len(t) {
			return Join(t[i : end+1]), end + 1, nil
		}
	}
	return "", i, fmt.Errorf("%q where a type should be: %w", t[i].Text, ErrForm)
}

func isType(word string) bool {
	switch word {
	case "void", "half", "bfloat", "float", "double", "fp128", "x86_fp80", "ppc_fp128", "ptr", "label", "token", "metadata", "target", "x86_amx":
		return true
	}
	if len(word) < 2 || word[0] != 'i' {
		return false
	}
	for _, c := range word[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// Vector returns the length and element type of a fixed vector type, or 0.
func Vector(typ string) (int, string) {
	if !strings.HasPrefix(typ, "<") || strings.HasPrefix(typ, "<{") {
		return 0, ""
	}
	n, elem, ok := strings.Cut(strings.TrimSuffix(typ[1:], ">"), " x ")
	if !ok {
		return 0, ""
	}
	length, err := strconv.Atoi(n)
	if err != nil {
		return 0, ""
	}
	return length, elem
}

// VectorOf spells the type of n elements.
func VectorOf(n int, elem string) string { return "<" + strconv.Itoa(n) + " x " + elem + ">" }

func withElement(typ, elem string) string {
	if n, _ := Vector(typ); n > 0 {
		return VectorOf(n, elem)
	}
	return elem
}

// Bits returns the width of an integer type, or 0.
func Bits(typ string) int {
	if len(typ) < 2 || typ[0] != 'i' {
		return 0
	}
	n, err := strconv.Atoi(typ[1:])
	if err != nil {
		return 0
	}
	return n
}

// opaque is the type of a part of a named type, which is not looked into.
const opaque = "%"

// member returns the type of a struct's or array's part by the indices' spelling.
func member(typ string, indices []string) string {
	for _, s := range indices {
		if strings.HasPrefix(typ, "[") {
			_, typ, _ = strings.Cut(strings.TrimSuffix(typ[1:], "]"), " x ")
			continue
		}
		n, err := strconv.Atoi(s)
		members := Members(typ)
		if err != nil || n < 0 || n >= len(members) {
			return opaque
		}
		typ = members[n]
	}
	return typ
}

// Members returns the types of a literal struct type's members, nil for any
// other type.
func Members(typ string) []string {
	inner := strings.TrimSuffix(strings.TrimPrefix(typ, "<"), ">")
	if !strings.HasPrefix(inner, "{") || !strings.HasSuffix(inner, "}") {
		return nil
	}
	t := Scan(nil, inner[1:len(inner)-1])
	var members []string
	for i := 0; i < len(t); {
		m, next, err := Type(t, i)
		if err != nil {
			return nil
		}
		members = append(members, m)
		i = next + 1
	}
	return members
}
