package spmd

import (
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// linkage reports whether the word before a function's type says something
// about linking, visibility or calling that the host does not need.
func linkage(w string) bool {
	switch w {
	case "private", "internal", "available_externally", "linkonce", "weak", "common", "appending", "extern_weak",
		"linkonce_odr", "weak_odr", "external", "dso_local", "dso_preemptable", "default", "hidden", "protected",
		"dllimport", "dllexport":
		return true
	}
	return callingConvention(w)
}

func callingConvention(w string) bool {
	switch w {
	case "ptx_kernel", "ptx_device", "amdgpu_kernel", "amdgpu_gfx", "amdgpu_cs", "spir_kernel", "spir_func",
		"fastcc", "coldcc", "ccc", "preserve_mostcc", "preserve_allcc", "device_kernel":
		return true
	}
	return false
}

func (in *ingest1) global(e *irtext.Entity) {
	t := irtext.Scan(nil, e.Line)
	var out []irtext.Token
	out = append(out, t[0], t[1], word("internal"))
	if in.isShared(e, t) {
		return
	}
	// A variable that all kernels of the module share lies elsewhere.
	slot := strings.HasPrefix(e.Name, "@"+image.SlotPrefix)
	external := false
	i := 2
	for ; i < len(t) && !t[i].Is("global") && !t[i].Is("constant") && !t[i].Is("alias") && !t[i].Is("ifunc"); i++ {
		switch {
		case t[i].Is("addrspace"):
			i = irtext.Match(t, i+1)
		case t[i].Is("external") || t[i].Is("extern_weak"):
			external = true
		case t[i].Is("thread_local"):
			if i+1 < len(t) && t[i+1].Is("(") {
				i = irtext.Match(t, i+1)
			}
		case linkage(t[i].Text):
		default:
			out = append(out, t[i])
		}
	}
	switch {
	case external && slot:
		out[2] = word("external")
	case external:
		in.missing.add(undefined, e.Name[1:])
		return
	}
	out = append(out, in.flatten(t[i:])...)
	for i := range out {
		if out[i].Is("section") || out[i].Is("comdat") || out[i].Is("partition") {
			// All three end a variable's line, but for its alignment.
			out = append(out[:i-1:i-1], alignment(out[i:])...)
			break
		}
	}
	in.out.Globals = append(in.out.Globals, irtext.Entity{Name: e.Name, Line: irtext.Join(out)})
}

func alignment(t []irtext.Token) []irtext.Token {
	for i := range t {
		if t[i].Is("align") && i+1 < len(t) {
			return []irtext.Token{{Kind: irtext.Punct, Text: ","}, word("align"), word(t[i+1].Text)}
		}
	}
	return nil
}

func word(s string) irtext.Token { return irtext.Token{Kind: irtext.Word, Space: true, Text: s} }

// declare takes over a declaration: what the host's LLVM knows stays, what the
// device library has is defined, anything else is missing.
func (in *ingest1) declare(e *irtext.Entity, done map[string]bool) {
	name := hostName(e.Name)
	if done[name] || ignored(name) || name == implicitName || name == dispatchName {
		return
	}
	done[name] = true
	t := irtext.Scan(nil, e.Line)
	at := 1
	for at < len(t) && t[at].Text != e.Name {
		at++
	}
	if at+1 >= len(t) {
		return
	}
	t = t[:irtext.Match(t, at+1)+1]
	if strings.HasPrefix(name, "@llvm.") {
		line := irtext.Join(in.flatten(t))
		in.out.Declares = append(in.out.Declares, irtext.Entity{Name: name, Line: line})
		return
	}
	sig := signature{name: name}
	p := irtext.Entity{Name: e.Name, Line: irtext.Join(in.flatten(dropLinkage(t, at)))}
	f, err := irtext.ParseFunction(&irtext.Entity{Name: name, Line: p.Line, Body: []string{"  unreachable"}})
	if err == nil {
		sig.result = f.Result
		for _, a := range f.Params {
			sig.params = append(sig.params, a.Type)
		}
	}
	in.lib.need(sig, &in.missing)
}
