package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/image"
)

// reference is a C function compiled by the system's compiler and run in a
// process of its own: nothing of kiln takes part, and its faults stay there.
type reference struct {
	kernel *image.Kernel
	name   string // of the C function
	bound  *bound
	grid   [3]uint32
	block  [3]uint32
}

// findCC returns a C compiler: the system's, else the clang for sources.
func findCC() (string, error) {
	for _, name := range []string{"cc", "gcc"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	if path, err := source.FindClang(); err == nil {
		return path, nil
	}
	return "", &missingError{"--check needs a C compiler; none of cc, gcc and clang is on the PATH; on Debian type: apt-get install gcc libc6-dev"}
}

// run compiles the file and calls the function on buffers as they were before
// the launch. It returns the buffers' content afterwards, by position, and the
// result's bytes.
func (r *reference) run(ctx context.Context, path string) (buffers [][]byte, result []byte, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, nil, &inputError{err}
	}
	harness, err := r.harness()
	if err != nil {
		return nil, nil, err
	}
	compiler, err := findCC()
	if err != nil {
		return nil, nil, err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := temporaryFolder("kiln-check-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	main, program := filepath.Join(dir, "main.c"), filepath.Join(dir, "reference")
	if err := os.WriteFile(main, harness, 0o600); err != nil {
		return nil, nil, err
	}
	var log bytes.Buffer
	compile := exec.CommandContext(ctx, compiler, "-O2", "-o", program, main, "-x", "c", path, "-lm")
	compile.Stdout, compile.Stderr = &log, &log
	if err := compile.Run(); err != nil {
		return nil, nil, &source.Error{Path: path, Log: log.String(), Err: err}
	}
	var input, output bytes.Buffer
	r.writeInput(&input)
	log.Reset()
	command := exec.CommandContext(ctx, program)
	command.Stdin, command.Stdout, command.Stderr = &input, &output, &log
	if err := command.Run(); err != nil {
		return nil, nil, fmt.Errorf("running %s of %s: %w%s", r.name, path, err, withBreak(log.String()))
	}
	return r.readOutput(output.Bytes())
}

func withBreak(log string) string {
	if log = strings.TrimRight(log, "\n"); log == "" {
		return ""
	}
	return "\n" + log
}

// writeInput writes the buffers as they were before the launch.
func (r *reference) writeInput(w *bytes.Buffer) {
	for i := range r.bound.args {
		if r.bound.values[i] != nil {
			w.Write(r.bound.values[i])
		}
		w.Write(r.bound.before[i])
	}
}

func (r *reference) readOutput(output []byte) (buffers [][]byte, result []byte, err error) {
	buffers = make([][]byte, len(r.bound.args))
	for i, buffer := range r.bound.buffers {
		if buffer == nil {
			continue
		}
		if len(output) < len(buffer) {
			return nil, nil, errors.New("the reference wrote less than it was to: does it print, or call exit?")
		}
		buffers[i], output = output[:len(buffer):len(buffer)], output[len(buffer):]
	}
	if len(output) != int(r.kernel.Result.Size) {
		return nil, nil, errors.New("the reference wrote more than it was to: it must not print")
	}
	return buffers, output, nil
}

// cType returns C's name of a plain number, empty for anything else.
func cType(llvmType string) string {
	switch llvmType {
	case "i1":
		return "_Bool"
	case "i8", "i16", "i32", "i64":
		return "int" + llvmType[1:] + "_t"
	case "half":
		return "_Float16"
	case "float", "double":
		return llvmType
	}
	return ""
}

// harness is the C program around the function.
func (r *reference) harness() ([]byte, error) {
	k := r.kernel
	types, values := make([]string, len(k.Params)), make([]string, len(k.Params))
	var structs, body strings.Builder
	for i := range k.Params {
		a, p := &r.bound.args[i], &k.Params[i]
		values[i] = fmt.Sprintf("a%d", i)
		switch types[i] = cType(p.Type); {
		case p.Kind == image.Pointer && a.Kind == argument.Null:
			types[i], values[i] = "void *", "0"
		case p.Kind == image.Pointer:
			types[i] = "void *"
			fmt.Fprintf(&body, "\tvoid *a%d = kiln_read(%d);\n", i, len(r.bound.buffers[i]))
		case p.Kind == image.Scalar && types[i] != "":
			fmt.Fprintf(&body, "\tuint64_t b%d = %#xu; %s a%d; memcpy(&a%d, &b%d, sizeof a%d);\n", i, a.Bits(), types[i], i, i, i, i)
		case p.Kind == image.Aggregate && p.Size > 16:
			// C passes it in memory whatever its members are; smaller ones travel
			// in registers by their members' types, which nobody knows here.
			types[i] = fmt.Sprintf("struct s%d", i)
			fmt.Fprintf(&structs, "%s { _Alignas(%d) unsigned char bytes[%d]; };\n", types[i], p.Align, p.Size)
			fmt.Fprintf(&body, "\t%s a%d; memcpy(&a%d, kiln_read(sizeof a%d), sizeof a%d);\n", types[i], i, i, i, i)
		default:
			return nil, usage("--check: parameter %q of %s has no counterpart in the C reference", parameter(p), k.Name)
		}
	}
	if k.Convention == image.Grid {
		types, values = append(types, "const uint32_t *", "const uint32_t *"), append(values, "grid", "block")
		fmt.Fprintf(&body, "\tstatic const uint32_t grid[3] = {%d, %d, %d}, block[3] = {%d, %d, %d};\n",
			r.grid[0], r.grid[1], r.grid[2], r.block[0], r.block[1], r.block[2])
	}
	result, call := "void", fmt.Sprintf("%s(%s)", r.name, strings.Join(values, ", "))
	if k.Result.Type != "" {
		if result = cType(k.Result.Type); result == "" {
			return nil, usage("--check: the result of %s, %s, has no counterpart in the C reference", k.Name, k.Result.Type)
		}
		call = result + " r = " + call
	}
	fmt.Fprintf(&body, "\t%s;\n", call)
	for i, buffer := range r.bound.buffers {
		if buffer != nil {
			fmt.Fprintf(&body, "\tkiln_write(a%d, %d);\n", i, len(buffer))
		}
	}
	if k.Result.Type != "" {
		body.WriteString("\tkiln_write(&r, sizeof r);\n")
	}
	if len(types) == 0 {
		types = []string{"void"}
	}
	return fmt.Appendf(nil, harnessFrame, structs.String(), result, r.name, strings.Join(types, ", "), body.String()), nil
}

const harnessFrame = `#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
%s%s %s(%s);
static void *kiln_read(size_t n) {
	void *p = aligned_alloc(64, (n + 127) / 64 * 64);
	if (!p || fread(p, 1, n, stdin) != n) abort();
	return p;
}
static void kiln_write(const void *p, size_t n) {
	if (fwrite(p, 1, n, stdout) != n) abort();
}
int main(void) {
%s	return 0;
}
`
