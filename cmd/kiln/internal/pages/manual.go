package pages

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Manual returns the manual pages of section 1 by their file names: one of the
// whole program and one for each command.
func (b *Book) Manual() map[string]string {
	all := map[string]string{"kiln.1": b.overview()}
	for _, c := range commands(b.Root) {
		all[pageName(c)+".1"] = b.commandPage(c)
	}
	return all
}

func pageName(n *kong.Node) string { return strings.ReplaceAll(path(n), " ", "-") }

// roff writes one page.
type roff struct{ strings.Builder }

// text escapes what roff would understand.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func (r *roff) line(request string, words ...string) {
	r.WriteString(request)
	for _, w := range words {
		fmt.Fprintf(r, " \"%s\"", strings.ReplaceAll(text(w), `"`, `\(dq`))
	}
	r.WriteString("\n")
}

func (r *roff) begin(b *Book, name, summary string) {
	r.line(".TH", strings.ToUpper(name), "1", "", "kiln "+b.Version, "User Commands")
	r.line(".SH", "NAME")
	fmt.Fprintf(r, "%s \\- %s\n", text(name), text(strings.TrimSuffix(summary, ".")))
}

func (r *roff) synopsis(usages ...string) {
	r.line(".SH", "SYNOPSIS")
	for i, u := range usages {
		if i > 0 {
			r.WriteString(".br\n")
		}
		command, rest, _ := strings.Cut(u, " ")
		for word := range strings.FieldsSeq(rest) {
			if strings.ToLower(word) != word || strings.HasPrefix(word, "[") {
				break
			}
			command += " " + word
		}
		fmt.Fprintf(r, "\\fB%s\\fR%s\n", text(command), text(strings.TrimPrefix(u, command)))
	}
}

func (r *roff) prose(s string) {
	paragraphs(s, func(lines []string, verbatim bool) {
		if !verbatim {
			r.WriteString(".PP\n" + text(strings.Join(lines, " ")) + "\n")
			return
		}
		r.WriteString(".PP\n.RS 4\n.nf\n")
		for _, line := range lines {
			r.WriteString(text(line) + "\n")
		}
		r.WriteString(".fi\n.RE\n")
	})
}

func (r *roff) entries(title string, list []entry) {
	if len(list) == 0 {
		return
	}
	if title != "" {
		r.line(".SH", title)
	}
	for _, e := range list {
		fmt.Fprintf(r, ".TP\n\\fB%s\\fR\n%s\n", text(e.name), text(e.help))
	}
}

func rows(list []Row) []entry {
	entries := make([]entry, len(list))
	for i, row := range list {
		entries[i] = entry{row.Name, row.Text}
	}
	return entries
}

// seeAlso refers to all other pages.
func (r *roff) seeAlso(b *Book, self string) {
	names := []string{"kiln"}
	for _, c := range commands(b.Root) {
		names = append(names, pageName(c))
	}
	r.line(".SH", "SEE ALSO")
	var refs []string
	for _, name := range names {
		if name != self {
			refs = append(refs, fmt.Sprintf("\\fB%s\\fR(1)", text(name)))
		}
	}
	r.WriteString(strings.Join(refs, ",\n") + "\n")
}

func (b *Book) overview() string {
	var r roff
	r.begin(b, "kiln", b.Summary)
	r.synopsis("kiln COMMAND [flags]")
	r.line(".SH", "DESCRIPTION")
	r.prose(b.Text)
	var list []entry
	for _, c := range commands(b.Root) {
		list = append(list, entry{c.Name, c.Help + " See " + pageName(c) + "(1)."})
	}
	r.entries("COMMANDS", list)
	r.entries("OPTIONS", append(flags(b.Root), entry{"-h, --help", "Show help, of a command where one is named."}))
	r.entries("EXIT STATUS", rows(b.Exits))
	r.entries("ENVIRONMENT", rows(b.Environment))
	r.entries("FILES", rows(b.Files))
	r.seeAlso(b, "kiln")
	return r.String()
}

func (b *Book) commandPage(n *kong.Node) string {
	var r roff
	r.begin(b, pageName(n), n.Help)
	var usages []string
	for _, sub := range commands(n) {
		usages = append(usages, usage(sub))
	}
	if len(usages) == 0 {
		usages = []string{usage(n)}
	}
	r.synopsis(usages...)
	r.line(".SH", "DESCRIPTION")
	r.WriteString(text(n.Help) + "\n")
	if n.Detail != "" {
		r.prose(n.Detail)
	}
	r.entries("ARGUMENTS", arguments(n))
	r.entries("OPTIONS", flags(n))
	if subs := commands(n); len(subs) > 0 {
		r.line(".SH", "COMMANDS")
		for _, sub := range subs {
			r.line(".SS", strings.TrimPrefix(usage(sub), "kiln "))
			r.WriteString(text(sub.Help) + "\n")
			if sub.Detail != "" {
				r.prose(sub.Detail)
			}
			r.entries("", append(arguments(sub), flags(sub)...))
		}
	}
	r.seeAlso(b, pageName(n))
	return r.String()
}
