package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kilnjit/kiln/internal/nvjitlink"
)

// Error is what a tool says of input it refuses, or how it ended.
type Error struct {
	// Tool is the tool's name and path, Input what it was given, in words.
	Tool, Input string
	// Log is all it has printed.
	Log string
	// Err is how its process ended, nil for a library.
	Err error
}

// Error returns one line: the tool and the first error it has printed.
func (e *Error) Error() string {
	line := ""
	for l := range strings.Lines(e.Log) {
		l = strings.TrimSpace(l)
		if line == "" || strings.Contains(l, "error") || strings.Contains(l, "fatal") {
			line = l
		}
		if strings.Contains(l, "error") || strings.Contains(l, "fatal") {
			break
		}
	}
	if line == "" && e.Err != nil {
		line = e.Err.Error()
	}
	return fmt.Sprintf("%s refuses %s: %s", e.Tool, e.Input, line)
}

// Unwrap returns how the process ended.
func (e *Error) Unwrap() error { return e.Err }

// Assembled is machine code of one PTX module.
type Assembled struct {
	Cubin []byte
	// Log is what the assembler says of the kernels.
	Log string
}

// Assemble makes machine code of PTX for an NVIDIA processor. debug keeps line
// numbers. The context is looked at before a library works, and ends a program.
func (t *Tool) Assemble(ctx context.Context, ptx []byte, processor string, debug bool) (*Assembled, error) {
	// Some assemblers take a zero at the end for text.
	ptx = bytes.TrimRight(ptx, "\x00")
	if t.Name == NVJitLink {
		return t.jitLink(ctx, ptx, processor, debug)
	}
	const in, out = "kernel.ptx", "kernel.cubin"
	arguments := []string{"-v", "-arch=" + processor, "-o", out}
	if debug {
		arguments = append(arguments, "-lineinfo")
	}
	cubin, log, err := t.run(ctx, ptx, in, out, append(arguments, in))
	if err != nil {
		return nil, err
	}
	return &Assembled{cubin, log}, nil
}

func (t *Tool) jitLink(ctx context.Context, ptx []byte, processor string, debug bool) (*Assembled, error) {
	if err := t.load(); err != nil {
		return nil, err
	}
	library, err := nvjitlink.Open(t.Path, t.major, t.minor)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	options := []string{"-arch=" + processor, "-Xptxas=-v"}
	if debug {
		options = append(options, "-lineinfo")
	}
	cubin, info, err := library.Link([]nvjitlink.Input{{Kind: nvjitlink.PTX, Name: "kernel.ptx", Data: ptx}}, options)
	if refused, ok := errors.AsType[*nvjitlink.Error](err); ok {
		return nil, &Error{Tool: t.Name + " " + t.Path, Input: "the PTX", Log: refused.Log, Err: refused}
	}
	if err != nil {
		return nil, err
	}
	return &Assembled{cubin, info}, nil
}

// Link makes a code object of an AMDGPU object. A symbol that nothing defines
// is an error.
func (t *Tool) Link(ctx context.Context, object []byte) ([]byte, error) {
	const in, out = "kernel.o", "kernel.hsaco"
	code, _, err := t.run(ctx, object, in, out, []string{"-flavor", "gnu", "-m", "elf64_amdgpu", "--no-undefined", "--threads=1", "-shared", "-o", out, in})
	return code, err
}

// Disassemble prints the machine code of a cubin.
func (t *Tool) Disassemble(ctx context.Context, cubin []byte) ([]byte, error) {
	const in = "kernel.cubin"
	_, text, err := t.run(ctx, cubin, in, "", []string{"-c", in})
	return []byte(text), err
}

// most is how much of what a program prints is kept.
const most = 16 << 20

// run runs the tool in a folder of its own that holds the input, and returns
// the output file's contents and what was printed.
func (t *Tool) run(ctx context.Context, input []byte, in, out string, arguments []string) (result []byte, log string, err error) {
	folder, err := os.MkdirTemp("", "kiln-")
	if err != nil {
		return nil, "", fmt.Errorf("running %s: %w", t.Name, err)
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, in), input, 0o600); err != nil {
		return nil, "", fmt.Errorf("running %s: %w", t.Name, err)
	}
	printed := new(limited)
	path, err := filepath.Abs(t.Path)
	if err != nil {
		return nil, "", fmt.Errorf("running %s: %w", t.Name, err)
	}
	command := exec.CommandContext(ctx, path, arguments...)
	command.Dir, command.Stdout, command.Stderr = folder, printed, printed
	// What a terminal sends to its foreground group is for the host.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = time.Second
	err = command.Run()
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err != nil {
		return nil, "", &Error{Tool: t.Name + " " + t.Path, Input: in, Log: printed.String(), Err: err}
	}
	if out == "" {
		return nil, printed.String(), nil
	}
	result, err = os.ReadFile(filepath.Join(folder, out))
	if err != nil || len(result) == 0 {
		return nil, "", &Error{Tool: t.Name + " " + t.Path, Input: in, Log: "it ended well and wrote nothing\n" + printed.String(), Err: err}
	}
	return result, printed.String(), nil
}

// limited keeps the first bytes that are written to it.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	l.Buffer.Write(p[:max(0, min(len(p), most-l.Len()))])
	return len(p), nil
}
