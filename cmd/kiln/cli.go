package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/kilnjit/kiln/internal/envconf"
)

// commands is the whole command line: flags, help and completion come from it.
type commands struct {
	JSON bool `name:"json" help:"Print the result as JSON."`

	Run        runCommand        `cmd:"" help:"Compile a kernel, launch it and print what it made."`
	Compile    compileCommand    `cmd:"" help:"Compile a kernel into a file."`
	Inspect    inspectCommand    `cmd:"" help:"Show what is in a file: kernels, parameters, globals."`
	Doctor     doctorCommand     `cmd:"" help:"Show what kiln finds on this machine and what is missing."`
	Cache      cacheCommand      `cmd:"" help:"Look after the cache of compiled kernels."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
	Completion completionCommand `cmd:"" help:"Print a shell's completion script."`
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
	model          *kong.Application
}

// run is the program: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	var root commands
	left := false
	parser, err := kong.New(&root, kong.Name("kiln"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(int) { left = true }), kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Vars{"version": version})
	if err != nil {
		fmt.Fprintf(stderr, "kiln: %v\n", err)
		return exitFailed
	}
	s := &session{stdin: stdin, stdout: stdout, stderr: stderr, env: env, progress: &progress{out: stderr}, model: parser.Model}
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
