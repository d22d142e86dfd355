package spmd

import (
	"strings"
	"sync"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// line flattens one line of a type.
func (in *ingest1) line(s string) string {
	if !strings.Contains(s, "addrspace") {
		return s
	}
	in.tokens = irtext.Scan(in.tokens[:0], s)
	return irtext.Join(in.flatten(in.tokens))
}

// bodyLine rewrites one line of a function's body. It reports false for a line
// that has no meaning on the host.
func (in *ingest1) bodyLine(s string) (string, bool) {
	t := irtext.Scan(in.tokens[:0], s)
	in.tokens = t
	if len(t) == 0 {
		return s, true
	}
	op := t[0]
	if len(t) > 2 && t[1].Is("=") {
		op = t[2]
	}
	switch {
	case strings.HasPrefix(op.Text, "#dbg_"):
		return "", false
	case op.Is("fence"):
		// One thread runs a group, so what orders a group's items orders nothing here.
		if len(t) > 3 && t[1].Is("syncscope") && groupScope(t[3].Text) {
			return "", false
		}
	case op.Is("inttoptr"):
		if narrowPointer(t) {
			in.missing.add(pointerWidth, strings.TrimSpace(s))
		}
	case op.Is("call") || op.Is("tail") || op.Is("musttail") || op.Is("notail"):
		for i := range t {
			if t[i].Kind == irtext.Global && i+1 < len(t) && t[i+1].Is("(") {
				if ignored(t[i].Text) {
					return "", false
				}
				break
			}
		}
	}
	indent := len(s) - len(strings.TrimLeft(s, " "))
	return s[:indent] + irtext.Join(in.flatten(t)), true
}

func groupScope(quoted string) bool {
	switch strings.TrimSuffix(strings.Trim(quoted, `"`), "-one-as") {
	case "workgroup", "wavefront", "singlethread", "block", "cluster":
		return true
	}
	return false
}

// narrowPointer reports whether an inttoptr makes a pointer that has 32 bits
// on the device, from as many.
func narrowPointer(t []irtext.Token) bool {
	for i := range t {
		if t[i].Is("to") && i+4 < len(t) && t[i+2].Is("addrspace") {
			return (t[i+4].Is("3") || t[i+4].Is("5")) && t[3].Is("i32")
		}
	}
	return false
}

// ignored reports whether calls of the function are dropped.
func ignored(name string) bool {
	return strings.HasPrefix(name, "@llvm.lifetime.") || strings.HasPrefix(name, "@llvm.dbg.") ||
		name == "@llvm.experimental.noalias.scope.decl" || name == "@llvm.sideeffect" || name == "@llvm.donothing"
}

// flatten drops address spaces, scopes, conventions and the metadata of a
// device, and gives functions their names on the host. The result may reuse
// the argument's memory.
func (in *ingest1) flatten(t []irtext.Token) []irtext.Token {
	out := t[:0]
	for i := 0; i < len(t); i++ {
		tok := t[i]
		switch tok.Kind {
		case irtext.Word:
			switch {
			case (tok.Text == "addrspace" || tok.Text == "syncscope") && i+1 < len(t) && t[i+1].Is("("):
				if n := len(out); n > 0 && out[n-1].Is(",") {
					out = out[:n-1]
				}
				i = irtext.Match(t, i+1)
				continue
			case tok.Text == "addrspacecast":
				tok.Text = "bitcast"
			case callingConvention(tok.Text):
				continue
			case tok.Text == "cc" && i+1 < len(t) && irtextNumber(t[i+1]):
				i++
				continue
			}
		case irtext.Global:
			if tok.Text == in.kernel {
				tok.Text = kernelName
			} else {
				tok.Text = hostName(tok.Text)
			}
		case irtext.Meta:
			// An attachment is ", !kind !node".
			if n := len(out); i+1 < len(t) && t[i+1].Kind == irtext.Meta && n > 0 && out[n-1].Is(",") && !kept(tok.Text) {
				out = out[:n-1]
				i++
				continue
			}
		}
		out = append(out, tok)
	}
	return out
}

func irtextNumber(t irtext.Token) bool {
	return t.Kind == irtext.Word && t.Text != "" && '0' <= t.Text[0] && t.Text[0] <= '9'
}

// kept reports whether an attachment still means something on the host.
func kept(kind string) bool {
	switch kind {
	case "!tbaa", "!range", "!nonnull", "!noundef", "!align", "!dereferenceable", "!dereferenceable_or_null",
		"!invariant.load", "!alias.scope", "!noalias", "!prof", "!unpredictable", "!dbg", "!llvm.loop", "!fpmath":
		return true
	}
	return false
}

// hostName is the name that a function of a device has after ingest: the
// suffix for pointers without address space, kiln.* for what the device's
// back end knows and the host's does not.
func hostName(name string) string {
	if !strings.HasPrefix(name, "@llvm.") {
		return name
	}
	if to, ok := idNames()[name]; ok {
		return to
	}
	parts := strings.Split(name, ".")
	for i, p := range parts {
		if len(p) > 1 && p[0] == 'p' && strings.Trim(p[1:], "0123456789") == "" {
			parts[i] = "p0"
		}
	}
	switch parts[1] {
	case "nvvm", "amdgcn", "r600", "amdgpu", "spv":
		parts[0] = "@kiln"
	}
	return strings.Join(parts, ".")
}

var idNames = sync.OnceValue(makeIDNames)

func makeIDNames() map[string]string {
	m := map[string]string{
		"@llvm.amdgcn.implicitarg.ptr": implicitName,
		"@llvm.amdgcn.dispatch.ptr":    dispatchName,
	}
	for _, d := range []string{".x", ".y", ".z"} {
		for _, id := range []string{"tid", "ntid", "ctaid", "nctaid"} {
			m["@llvm.nvvm.read.ptx.sreg."+id+d] = "@kiln." + id + d
		}
		m["@llvm.amdgcn.workitem.id"+d] = "@kiln.tid" + d
		m["@llvm.amdgcn.workgroup.id"+d] = "@kiln.ctaid" + d
	}
	return m
}

// attributes rewrites the attribute groups: what was said about a device, and
// what inlining and lowering make untrue, goes.
func (in *ingest1) attributes() {
	for _, e := range in.source.Attributes {
		t := irtext.Scan(nil, e.Line)
		out := append([]irtext.Token(nil), t[:min(4, len(t))]...)
		out = append(out, word("nounwind")) // no device unwinds, and no group is empty
		for i := 4; i < len(t); i++ {
			switch {
			case t[i].Is("}"):
				if len(out) == 4 {
					out = append(out, word("nounwind")) // an empty group is no group, and no device unwinds
				}
				out = append(out, t[i])
			case t[i].Kind == irtext.String:
				keep := keptString(t[i].Text)
				if keep {
					out = append(out, t[i])
				}
				if i+2 < len(t) && t[i+1].Is("=") {
					if keep {
						out = append(out, t[i+1], t[i+2])
					}
					i += 2
				}
			case keptAttribute(t[i].Text):
				out = append(out, t[i])
			case i+1 < len(t) && t[i+1].Is("("):
				i = irtext.Match(t, i+1)
			}
		}
		in.out.Attributes = append(in.out.Attributes, irtext.Entity{Name: e.Name, Line: irtext.Join(out)})
	}
}

func keptAttribute(w string) bool {
	switch w {
	case "mustprogress", "noreturn", "alwaysinline", "cold", "hot":
		return true
	}
	return false
}

func keptString(w string) bool {
	switch w {
	case `"no-trapping-math"`, `"no-nans-fp-math"`, `"no-infs-fp-math"`, `"no-signed-zeros-fp-math"`,
		`"unsafe-fp-math"`, `"approx-func-fp-math"`:
		return true
	}
	return false
}

// metadata keeps the nodes that what is left refers to.
func (in *ingest1) metadata() {
	nodes := index(in.source.Metadata)
	keep := map[string]bool{}
	var queue []string
	note := func(line string) {
		for i := 0; i+1 < len(line); i++ {
			switch {
			case line[i] == '"':
				if n := strings.IndexByte(line[i+1:], '"'); n >= 0 {
					i += n + 1
				}
			case line[i] == '!' && '0' <= line[i+1] && line[i+1] <= '9':
				end := i + 1
				for end < len(line) && '0' <= line[end] && line[end] <= '9' {
					end++
				}
				if name := line[i:end]; !keep[name] {
					keep[name] = true
					queue = append(queue, name)
				}
				i = end - 1
			}
		}
	}
	for _, name := range []string{"!llvm.module.flags", "!llvm.dbg.cu"} {
		if e := nodes[name]; e != nil {
			keep[name] = true
			note(e.Line[len(name):])
		}
	}
	for _, d := range in.out.Defines {
		note(d.Line)
		for _, l := range d.Body {
			if strings.IndexByte(l, '!') >= 0 {
				note(l)
			}
		}
	}
	for _, g := range in.out.Globals {
		note(g.Line)
	}
	for len(queue) > 0 {
		e := nodes[queue[0]]
		queue = queue[1:]
		if e != nil {
			note(e.Line[len(e.Name):])
		}
	}
	for _, e := range in.source.Metadata {
		if keep[e.Name] {
			in.out.Metadata = append(in.out.Metadata, e)
		}
	}
}
