package irtext

import (
	"fmt"
	"strings"
)

// Function is one function's body in blocks.
type Function struct {
	Name string
	// Result is the type of what it returns.
	Result string
	Params []Param
	Blocks []*Block
	// Defs are the instructions by the names of their results.
	Defs map[string]*Instr
}

// Param is one parameter of a function.
type Param struct {
	Type string
	// Name is "%x".
	Name string
	// Attributes are the tokens between type and name.
	Attributes []Token
}

// Block is a run of instructions that ends with a terminator.
type Block struct {
	// Name is "%x", as a branch names it.
	Name   string
	Index  int
	Instrs []*Instr
	Succs  []*Block
	Preds  []*Block
}

// Terminator returns the last instruction.
func (b *Block) Terminator() *Instr { return b.Instrs[len(b.Instrs)-1] }

// Instr is one instruction.
type Instr struct {
	// Op is the opcode's name: "add", "load", "call".
	Op string
	// Name is "%x", empty where there is no result.
	Name string
	// Type is the type of the result, "void" where there is none, and "%" for
	// a part of a named struct, which this package does not look into.
	Type string
	// Args are the value operands in the order of the text. For a call they
	// are the arguments, for a store the value and the pointer, for a phi the
	// incoming values.
	Args []Operand
	// Labels are the blocks it names: targets in order, or a phi's incoming blocks.
	Labels []string
	// Callee is the "@f" or "%f" that a call names, or "asm".
	Callee string
	// Head are the tokens from the opcode to the metadata, which Meta holds.
	Head, Meta []Token
	Block      *Block
	// Cases are the values of a switch, one for each label after the first.
	Cases []string

	names []int
}

// Operand is a value with its type.
type Operand struct {
	Type string
	// Text is the value: "%x", "@g", "7", "null", or a constant expression.
	Text string
}

// Local reports whether the operand is a parameter or an instruction's result.
func (o Operand) Local() bool { return strings.HasPrefix(o.Text, "%") }

// ParseFunction reads one definition.
func ParseFunction(e *Entity) (*Function, error) {
	f := &Function{Name: e.Name, Defs: map[string]*Instr{}}
	if err := f.header(e.Line); err != nil {
		return nil, fmt.Errorf("reading %s: %w", e.Name, err)
	}
	var block *Block
	number := 0
	for _, p := range f.Params {
		if n := numbered(p.Name); n >= number {
			number = n + 1
		}
	}
	tokens := make([]Token, 0, 32*len(e.Body))
	for i := 0; i < len(e.Body); i++ {
		line := e.Body[i]
		if line == "" || line[0] == ';' {
			continue
		}
		if line[0] != ' ' {
			label, _, ok := cutLabel(line)
			if !ok {
				return nil, fmt.Errorf("reading %s: %q is no label", e.Name, line)
			}
			block = f.addBlock("%" + label)
			continue
		}
		if block == nil {
			block = f.addBlock(fmt.Sprintf("%%%d", number))
		}
		start := len(tokens)
		tokens = Scan(tokens, line)
		for open(tokens[start:]) && i+1 < len(e.Body) {
			i++
			tokens = Scan(tokens, e.Body[i])
		}
		piece := tokens[start:len(tokens):len(tokens)]
		if len(piece) == 0 || strings.HasPrefix(piece[0].Text, "#dbg_") {
			continue
		}
		in, err := parseInstr(piece)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %q: %w", e.Name, strings.TrimSpace(line), err)
		}
		in.Block = block
		block.Instrs = append(block.Instrs, in)
		if in.Name != "" {
			f.Defs[in.Name] = in
		}
	}
	if err := f.link(); err != nil {
		return nil, err
	}
	return f, nil
}

func cutLabel(line string) (label, rest string, ok bool) {
	end := 0
	if line[0] == '"' {
		end = quoted(line, 0)
	} else {
		for end < len(line) && nameByte(line[end]) {
			end++
		}
	}
	if end == 0 || end >= len(line) || line[end] != ':' {
		return "", "", false
	}
	return line[:end], line[end+1:], true
}

func numbered(name string) int {
	n := 0
	if len(name) < 2 {
		return -1
	}
	for _, c := range name[1:] {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func open(tokens []Token) bool {
	depth := 0
	for _, t := range tokens {
		if t.Kind == Punct {
			switch t.Text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth--
			}
		}
	}
	return depth > 0
}

func (f *Function) addBlock(name string) *Block {
	b := &Block{Name: name, Index: len(f.Blocks)}
	f.Blocks = append(f.Blocks, b)
	return b
}

func (f *Function) header(line string) error {
	t := Scan(nil, line)
	at := -1
	for i := range t {
		if t[i].Kind == Global && i+1 < len(t) && t[i+1].Is("(") {
			at = i
			break
		}
	}
	if at < 1 {
		return fmt.Errorf("%q is no function header", line)
	}
	f.Result = resultType(t[:at])
	end := Match(t, at+1)
	if end == len(t) {
		return fmt.Errorf("%q has no end of its parameters", line)
	}
	for i, n := at+2, 0; i < end; n++ {
		if t[i].Is("...") {
			return fmt.Errorf("variable arguments: %w", ErrForm)
		}
		typ, next, err := Type(t, i)
		if err != nil {
			return err
		}
		p := Param{Type: typ, Name: fmt.Sprintf("%%%d", n)}
		stop := next
		for stop < end && !t[stop].Is(",") {
			if t[stop].Is("(") {
				stop = Match(t, stop)
			}
			stop++
		}
		if stop > end {
			return fmt.Errorf("%q has no end of a parameter's attribute", line)
		}
		p.Attributes = t[next:stop]
		if stop > next && t[stop-1].Kind == Local {
			p.Name, p.Attributes = t[stop-1].Text, t[next:stop-1]
		}
		f.Params = append(f.Params, p)
		i = stop + 1
	}
	return nil
}

// resultType finds the type that ends a header's part before the name.
func resultType(t []Token) string {
	for i := len(t) - 1; i >= 0; i-- {
		if typ, next, err := Type(t, i); err == nil && next == len(t) {
			switch t[i].Text {
			case ")", "]", "}", ">":
				continue
			}
			return typ
		}
	}
	return ""
}

func (f *Function) link() error {
	if len(f.Blocks) == 0 {
		return fmt.Errorf("reading %s: it has no block", f.Name)
	}
	byName := make(map[string]*Block, len(f.Blocks))
	for _, b := range f.Blocks {
		byName[b.Name] = b
	}
	for _, b := range f.Blocks {
		if len(b.Instrs) == 0 || !b.Terminator().terminates() {
			return fmt.Errorf("reading %s: block %s has no terminator", f.Name, b.Name)
		}
		seen := map[*Block]bool{}
		for _, l := range b.Terminator().Labels {
			s := byName[l]
			if s == nil {
				return fmt.Errorf("reading %s: no block %s", f.Name, l)
			}
			if !seen[s] {
				seen[s] = true
				b.Succs = append(b.Succs, s)
				s.Preds = append(s.Preds, b)
			}
		}
	}
	return nil
}

func (in *Instr) terminates() bool {
	switch in.Op {
	case "br", "switch", "ret", "unreachable", "indirectbr", "invoke", "resume", "callbr",
		"cleanupret", "catchret", "catchswitch":
		return true
	}
	return false
}
