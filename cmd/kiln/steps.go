package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// splitLaunches parts the arguments of run at each "--": those of the first
// launch, with the command and the file, and those of each further one.
func splitLaunches(args []string) (first []string, further [][]string) {
	i := slices.Index(args, "--")
	if i < 0 {
		return args, nil
	}
	first = args[:i]
	for rest := args[i+1:]; ; rest = rest[i+1:] {
		if i = slices.Index(rest, "--"); i < 0 {
			return first, append(further, rest)
		}
		further = append(further, rest[:i])
	}
}

// parseStep reads the arguments of a launch behind the first. Flags of all
// commands stand there as well.
func parseStep(s *session, args []string) (*step, error) {
	var parsed struct {
		flags
		step
	}
	if len(args) == 0 {
		return nil, usage("nothing follows --: it takes a kernel and its arguments\nType: kiln run --help")
	}
	help := false
	var out bytes.Buffer
	parser, err := kong.New(&parsed, kong.Name("kiln run FILE ... --"), kong.Writers(&out, &out), kong.Exit(func(int) { help = true }))
	if err != nil {
		return nil, err
	}
	if _, err := parser.Parse(args); err != nil && !help {
		return nil, usage("launch %q: %v\nType: kiln run --help", strings.Join(args, " "), err)
	}
	if help {
		return nil, usage("--help goes before the first --\nType: kiln run --help")
	}
	s.json = s.json || parsed.JSON
	return &parsed.step, nil
}
