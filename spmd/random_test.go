package spmd_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// A program is a random kernel in a small language of 32-bit integers: eight
// variables, a private array, an input of 64 numbers read by all, a stretch of
// the output of its own for each item, and counters that all add to. It is
// both written as IR and interpreted. The private array is also read and written
// by bytes, which makes it another kind of array.
type program struct{ body []stmt }

const (
	variables   = 8
	privateSize = 8
	inputSize   = 64
	outputSize  = 8 // of each item
	counters    = 4
)

type expr struct {
	op   string // "const", "var", "id", "in", "row", "priv", "byte", "out", or an operator
	n    int32
	args []expr
}

type stmt struct {
	op     string // "set", "priv", "byte", "out", "count", "if", "loop", "switch", "break", "continue", "return"
	n      int32
	e      expr
	at     expr
	blocks [][]stmt
}

var ids = []string{"tid.x", "tid.y", "tid.z", "ntid.x", "ntid.y", "ctaid.x", "ctaid.y", "nctaid.x"}

var operators = []string{"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "sdiv", "udiv", "srem", "urem",
	"eq", "ne", "slt", "ult", "sgt", "select", "smin", "umax", "float", "narrow", "wide", "call"}

func drawExpr(t *rapid.T, depth int) expr {
	kinds := []string{"const", "var", "id", "global"}
	if depth > 0 {
		kinds = append(kinds, "operator", "operator", "operator", "in", "row", "row", "priv", "out", "byte")
	}
	sub := func() expr { return drawExpr(t, depth-1) }
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "const":
		return expr{op: "const", n: rapid.OneOf(rapid.Int32Range(-4, 40), rapid.Int32()).Draw(t, "value")}
	case "var":
		return expr{op: "var", n: rapid.Int32Range(0, variables-1).Draw(t, "variable")}
	case "id":
		return expr{op: "id", n: rapid.Int32Range(0, int32(len(ids)-1)).Draw(t, "id")}
	case "global":
		return expr{op: "global"}
	case "operator":
		e := expr{op: rapid.SampledFrom(operators).Draw(t, "operator"), args: []expr{sub(), sub()}}
		if e.op == "select" {
			e.args = append(e.args, sub())
		}
		return e
	default:
		return expr{op: kind, args: []expr{sub()}}
	}
}

func drawBlock(t *rapid.T, depth int, inLoop bool) []stmt {
	n := rapid.IntRange(1, 4).Draw(t, "statements")
	var list []stmt
	for range n {
		list = append(list, drawStmt(t, depth, inLoop))
	}
	return list
}

func drawStmt(t *rapid.T, depth int, inLoop bool) stmt {
	kinds := []string{"set", "set", "set", "priv", "out", "out", "count", "byte"}
	if depth > 0 {
		kinds = append(kinds, "if", "if", "if", "loop", "loop", "switch", "return")
		if inLoop {
			kinds = append(kinds, "break", "continue")
		}
	}
	s := stmt{op: rapid.SampledFrom(kinds).Draw(t, "statement")}
	s.e = drawExpr(t, 2)
	switch s.op {
	case "set":
		s.n = rapid.Int32Range(0, variables-1).Draw(t, "variable")
	case "priv", "out", "byte":
		s.at = drawExpr(t, 1)
	case "count":
		s.n = rapid.Int32Range(0, counters-1).Draw(t, "counter")
	case "if":
		s.blocks = [][]stmt{drawBlock(t, depth-1, inLoop)}
		if rapid.Bool().Draw(t, "else") {
			s.blocks = append(s.blocks, drawBlock(t, depth-1, inLoop))
		}
	case "loop":
		s.n = rapid.Int32Range(0, variables-1).Draw(t, "counter variable")
		s.blocks = [][]stmt{drawBlock(t, depth-1, true)}
	case "switch":
		for range rapid.IntRange(1, 4).Draw(t, "cases") {
			s.blocks = append(s.blocks, drawBlock(t, depth-1, inLoop))
		}
		s.n = int32(rapid.IntRange(0, 1).Draw(t, "falls through"))
	case "return":
		// Under a condition, so that what follows is not dead.
		s = stmt{op: "if", e: s.e, blocks: [][]stmt{{{op: "return"}}}}
	case "break", "continue":
		s = stmt{op: "if", e: s.e, blocks: [][]stmt{{{op: s.op}}}}
	}
	return s
}

func drawProgram(t *rapid.T) *program { return &program{drawBlock(t, 3, false)} }

// String writes a program to be read by people.
func (p *program) String() string {
	var b strings.Builder
	print(&b, p.body, 0)
	return b.String()
}

func print(b *strings.Builder, list []stmt, depth int) {
	tab := strings.Repeat("  ", depth)
	for _, s := range list {
		switch s.op {
		case "set":
			fmt.Fprintf(b, "%sv%d = %v\n", tab, s.n, s.e)
		case "priv", "out", "byte":
			fmt.Fprintf(b, "%s%s[%v] = %v\n", tab, s.op, s.at, s.e)
		case "count":
			fmt.Fprintf(b, "%scount[%d] += %v\n", tab, s.n, s.e)
		default:
			fmt.Fprintf(b, "%s%s %v (%d)\n", tab, s.op, s.e, s.n)
			for i, inner := range s.blocks {
				if i > 0 {
					fmt.Fprintf(b, "%s or\n", tab)
				}
				print(b, inner, depth+1)
			}
		}
	}
}

func (e expr) String() string {
	switch e.op {
	case "const":
		return fmt.Sprint(e.n)
	case "var":
		return fmt.Sprintf("v%d", e.n)
	case "id":
		return ids[e.n]
	case "":
		return ""
	}
	var parts []string
	for _, a := range e.args {
		parts = append(parts, a.String())
	}
	return e.op + "(" + strings.Join(parts, ", ") + ")"
}
