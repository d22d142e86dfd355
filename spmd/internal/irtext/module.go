package irtext

import (
	"fmt"
	"strings"
)

// Module is a module's text, taken apart into its top-level entities. What
// stands in none of the lists (comments, the source file's name, COMDATs) is
// dropped.
type Module struct {
	Triple, DataLayout string
	// Types are the definitions of named types, one line each, in order.
	Types []Entity
	// Globals are variables, aliases and ifuncs.
	Globals []Entity
	// Declares are functions without a body.
	Declares []Entity
	// Defines are functions with one.
	Defines []Entity
	// Attributes are the attribute groups, named "#7".
	Attributes []Entity
	// Metadata are named and numbered nodes.
	Metadata []Entity
	// Assembly are the lines of module-level assembly.
	Assembly []string
}

// Entity is one top-level item.
type Entity struct {
	// Name has its sigil: "@f", "%struct.s", "#3", "!7".
	Name string
	// Line is the item's first line, for a function its header without "{".
	Line string
	// Body holds a function's lines between the braces.
	Body []string
}

// ParseModule takes the text of a module apart. The text must be as LLVM
// prints it: each entity on a line of its own.
func ParseModule(text string) (*Module, error) {
	m := new(Module)
	for len(text) > 0 {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		if line == "" {
			continue
		}
		name := line
		if i := strings.IndexByte(line, ' '); i >= 0 {
			name = line[:i]
		}
		switch line[0] {
		case ';', '$', '^':
			continue
		case '%', '@':
			if i := nameEnd(line); i < len(line) {
				name = line[:i]
			}
			if line[0] == '%' {
				m.Types = append(m.Types, Entity{Name: name, Line: line})
			} else {
				m.Globals = append(m.Globals, Entity{Name: name, Line: line})
			}
			continue
		case '!':
			m.Metadata = append(m.Metadata, Entity{Name: name, Line: line})
			continue
		}
		switch name {
		case "source_filename", "uselistorder", "uselistorder_bb":
		case "target":
			value := line[strings.IndexByte(line, '"')+1:]
			value = strings.TrimSuffix(value, `"`)
			if strings.HasPrefix(line, "target triple") {
				m.Triple = value
			} else {
				m.DataLayout = value
			}
		case "module":
			m.Assembly = append(m.Assembly, line)
		case "attributes":
			_, rest, _ := strings.Cut(line, " ")
			group, _, _ := strings.Cut(rest, " ")
			m.Attributes = append(m.Attributes, Entity{Name: group, Line: line})
		case "declare":
			m.Declares = append(m.Declares, Entity{Name: functionName(line), Line: line})
		case "define":
			end := strings.Index(text, "\n}")
			if strings.HasPrefix(text, "}") {
				end = 0
			}
			if end < 0 || !strings.HasSuffix(line, "{") {
				return nil, fmt.Errorf("reading the module's text: function %s has no end", functionName(line))
			}
			e := Entity{Name: functionName(line), Line: strings.TrimSuffix(strings.TrimSuffix(line, "{"), " ")}
			if end > 0 {
				e.Body = strings.Split(text[:end], "\n")
				end++
			}
			text = text[end+1:]
			m.Defines = append(m.Defines, e)
		default:
			return nil, fmt.Errorf("reading the module's text: a line starts with %q", name)
		}
	}
	return m, nil
}

func nameEnd(line string) int { return name(line, 1) }

// functionName returns the first global name of a header that a parenthesis
// follows: attributes before it may hold other names only inside parentheses.
func functionName(header string) string {
	for i := 0; i < len(header); i++ {
		switch header[i] {
		case '"':
			i = quoted(header, i) - 1
		case '@':
			end := name(header, i+1)
			return header[i:end]
		}
	}
	return ""
}

// GlobalNames calls f with each "@name" in a line, metadata and strings left out.
func GlobalNames(line string, f func(name string)) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			i = quoted(line, i) - 1
		case ';':
			return
		case '%', '!':
			if i+1 < len(line) && line[i+1] == '"' {
				i = quoted(line, i+1) - 1
			}
		case '@':
			end := name(line, i+1)
			f(line[i:end])
			i = end - 1
		}
	}
}

// Text puts the entities together again.
func (m *Module) Text() string {
	var b strings.Builder
	if m.DataLayout != "" {
		fmt.Fprintf(&b, "target datalayout = \"%s\"\n", m.DataLayout)
	}
	if m.Triple != "" {
		fmt.Fprintf(&b, "target triple = \"%s\"\n", m.Triple)
	}
	for _, list := range [][]Entity{m.Types, m.Globals, m.Declares} {
		for _, e := range list {
			b.WriteString(e.Line)
			b.WriteByte('\n')
		}
	}
	for _, e := range m.Defines {
		b.WriteByte('\n')
		b.WriteString(e.Line)
		b.WriteString(" {\n")
		for _, l := range e.Body {
			b.WriteString(l)
			b.WriteByte('\n')
		}
		b.WriteString("}\n")
	}
	b.WriteByte('\n')
	for _, list := range [][]Entity{m.Attributes, m.Metadata} {
		for _, e := range list {
			b.WriteString(e.Line)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
