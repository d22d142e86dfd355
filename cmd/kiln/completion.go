package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// word is something to complete, with its help.
type word struct{ text, help string }

// level of the command tree: its path below kiln and what may follow there.
type completionLevel struct {
	path     string // "", "run", "cache ls"
	commands []word
	flags    []word
}

// levels walks the command tree.
func levels(node *kong.Node, path string, inherited []word) []completionLevel {
	level := completionLevel{path: path, flags: inherited}
	for _, flag := range node.Flags {
		if !flag.Hidden {
			level.flags = append(level.flags[:len(level.flags):len(level.flags)], word{"--" + flag.Name, flag.Help})
		}
	}
	children := slices.DeleteFunc(slices.Clone(node.Children), func(n *kong.Node) bool { return n.Hidden })
	for _, child := range children {
		level.commands = append(level.commands, word{child.Name, child.Help})
	}
	all := []completionLevel{level}
	for _, child := range children {
		all = append(all, levels(child, strings.TrimSpace(path+" "+child.Name), level.flags)...)
	}
	return all
}

func texts(words []word) string {
	list := make([]string, len(words))
	for i := range words {
		list[i] = words[i].text
	}
	return strings.Join(list, " ")
}

// Run prints the script.
func (c *completionCommand) Run(s *session) error {
	parser, err := model(new(flags), nil, kong.Name("kiln"))
	if err != nil {
		return err
	}
	all := levels(parser.Model.Node, "", nil)
	script := map[string]func([]completionLevel) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[c.Shell](all)
	_, err = fmt.Fprint(s.stdout, script)
	return err
}

// bashScript completes commands and flags by the words so far, else files.
func bashScript(all []completionLevel) string {
	var cases strings.Builder
	for _, level := range all {
		fmt.Fprintf(&cases, "\t%q) words=%q ;;\n", level.path, texts(level.commands)+" "+texts(level.flags))
	}
	return fmt.Sprintf(`# Completion of kiln for bash; type: source <(kiln completion bash)
_kiln() {
	local current="${COMP_WORDS[COMP_CWORD]}" path="" words="" known=" %s " i
	for ((i = 1; i < COMP_CWORD; i++)); do
		local next="${path:+$path }${COMP_WORDS[i]}"
		[[ "$known" == *" ${next// /.} "* ]] && path="$next"
	done
	case "$path" in
%s	esac
	COMPREPLY=($(compgen -W "$words" -- "$current"))
	[[ "$current" == -* || -z "$path" ]] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -o filenames -F _kiln kiln
`, known(all), cases.String())
}

// known lists the command paths, their words joined by points.
func known(all []completionLevel) string {
	var paths []string
	for _, level := range all[1:] {
		paths = append(paths, strings.ReplaceAll(level.path, " ", "."))
	}
	return strings.Join(paths, " ")
}

func zshScript(all []completionLevel) string {
	escape := strings.NewReplacer("'", "'\\''", ":", "\\:").Replace
	var cases strings.Builder
	for _, level := range all {
		fmt.Fprintf(&cases, "\t%q)\n\t\twords=(", level.path)
		for _, w := range append(level.commands[:len(level.commands):len(level.commands)], level.flags...) {
			fmt.Fprintf(&cases, "'%s:%s' ", w.text, escape(w.help))
		}
		cases.WriteString(")\n\t\t;;\n")
	}
	return fmt.Sprintf(`#compdef kiln
# Completion of kiln for zsh; type: source <(kiln completion zsh)
_kiln() {
	local path_so_far="" known=" %s " i next
	local -a candidates
	for ((i = 2; i < CURRENT; i++)); do
		next="${path_so_far:+$path_so_far }${words[i]}"
		[[ "$known" == *" ${next// /.} "* ]] && path_so_far="$next"
	done
	case "$path_so_far" in
%s	esac
	_describe kiln candidates
	[[ -z "$path_so_far" ]] || _files
}
if [[ "${funcstack[1]}" == _kiln ]]; then
	_kiln "$@" # loaded from a folder of completions
else
	compdef _kiln kiln
fi
`, known(all), strings.ReplaceAll(cases.String(), "\t\twords=(", "\t\tcandidates=("))
}

func fishScript(all []completionLevel) string {
	quote := func(text string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
	}
	var b strings.Builder
	b.WriteString("# Completion of kiln for fish; type: kiln completion fish | source\n")
	for _, level := range all {
		condition := "__fish_use_subcommand"
		if level.path != "" {
			words := strings.Fields(level.path)
			tests := make([]string, len(words))
			for i, w := range words {
				tests[i] = "__fish_seen_subcommand_from " + w
			}
			condition = strings.Join(tests, "; and ")
		}
		if level.path == "" || len(level.commands) > 0 {
			fmt.Fprintf(&b, "complete -c kiln -n %s -f\n", quote(condition))
		}
		for _, w := range level.commands {
			fmt.Fprintf(&b, "complete -c kiln -n %s -a %s -d %s\n", quote(condition), w.text, quote(w.help))
		}
		for _, w := range level.flags {
			fmt.Fprintf(&b, "complete -c kiln -n %s -l %s -d %s\n", quote(condition), strings.TrimPrefix(w.text, "--"), quote(w.help))
		}
	}
	return b.String()
}
