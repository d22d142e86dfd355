package irtext

import (
	"errors"
	"fmt"
	"strings"
)

// ErrForm is what text that this package does not take apart gives.
var ErrForm = errors.New("a form of IR that is not taken")

// Rewrite returns the instruction's text from the opcode on, without its
// metadata, with every local value and label replaced by what f says of it.
// Names of types stay.
func (in *Instr) Rewrite(f func(name string) string) string {
	var b strings.Builder
	next := 0
	for i, t := range in.Head {
		if t.Space && i > 0 {
			b.WriteByte(' ')
		}
		if next < len(in.names) && in.names[next] == i {
			next++
			b.WriteString(f(t.Text))
			continue
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// Has reports whether the word stands among the instruction's flags, that is,
// before its first type.
func (in *Instr) Has(word string) bool {
	for _, t := range in.Head[1:] {
		if t.Kind != Word || isType(t.Text) {
			return false
		}
		if t.Text == word {
			return true
		}
	}
	return false
}

// Flags returns the words between opcode and first type.
func (in *Instr) Flags() []string {
	var flags []string
	for _, t := range in.Head[1:] {
		if t.Kind != Word || isType(t.Text) {
			break
		}
		flags = append(flags, t.Text)
	}
	return flags
}

// Attachment returns the node attached as kind ("!tbaa"), or "".
func (in *Instr) Attachment(kind string) string {
	for i, t := range in.Meta {
		if t.Kind == Meta && t.Text == kind && i+1 < len(in.Meta) && in.Meta[i+1].Kind == Meta {
			return in.Meta[i+1].Text
		}
	}
	return ""
}

func parseInstr(t []Token) (*Instr, error) {
	in := &Instr{Type: "void"}
	if len(t) > 2 && t[0].Kind == Local && t[1].Is("=") {
		in.Name, t = t[0].Text, t[2:]
	}
	end := len(t)
	for i := 1; i < len(t); i++ {
		if t[i].Is(",") && i+1 < len(t) && t[i+1].Kind == Meta {
			end = i
			break
		}
	}
	in.Head, in.Meta = t[:end:end], t[end:]
	p := &parser{t: in.Head, in: in}
	if in.Head[0].Is("tail") || in.Head[0].Is("musttail") || in.Head[0].Is("notail") {
		in.Head = in.Head[1:]
		p.t = in.Head
	}
	if len(in.Head) == 0 {
		return nil, fmt.Errorf("nothing after a marker: %w", ErrForm)
	}
	in.Op = in.Head[0].Text
	p.i = 1
	p.parse()
	if p.err != nil {
		return nil, p.err
	}
	return in, nil
}

func (p *parser) parse() {
	in := p.in
	switch in.Op {
	case "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
		"fadd", "fsub", "fmul", "fdiv", "frem":
		p.flags()
		in.Type = p.typ()
		p.argOf(in.Type)
		p.need(",")
		p.argOf(in.Type)
	case "fneg", "freeze":
		p.flags()
		in.Type = p.typ()
		p.argOf(in.Type)
	case "icmp", "fcmp":
		p.flags()
		t := p.typ()
		p.argOf(t)
		p.need(",")
		p.argOf(t)
		in.Type = withElement(t, "i1")
	case "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp",
		"ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast":
		p.flags()
		p.arg()
		p.need("to")
		in.Type = p.typ()
	case "select":
		p.flags()
		p.arg()
		p.need(",")
		in.Type = p.typ()
		p.argOf(in.Type)
		p.need(",")
		p.arg()
	case "phi":
		p.flags()
		in.Type = p.typ()
		for more := true; more && p.err == nil; more = p.take(",") {
			p.need("[")
			p.argOf(in.Type)
			p.need(",")
			p.block()
			p.need("]")
		}
	case "load":
		p.flags()
		in.Type = p.typ()
		p.need(",")
		p.arg()
	case "store":
		p.flags()
		p.arg()
		p.need(",")
		p.arg()
	case "getelementptr":
		p.flags()
		p.typ()
		p.need(",")
		p.arg()
		in.Type = "ptr"
		for p.take(",") {
			p.arg()
			if a := in.Args[len(in.Args)-1]; strings.HasPrefix(a.Type, "<") {
				in.Type = withElement(a.Type, "ptr")
			}
		}
		if strings.HasPrefix(in.Args[0].Type, "<") {
			in.Type = in.Args[0].Type
		}
	case "alloca":
		p.flags()
		p.typ()
		in.Type = "ptr"
		if p.take(",") && !p.at("align") {
			p.arg()
		}
	case "call":
		p.call()
	case "br":
		if !p.at("label") {
			p.arg()
			p.need(",")
			p.label()
			p.need(",")
		}
		p.label()
	case "switch":
		p.arg()
		p.need(",")
		p.label()
		p.need("[")
		for !p.at("]") && p.err == nil {
			p.typ()
			in.Cases = append(in.Cases, p.value())
			p.need(",")
			p.label()
		}
	case "ret":
		if !p.take("void") {
			p.arg()
		}
	case "unreachable":
	case "extractvalue", "insertvalue", "extractelement", "insertelement", "shufflevector":
		p.aggregate()
	case "atomicrmw":
		for p.i < len(p.t) && !isType(p.t[p.i].Text) {
			p.i++
		}
		p.arg()
		p.need(",")
		in.Type = p.typ()
		p.argOf(in.Type)
	case "cmpxchg":
		p.flags()
		p.arg()
		p.need(",")
		p.arg()
		p.need(",")
		p.arg()
		if p.err == nil {
			in.Type = "{ " + in.Args[1].Type + ", i1 }"
		}
	case "fence":
	default:
		p.fail("instruction " + in.Op)
	}
}

func (p *parser) aggregate() {
	in := p.in
	p.arg()
	for p.err == nil && p.take(",") {
		if p.i < len(p.t) && p.t[p.i].Kind == Word && !isType(p.t[p.i].Text) {
			p.i++
			continue
		}
		p.arg()
	}
	if p.err != nil {
		return
	}
	t := in.Args[0].Type
	switch in.Op {
	case "extractvalue":
		in.Type = member(t, p.indices())
	case "extractelement":
		_, in.Type = Vector(t)
	case "shufflevector":
		n, _ := Vector(in.Args[2].Type)
		_, elem := Vector(t)
		in.Type = VectorOf(n, elem)
	default:
		in.Type = t
	}
}

// indices returns the numbers that end an extractvalue or insertvalue.
func (p *parser) indices() []string {
	var idx []string
	for i := len(p.t) - 1; i > 1 && p.t[i].Kind == Word && p.t[i-1].Is(","); i -= 2 {
		idx = append([]string{p.t[i].Text}, idx...)
	}
	return idx
}

func (p *parser) call() {
	in := p.in
	p.flags()
	in.Type = p.typ()
	if p.at("(") {
		p.i = Match(p.t, p.i) + 1
	}
	switch {
	case p.i >= len(p.t):
		p.fail("no callee")
		return
	case p.t[p.i].Is("asm"):
		in.Callee = "asm"
		for p.i < len(p.t) && !p.at("(") {
			p.i++
		}
	default:
		in.Callee = p.value()
	}
	p.need("(")
	for !p.at(")") && p.err == nil {
		t := p.typ()
		if t == "metadata" {
			for p.i < len(p.t) && !p.at(",") && !p.at(")") {
				if p.at("(") {
					p.i = Match(p.t, p.i)
				}
				p.i++
			}
		} else {
			p.attributes()
			p.argOf(t)
		}
		if !p.take(",") {
			break
		}
	}
	p.need(")")
}
