package main

import (
	"errors"
	"fmt"
	"io"
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
}

var commands = [...]command{
	{"run", "Compile a kernel, launch it and print what it made.", func() any { return new(runCommand) }},
	{"compile", "Compile a kernel into a file.", func() any { return new(compileCommand) }},
	{"inspect", "Show what is in a file: kernels, parameters, globals.", func() any { return new(inspectCommand) }},
	{"doctor", "Show what kiln finds on this machine and what is missing.", func() any { return new(doctorCommand) }},
	{"cache", "Look after the cache of compiled kernels.", func() any { return new(cacheCommand) }},
	{"version", "Print the version.", func() any { return new(versionCommand) }},
	{"completion", "Print a shell's completion script.", func() any { return new(completionCommand) }},
}

// model returns the command line's model: of the command that args name, since
// building all of it takes longer than a launch, else of all commands.
func model(root *flags, args []string, options ...kong.Option) (*kong.Kong, error) {
	name := ""
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			name = arg
			break
		}
	}
	chosen := commands[:]
	for i := range commands {
		if commands[i].name == name {
			chosen = commands[i : i+1]
		}
	}
	for _, c := range chosen {
		options = append(options, kong.DynamicCommand(c.name, c.help, "", c.make()))
	}
	return kong.New(root, options...)
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
	progress       *progress
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
	s := &session{stdin: stdin, stdout: stdout, stderr: stderr, env: env, progress: &progress{out: stderr}}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	context, err := parser.Parse(args)
	s.json = root.JSON
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
