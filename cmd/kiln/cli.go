package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/kilnjit/kiln/internal/envconf"
	"github.com/kilnjit/kiln/target"
)

// flags are those of every command.
type flags struct {
	JSON bool `name:"json" help:"Print the result as JSON."`
}

// command is one word of the command line: flags, help and completion come
// from the fields of what make returns.
type command struct {
	name, help string
	make       func() any
	tags       []string
}

// hidden marks what kiln starts itself and what its makers type.
var hidden = []string{`hidden:""`}

var commands = [...]command{
	{"run", "Compile kernels, launch them and print what they made.", func() any { return new(runCommand) }, nil},
	{"bench", "Time a kernel as it is and specialised.", func() any { return new(benchCommand) }, nil},
	{"compile", "Compile a kernel into files: IR, assembly, object, image.", func() any { return new(compileCommand) }, nil},
	{"inspect", "Show what is in a file: images, kernels, parameters, globals.", func() any { return new(inspectCommand) }, nil},
	{"devices", "List the devices that kernels can run on.", func() any { return new(devicesCommand) }, nil},
	{"doctor", "Show what kiln finds on this machine and what is missing.", func() any { return new(doctorCommand) }, nil},
	{"cache", "Look after the cache of compiled kernels.", func() any { return new(cacheCommand) }, nil},
	{"version", "Print the version.", func() any { return new(versionCommand) }, nil},
	{"completion", "Print a shell's completion script.", func() any { return new(completionCommand) }, nil},
	{"pages", "Write the manual pages and the reference.", func() any { return new(pagesCommand) }, hidden},
	{"remarks", "Optimise IR and let LLVM say what it did.", func() any { return new(remarksCommand) }, hidden},
}

// model returns the command line's model: of the command that args name, since
// building all of it takes longer than a launch, else of all commands.
func model(root *flags, args []string, options ...kong.Option) (*kong.Kong, error) {
	name := firstWord(args)
	chosen := commands[:]
	if i := commandIndex(name); i >= 0 {
		chosen = commands[i : i+1]
	}
	for _, c := range chosen {
		options = append(options, kong.DynamicCommand(c.name, c.help, "", c.make(), c.tags...))
	}
	return kong.New(root, options...)
}

// firstWord returns the first argument that is no flag, empty where there is none.
func firstWord(args []string) string {
	i := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if i < 0 {
		return ""
	}
	return args[i]
}

const description = "Compiles device code at run time and launches it. Exit codes: 0 done, 1 the kernel or a check failed, " +
	"2 wrong usage, 3 something is not installed, 4 the input is no good, 5 the compile failed."

// session is what a command works with.
type session struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            []string
	config         envconf.Config
	json           bool
	// target is what sources are compiled for; zero is the usual.
	target target.Target
	// further are the arguments of run's launches behind the first.
	further  [][]string
	progress *progress
}

// run is the program: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	var root flags
	left := false
	args = plainly(args)
	out := &output{to: stdout}
	parser, err := model(&root, args, kong.Name("kiln"), kong.Description(description), kong.Writers(out, stderr),
		kong.Exit(func(int) { left = true }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		fmt.Fprintf(stderr, "kiln: %v\n", err)
		return exitFailed
	}
	// What cannot be parsed is told in the form that was asked for as well.
	s := &session{stdin: stdin, stdout: out, stderr: stderr, env: env, json: slices.Contains(args, "--json"), progress: &progress{out: stderr}}
	if name := firstWord(args); name == "run" {
		args, s.further = splitLaunches(args)
	} else if name != "" && commandIndex(name) < 0 {
		return s.fail(unknownCommand(name))
	}
	context, err := parser.Parse(args)
	switch {
	case left, out.err != nil: // help was asked for and has been printed
		return s.end(out, nil)
	case err != nil:
		return s.fail(usage("%s\nType: kiln %s--help", parseFault(err), commandOf(err)))
	}
	if s.config, err = envconf.Parse(env); err != nil {
		return s.fail(err)
	}
	if len(s.config.Unknown) > 0 {
		known, _ := envconf.Names()
		fmt.Fprintf(stderr, "kiln: warning: nothing reads %s; the variables are %s\n",
			strings.Join(s.config.Unknown, ", "), strings.Join(known, ", "))
	}
	return s.end(out, context.Run(s))
}

// end returns the exit code of a command that ended with err. A command that
// could not print what it was to print has failed.
func (s *session) end(out *output, err error) int {
	if err == nil && out.err != nil {
		err = fmt.Errorf("writing the output: %w", out.err)
	}
	if err != nil {
		return s.fail(err)
	}
	return exitOK
}

// output remembers the first error of writing.
type output struct {
	to  io.Writer
	err error
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// plainly returns the arguments with what other programs call the same put in
// kiln's own words.
func plainly(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case args[0] == "--version":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

var (
	noValue = regexp.MustCompile(`^(--[a-z-]+): expected \w+ value but got "EOL" \(<EOL>\)$`)
	noWord  = regexp.MustCompile(`^unexpected argument (.+?)(?:, did you mean .*)?$`)
)

// parseFault says in words what the command line's parser found.
func parseFault(err error) string {
	text := err.Error()
	if m := noValue.FindStringSubmatch(text); m != nil {
		return m[1] + " takes a value, which is missing"
	}
	var parse *kong.ParseError
	m := noWord.FindStringSubmatch(text)
	if m == nil || !errors.As(err, &parse) || parse.Context == nil {
		return text
	}
	node := parse.Context.Selected()
	if node == nil || len(node.Children) == 0 {
		return text + ": that is more than it takes"
	}
	var names []string
	for _, child := range node.Children {
		names = append(names, child.Name)
	}
	return fmt.Sprintf("%q is no command of %s%s the commands are %s", m[1], node.FullPath(), didYouMean(m[1], names), strings.Join(names, ", "))
}

func commandIndex(name string) int {
	return slices.IndexFunc(commands[:], func(c command) bool { return c.name == name })
}

func unknownCommand(name string) error {
	var names []string
	for i := range commands {
		if commands[i].tags == nil {
			names = append(names, commands[i].name)
		}
	}
	if _, err := os.Stat(name); err == nil {
		return usage("%q is no command; to launch a kernel of that file, type: kiln run %s KERNEL", name, name)
	}
	return usage("%q is no command%s the commands are %s\nType: kiln --help", name, didYouMean(name, names), strings.Join(names, ", "))
}

// commandOf returns the command, with a space, whose arguments were wrong.
func commandOf(err error) string {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if selected := parse.Context.Selected(); selected != nil {
			return strings.TrimPrefix(selected.FullPath(), "kiln ") + " "
		}
	}
	return ""
}
