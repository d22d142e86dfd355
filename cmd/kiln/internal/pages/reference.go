package pages

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Reference returns the Markdown page of all commands, flags, exit codes and
// variables.
func (b *Book) Reference() string {
	var m strings.Builder
	m.WriteString("<!-- Made by go generate ./cmd/kiln from the command line's own model; do not edit. -->\n\n# Reference\n\n")
	m.WriteString("Everything that `kiln --help`, the manual pages and the completion scripts say, on one page. [The command\nline](cli.md) explains it.\n\n")
	for _, c := range commands(b.Root) {
		fmt.Fprintf(&m, "- [`%s`](#%s): %s\n", path(c), strings.ReplaceAll(path(c), " ", "-"), c.Help)
	}
	m.WriteString("- [Exit codes](#exit-codes), [environment](#environment), [files](#files), [Go packages](#go-packages)\n\n")
	m.WriteString("Flags of every command:\n\n")
	table(&m, "flag", append(flags(b.Root), entry{"-h, --help", "Show help, of a command where one is named."}))
	for _, c := range commands(b.Root) {
		section(&m, c, "##")
	}
	m.WriteString("## Exit codes\n\n")
	table(&m, "code", rows(b.Exits))
	m.WriteString("With `--json` an error is also an object on the output: `{\"error\": \"…\", \"exit_code\": 4}`.\n\n## Environment\n\n")
	table(&m, "variable", rows(b.Environment))
	m.WriteString("A value that is not understood is an error; a `KILN_` name that nothing reads is a warning.\n\n## Files\n\n")
	table(&m, "file", rows(b.Files))
	m.WriteString("## Go packages\n\n" + b.GoAPI)
	return m.String()
}

func section(m *strings.Builder, n *kong.Node, level string) {
	fmt.Fprintf(m, "%s %s\n\n```\n%s\n```\n\n%s\n\n", level, path(n), usage(n), cell(n.Help))
	if n.Detail != "" {
		paragraphs(n.Detail, func(lines []string, verbatim bool) {
			if verbatim {
				fmt.Fprintf(m, "```\n%s\n```\n\n", strings.Join(lines, "\n"))
				return
			}
			m.WriteString(cell(strings.Join(lines, "\n")) + "\n\n")
		})
	}
	if list := append(arguments(n), flags(n)...); len(list) > 0 {
		table(m, "argument or flag", list)
	}
	for _, sub := range commands(n) {
		section(m, sub, level+"#")
	}
}

func table(m *strings.Builder, head string, list []entry) {
	fmt.Fprintf(m, "| %s | |\n|---|---|\n", head)
	for _, e := range list {
		fmt.Fprintf(m, "| `%s` | %s |\n", strings.ReplaceAll(e.name, "|", `\|`), cell(e.help))
	}
	m.WriteString("\n")
}

// cell escapes what Markdown would understand.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`).Replace(s)
}
