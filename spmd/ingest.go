package spmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
	"github.com/kilnjit/kiln/target"
)

// kernelName is the kernel's name between ingest and lowering.
const kernelName = "@kiln.kernel"

// ingested is a module as ingest leaves it.
type ingested struct {
	text string
	// writes are the kernel's parameters with byval semantics, by index.
	byValue map[int]bool
	shared  sharedLayout
	// warp is how many lanes a warp of the device has.
	warp int
}

// ingest rewrites the module's text so that only the kernel and what it
// reaches is left, in IR of the host with kiln's names for what differs from
// one work-item to another.
func ingest(text, kernel string, opt *Options) (*ingested, error) {
	m, err := irtext.ParseModule(text)
	if err != nil {
		return nil, err
	}
	in := &ingest1{opt: opt, source: m, arch: target.ArchOf(m.Triple), kernel: globalName(kernel), lib: newLibrary(opt)}
	return in.run()
}

// globalName spells a global's name as the printer does.
func globalName(name string) string {
	plain := name != "" && (name[0] < '0' || name[0] > '9')
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = c == '.' || c == '_' || c == '$' || c == '-' ||
			'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
	}
	if plain {
		return "@" + name
	}
	var b strings.Builder
	b.WriteString(`@"`)
	for i := 0; i < len(name); i++ {
		if c := name[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%02X`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteString(`"`)
	return b.String()
}

type ingest1 struct {
	opt    *Options
	source *irtext.Module
	arch   target.Arch
	kernel string
	lib    *library

	out     irtext.Module
	byValue map[int]bool
	missing problems
	tokens  []irtext.Token
	shared  sharedLayout
	// sharedCalls names for each shared variable the function that gives its address.
	sharedCalls map[string]string
}

func (in *ingest1) run() (*ingested, error) {
	defines := index(in.source.Defines)
	if defines[in.kernel] == nil {
		return nil, fmt.Errorf("kernel %s: the module defines no such function", in.kernel[1:])
	}
	if err := in.take([]string{in.kernel}); err != nil {
		return nil, err
	}
	return &ingested{text: in.out.Text(), byValue: in.byValue, shared: in.shared, warp: in.warpSize()}, nil
}

// take writes what the roots reach into the module that comes out.
func (in *ingest1) take(roots []string) error {
	defines := index(in.source.Defines)
	order, recursive := in.reach(defines, roots)
	in.out.Triple, in.out.DataLayout = in.opt.Triple, in.opt.DataLayout
	in.out.Types = in.source.Types
	for i := range in.out.Types {
		in.out.Types[i].Line = in.line(in.out.Types[i].Line)
	}
	declares := index(in.source.Declares)
	globals := index(in.source.Globals)
	done := map[string]bool{}
	in.findShared(order, globals)
	for _, name := range order {
		switch {
		case defines[name] != nil:
			in.define(defines[name], recursive[name])
		case globals[name] != nil:
			in.global(globals[name])
		case declares[name] != nil:
			in.declare(declares[name], done)
		default:
			in.missing.add(undefined, name[1:])
		}
	}
	in.lib.finish(&in.out, &in.missing)
	if err := in.missing.err(strings.TrimPrefix(in.kernel, "@")); err != nil {
		return err
	}
	in.attributes()
	in.metadata()
	return nil
}

func (in *ingest1) warpSize() int {
	if in.arch == target.AMDGPU {
		return 64
	}
	return 32
}

func index(list []irtext.Entity) map[string]*irtext.Entity {
	m := make(map[string]*irtext.Entity, len(list))
	for i := range list {
		m[list[i].Name] = &list[i]
	}
	return m
}

// reach returns the names that the roots reach, these first, and those of
// functions that can call themselves.
func (in *ingest1) reach(defines map[string]*irtext.Entity, roots []string) (order []string, recursive map[string]bool) {
	globals := index(in.source.Globals)
	seen := map[string]bool{}
	for _, root := range roots {
		seen[root] = true
	}
	calls := map[string][]string{}
	order = slices.Clone(roots)
	for i := 0; i < len(order); i++ {
		name := order[i]
		note := func(ref string) {
			if ref == name && defines[ref] == nil {
				return
			}
			calls[name] = append(calls[name], ref)
			if !seen[ref] {
				seen[ref] = true
				order = append(order, ref)
			}
		}
		if e := defines[name]; e != nil {
			for _, l := range e.Body {
				irtext.GlobalNames(l, note)
			}
		} else if e := globals[name]; e != nil {
			irtext.GlobalNames(e.Line, note)
		}
	}
	recursive = map[string]bool{}
	for name := range calls {
		if defines[name] != nil && reaches(calls, name, name, map[string]bool{}) {
			recursive[name] = true
		}
	}
	return order, recursive
}

func reaches(calls map[string][]string, from, to string, seen map[string]bool) bool {
	for _, next := range calls[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if reaches(calls, next, to, seen) {
				return true
			}
		}
	}
	return false
}

func (in *ingest1) define(e *irtext.Entity, recursive bool) {
	out := irtext.Entity{Name: e.Name, Line: in.header(e, recursive)}
	implicit := newImplicit()
	for i := 0; i < len(e.Body); i++ {
		line := e.Body[i]
		if line == "" || line[0] != ' ' {
			out.Body = append(out.Body, line)
			continue
		}
		if strings.Contains(line, "asm ") {
			in.missing.add(assembly, strings.TrimSpace(line))
		}
		line, keep := in.bodyLine(line)
		if !keep {
			continue
		}
		if in.arch == target.AMDGPU {
			for _, l := range implicit.line(line, &in.missing) {
				irtext.GlobalNames(l, in.provide)
				out.Body = append(out.Body, l)
			}
			continue
		}
		out.Body = append(out.Body, line)
	}
	out.Body = in.shareAddresses(out.Body)
	in.out.Defines = append(in.out.Defines, out)
}

// provide makes the library have one of its own functions, which the source
// does not declare.
func (in *ingest1) provide(name string) {
	_, _, id := idOf(name)
	if in.lib.has[name] == "" && (id || strings.HasPrefix(name, itemsPrefix)) {
		in.lib.need(signature{name: name, result: "i32"}, &in.missing)
	}
}

// header rewrites a definition's first line.
func (in *ingest1) header(e *irtext.Entity, recursive bool) string {
	t := irtext.Scan(nil, e.Line)
	at := 1
	for at < len(t) && t[at].Text != e.Name {
		at++
	}
	end := irtext.Match(t, at+1)
	out := []irtext.Token{t[0]}
	if e.Name != in.kernel {
		out = append(out, word("internal"))
	}
	out = append(out, in.flatten(dropLinkage(t[:at], at)[1:])...)
	if e.Name == in.kernel {
		in.byValue = map[int]bool{}
		out = append(out, word(kernelName))
		out = append(out, in.kernelParams(t[at+1:end+1])...)
	} else {
		out = append(out, in.flatten(t[at:end+1])...)
	}
	if !recursive && e.Name != in.kernel {
		out = append(out, word("alwaysinline"))
	}
	for i := end + 1; i < len(t); i++ {
		switch {
		case t[i].Kind == irtext.AttrRef:
			out = append(out, t[i])
		case t[i].Kind == irtext.Meta && t[i].Text == "!dbg" && i+1 < len(t):
			out = append(out, t[i], t[i+1])
		}
	}
	return irtext.Join(out)
}

// kernelParams rewrites the parenthesised parameters of the kernel: structs
// given by value become pointers to where the launch keeps them.
func (in *ingest1) kernelParams(t []irtext.Token) []irtext.Token {
	var out []irtext.Token
	param, depth := 0, 0
	for i := 0; i < len(t); i++ {
		switch {
		case t[i].Is("(") || t[i].Is("{") || t[i].Is("[") || t[i].Is("<"):
			depth++
		case t[i].Is(")") || t[i].Is("}") || t[i].Is("]") || t[i].Is(">"):
			depth--
		case t[i].Is(",") && depth == 1:
			param++
		case (t[i].Is("byval") || t[i].Is("byref")) && i+1 < len(t) && t[i+1].Is("("):
			in.byValue[param] = t[i].Is("byval")
			i = irtext.Match(t, i+1)
			continue
		}
		out = append(out, t[i])
	}
	return in.flatten(out)
}

// dropLinkage leaves out what stands between a header's first word and the
// type of the result and is no attribute of it.
func dropLinkage(t []irtext.Token, at int) []irtext.Token {
	out := append([]irtext.Token(nil), t[0])
	for i := 1; i < len(t); i++ {
		if i < at && linkage(t[i].Text) {
			continue
		}
		if i < at && t[i].Is("cc") {
			i++
			continue
		}
		out = append(out, t[i])
	}
	return out
}
