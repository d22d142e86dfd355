package irtext

import "fmt"

// parser reads one instruction.
type parser struct {
	t   []Token
	i   int
	in  *Instr
	err error
}

func (p *parser) fail(what string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s: %w", what, ErrForm)
	}
	p.i = len(p.t)
}

func (p *parser) at(s string) bool { return p.i < len(p.t) && p.t[p.i].Is(s) }

func (p *parser) take(s string) bool {
	if p.at(s) {
		p.i++
		return true
	}
	return false
}

func (p *parser) need(s string) {
	if !p.take(s) {
		p.fail("no " + s)
	}
}

func (p *parser) flags() {
	for p.i < len(p.t) && p.t[p.i].Kind == Word && !isType(p.t[p.i].Text) {
		p.i++
		if p.at("(") {
			p.i = Match(p.t, p.i) + 1
		}
	}
}

func (p *parser) typ() string {
	t, next, err := Type(p.t, p.i)
	if err != nil {
		p.fail("no type")
		return ""
	}
	p.i = next
	return t
}

// value reads a value and notes where local names stand in it.
func (p *parser) value() string {
	start := p.i
	if p.i >= len(p.t) {
		p.fail("no value")
		return ""
	}
	switch t := p.t[p.i]; {
	case t.Kind == Local:
		p.in.names = append(p.in.names, p.i)
		p.i++
	case t.Kind == Global || t.Kind == String:
		p.i++
	case t.Kind == Punct && (t.Text == "{" || t.Text == "[" || t.Text == "<"):
		p.i = Match(p.t, p.i) + 1
	case t.Kind == Word:
		p.i++
		if constantExpression(t.Text) {
			p.modifiers()
			p.i = Match(p.t, p.i) + 1
		}
	default:
		p.fail("no value")
		return ""
	}
	if p.i > len(p.t) {
		p.fail("no end of a value")
		return ""
	}
	if p.i == start+1 {
		return p.t[start].Text
	}
	return Join(p.t[start:p.i])
}

// modifiers skips what stands between a constant expression's name and its
// operands, such as the bounds of an address in a table of virtual functions.
func (p *parser) modifiers() {
	for p.i < len(p.t) && !p.at("(") {
		if p.at("inrange") {
			p.i = Match(p.t, p.i)
		}
		p.i++
	}
}

func constantExpression(word string) bool {
	switch word {
	case "getelementptr", "bitcast", "addrspacecast", "ptrtoint", "ptrtoaddr", "inttoptr", "trunc", "add", "sub", "xor",
		"splat", "blockaddress", "extractelement", "insertelement", "shufflevector", "ptrauth":
		return true
	}
	return false
}

func (p *parser) arg() {
	t := p.typ()
	p.argOf(t)
}

func (p *parser) argOf(t string) {
	if p.err == nil {
		p.in.Args = append(p.in.Args, Operand{t, p.value()})
	}
}

func (p *parser) label() {
	p.need("label")
	p.block()
}

func (p *parser) block() {
	if p.i < len(p.t) && p.t[p.i].Kind == Local {
		p.in.names = append(p.in.names, p.i)
		p.in.Labels = append(p.in.Labels, p.t[p.i].Text)
		p.i++
		return
	}
	p.fail("no block")
}

// attributes skips what may stand between an argument's type and its value.
func (p *parser) attributes() {
	for p.i < len(p.t) && p.t[p.i].Kind == Word && attribute(p.t[p.i].Text) {
		aligned := p.at("align")
		p.i++
		if p.at("(") {
			p.i = Match(p.t, p.i) + 1
		} else if aligned {
			p.i++
		}
	}
}

func attribute(word string) bool {
	switch word {
	case "true", "false", "null", "undef", "poison", "zeroinitializer", "none", "asm":
		return false
	}
	c := word[0]
	return !constantExpression(word) && (c >= 'a' && c <= 'z') && word != "nan" && word != "inf"
}
