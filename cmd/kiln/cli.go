package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/kilnjit/kiln/internal/envconf"
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
	// further are the arguments of run's launches behind the first.
	further  [][]string
	progress *progress
}

// run is the program: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	var root flags
	left := false
	parser, err := model(&root, args, kong.Name("kiln"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(int) { left = true }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		fmt.Fprintf(stderr, "kiln: %v\n", err)
		return exitFailed
	}
	// What cannot be parsed is told in the form that was asked for as well.
	s := &session{stdin: stdin, stdout: stdout, stderr: stderr, env: env, json: slices.Contains(args, "--json"), progress: &progress{out: stderr}}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	if name := firstWord(args); name == "run" {
		args, s.further = splitLaunches(args)
	} else if name != "" && commandIndex(name) < 0 {
		return s.fail(unknownCommand(name))
	}
	context, err := parser.Parse(args)
	switch {
	case left: // help was asked for and has been printed
		return exitOK
	case err != nil:
		return s.fail(usage("%s\nType: kiln %s--help", err, commandOf(err)))
	}
	if s.config, err = envconf.Parse(env); err != nil {
		return s.fail(err)
	}
	if len(s.config.Unknown) > 0 {
		known, _ := envconf.Names()
		fmt.Fprintf(stderr, "kiln: warning: nothing reads %s; the variables are %s\n",
			strings.Join(s.config.Unknown, ", "), strings.Join(known, ", "))
	}
	if err := context.Run(s); err != nil {
		return s.fail(err)
	}
	return exitOK
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
