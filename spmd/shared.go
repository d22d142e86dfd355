package spmd

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
	"github.com/kilnjit/kiln/target"
)

// sharedLayout is what a group's items share. Ingest turns each variable's
// address into a call of "@kiln.shared.N", N its index, or of sharedDynamic for
// all those that the launch sizes: these are one block. Lowering says where
// they lie.
type sharedLayout struct {
	vars []sharedVar
	// bytes is the size of the static block, align its alignment.
	bytes, align int64
	dynamic      bool
}

type sharedVar struct {
	name                 string
	offset, bytes, align int64
}

const (
	sharedPrefix  = "@kiln.shared."
	sharedDynamic = sharedPrefix + "dynamic"
)

// dynamicAlign is the alignment of memory that a launch sizes.
const dynamicAlign = 16

func sharedName(i int) string { return fmt.Sprint(sharedPrefix, i) }

// findShared gives each shared variable among the names its place.
func (in *ingest1) findShared(order []string, globals map[string]*irtext.Entity) {
	in.sharedCalls = map[string]string{}
	in.shared.align = 1
	sz := newSizes(&in.out)
	for _, name := range order {
		e := globals[name]
		if e == nil {
			continue
		}
		t := irtext.Scan(nil, e.Line)
		if !in.isShared(e, t) {
			continue
		}
		at := 2
		for at < len(t) && !t[at].Is("global") && !t[at].Is("constant") {
			at++
		}
		typ, _, err := irtext.Type(in.flatten(append([]irtext.Token(nil), t[min(at+1, len(t)):]...)), 0)
		size, align := sz.of(typ)
		if err != nil || align == 0 {
			in.missing.add(sharedMemory, name[1:]+" of a type whose size is not known")
			continue
		}
		if size == 0 {
			in.shared.dynamic = true
			in.sharedCalls[name] = sharedDynamic
			continue
		}
		if a := alignment(t); a != nil {
			n, _ := integer(a[2].Text)
			align = max(align, n)
		}
		s := &in.shared
		v := sharedVar{name: name, offset: (s.bytes + align - 1) / align * align, bytes: size, align: align}
		in.sharedCalls[name] = sharedName(len(s.vars))
		s.vars = append(s.vars, v)
		s.bytes, s.align = v.offset+size, max(s.align, align)
	}
	in.declareShared()
}

func (in *ingest1) declareShared() {
	declare := func(name string, align, bytes int64) {
		size := ""
		if bytes > 0 {
			size = fmt.Sprintf("dereferenceable(%d) ", bytes)
		}
		in.out.Declares = append(in.out.Declares, irtext.Entity{
			Name: name, Line: fmt.Sprintf("declare noundef nonnull align %d %sptr %s()%s", align, size, name, pure),
		})
	}
	for i, v := range in.shared.vars {
		declare(sharedName(i), v.align, v.bytes)
	}
	if in.shared.dynamic {
		declare(sharedDynamic, dynamicAlign, 0)
	}
}

// isShared reports whether a variable is a group's.
func (in *ingest1) isShared(e *irtext.Entity, t []irtext.Token) bool {
	for i := 2; i < len(t) && !t[i].Is("global") && !t[i].Is("constant"); i++ {
		if t[i].Is("addrspace") && i+2 < len(t) {
			return t[i+2].Is("3")
		}
	}
	host := in.arch == target.X86_64 || in.arch == target.AArch64
	// OpenCL C for the host has no address spaces in its IR; a variable that
	// belongs to the kernel and starts undefined is __local.
	return host && strings.HasPrefix(e.Name, in.kernel+".") && strings.Contains(e.Line, " undef")
}

// shareAddresses rewrites a function's lines so that they take the addresses of
// shared variables from calls at the function's start. Constant expressions on
// them become instructions there.
func (in *ingest1) shareAddresses(body []string) []string {
	if len(in.sharedCalls) == 0 {
		return body
	}
	a := &addresses{in: in, have: map[string]string{}}
	for i, line := range body {
		found := false
		irtext.GlobalNames(line, func(name string) { found = found || in.sharedCalls[name] != "" })
		if found {
			indent := len(line) - len(strings.TrimLeft(line, " "))
			body[i] = line[:indent] + irtext.Join(a.rewrite(irtext.Scan(nil, line)))
		}
	}
	if len(a.start) == 0 {
		return body
	}
	at := 0
	for at < len(body) && !strings.HasPrefix(body[at], " ") {
		at++
	}
	return append(append(append([]string(nil), body[:at]...), a.start...), body[at:]...)
}

// addresses collects what must stand at a function's start.
type addresses struct {
	in    *ingest1
	start []string
	have  map[string]string
}

// value gives an instruction's result a name, the same for the same instruction.
func (a *addresses) value(instruction string) string {
	name, ok := a.have[instruction]
	if !ok {
		name = fmt.Sprintf("%%kiln.address.%d", len(a.have))
		a.have[instruction] = name
		a.start = append(a.start, "  "+name+" = "+instruction)
	}
	return name
}

func (a *addresses) shares(t []irtext.Token) bool {
	for _, tok := range t {
		if tok.Kind == irtext.Global && a.in.sharedCalls[tok.Text] != "" {
			return true
		}
	}
	return false
}

func (a *addresses) rewrite(t []irtext.Token) []irtext.Token {
	var out []irtext.Token
	for i := 0; i < len(t); i++ {
		if call := a.in.sharedCalls[t[i].Text]; call != "" && t[i].Kind == irtext.Global {
			out = append(out, irtext.Token{Kind: irtext.Local, Space: t[i].Space, Text: a.value("call ptr " + call + "()")})
			continue
		}
		open, end := constantExpression(t, i)
		if open > 0 && a.shares(t[open:end]) {
			out = append(out, irtext.Token{Kind: irtext.Local, Space: t[i].Space, Text: a.value(a.instruction(t[i:open], t[open+1:end]))})
			i = end
			continue
		}
		out = append(out, t[i])
	}
	return out
}

// constantExpression returns the indices of the parentheses of a constant
// expression that starts at i, 0 where none does.
func constantExpression(t []irtext.Token, i int) (open, end int) {
	switch t[i].Text {
	case "getelementptr", "bitcast", "ptrtoint", "inttoptr", "trunc", "add", "sub", "xor":
	default:
		return 0, 0
	}
	open = i + 1
	for open < len(t) && t[open].Kind == irtext.Word && (t[open].Is("inbounds") || t[open].Is("nuw") || t[open].Is("nsw") || t[open].Is("nusw")) {
		open++
	}
	if open >= len(t) || !t[open].Is("(") {
		return 0, 0
	}
	end = irtext.Match(t, open)
	if end >= len(t) {
		return 0, 0
	}
	return open, end
}

// instruction spells a constant expression as an instruction: without the
// parentheses, and with one type for the two operands of arithmetic.
func (a *addresses) instruction(head, args []irtext.Token) string {
	args = a.rewrite(args)
	switch head[0].Text {
	case "add", "sub", "xor":
		if _, next, err := irtext.Type(args, 0); err == nil && next+2 < len(args) {
			if _, second, err := irtext.Type(args, next+2); err == nil {
				args = append(args[:next+2:next+2], args[second:]...)
			}
		}
	}
	return irtext.Join(head) + " " + irtext.Join(args)
}
