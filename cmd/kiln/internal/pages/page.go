// Package pages makes manual pages and a Markdown reference of the command
// line's own model, so that they say what --help says.
package pages

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Row is one entry of a table: an exit code, a variable, a file.
type Row struct{ Name, Text string }

// Book is what all pages are made of.
type Book struct {
	// Root is the model of all commands.
	Root *kong.Node
	// Version stands at the foot of each manual page.
	Version string
	// Summary is one line, Text what stands below it.
	Summary, Text      string
	Exits, Environment []Row
	Files              []Row
	// GoAPI is the reference's section about the packages, in Markdown.
	GoAPI string
}

// entry is one argument or flag as printed.
type entry struct{ name, help string }

// commands returns the node's commands that are to be seen.
func commands(n *kong.Node) []*kong.Node {
	var list []*kong.Node
	for _, child := range n.Children {
		if !child.Hidden {
			list = append(list, child)
		}
	}
	return list
}

func path(n *kong.Node) string {
	if n.Parent == nil {
		return n.Name
	}
	return path(n.Parent) + " " + n.Name
}

// usage spells a command: "kiln run FILE KERNEL [ARG]... [flags]".
func usage(n *kong.Node) string {
	text := path(n)
	for _, p := range n.Positional {
		name := strings.ToUpper(p.Name)
		if p.IsCumulative() {
			name += "..."
		}
		if !p.Required {
			name = "[" + name + "]"
		}
		text += " " + name
	}
	if len(commands(n)) > 0 {
		text += " COMMAND"
	}
	if len(flags(n)) > 0 {
		text += " [flags]"
	}
	return text
}

func arguments(n *kong.Node) []entry {
	var list []entry
	for _, p := range n.Positional {
		list = append(list, entry{strings.ToUpper(p.Name), p.Help})
	}
	return list
}

// flags returns the node's own flags, without --help.
func flags(n *kong.Node) []entry {
	var list []entry
	for _, f := range n.Flags {
		if f.Hidden || f.Name == "help" {
			continue
		}
		name := "--" + f.Name
		if f.Short != 0 {
			name = fmt.Sprintf("-%c, %s", f.Short, name)
		}
		if !f.IsBool() {
			name += "=" + f.FormatPlaceHolder()
		}
		help := f.Help
		if f.HasDefault && f.Default != "" && f.Default != "0" && !strings.Contains(name, f.Default) && !strings.Contains(help, f.Default) {
			help += fmt.Sprintf(" Default: %s.", f.Default)
		}
		list = append(list, entry{name, help})
	}
	return list
}

// paragraphs parts a text at its empty lines; verbatim tells that a paragraph
// is indented throughout and keeps its line breaks.
func paragraphs(text string, visit func(lines []string, verbatim bool)) {
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(block, "\n")
		verbatim := true
		for _, line := range lines {
			verbatim = verbatim && strings.HasPrefix(line, "  ")
		}
		if verbatim {
			for i := range lines {
				lines[i] = strings.TrimPrefix(lines[i], "  ")
			}
		}
		visit(lines, verbatim)
	}
}
