// Package source turns kernel sources into LLVM bitcode through clang. No
// CUDA or ROCm installation is needed: headers of its own stand in for theirs.
package source

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/kilnjit/kiln/target"
)

//go:embed include
var headers embed.FS

// Language is what a file is written in.
type Language uint8

// The languages. A Module needs no clang: it is bitcode or textual IR.
const (
	Module Language = iota
	C
	CUDA
	HIP
	OpenCL
)

// String returns the language's name.
func (l Language) String() string {
	return [...]string{"LLVM IR", "C", "CUDA", "HIP", "OpenCL C"}[l]
}

// LanguageOf tells a file's language by its name. Whatever is no source by its
// name counts as a [Module].
func LanguageOf(path string) Language {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".c":
		return C
	case ".cu":
		return CUDA
	case ".hip":
		return HIP
	case ".cl":
		return OpenCL
	}
	return Module
}

// headerPTX is the version of PTX that what clang has in its headers needs.
const headerPTX target.PTXVersion = 80

// arguments are clang's for a language. Optimisation is asked for and its
// passes are left out: kiln runs its own, with more known.
func (l Language) arguments(include string, t target.Target) []string {
	args := []string{"-c", "-emit-llvm", "-O2", "-Xclang", "-disable-llvm-passes", "-fno-discard-value-names"}
	switch l {
	case C:
		args = append(args, "-x", "c", "-fno-math-errno")
	case CUDA:
		sm := processor(t, target.NVPTX, "sm_80")
		args = append(args, "-x", "cuda", "--cuda-gpu-arch="+sm, "--cuda-device-only", "-nocudainc", "-nocudalib",
			"--cuda-feature="+max(headerPTX, target.LeastPTX(sm)).Feature(), "-D__KILN__", "-isystem", include, "-include", "kiln_cuda.h")
	case HIP:
		args = append(args, "-x", "hip", "--offload-arch="+processor(t, target.AMDGPU, "gfx90a"), "--cuda-device-only", "-nogpuinc", "-nogpulib",
			"-fuse-cuid=none", "-D__KILN__", "-isystem", include, "-include", "kiln_hip.h")
	case OpenCL:
		args = append(args, "-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-target", "x86_64-unknown-linux-gnu")
	}
	return args
}

// oldestSM is the oldest processor that kiln's headers for CUDA are written for.
// Code for it goes for those before as well, where it uses nothing they lack.
const oldestSM = 80

// processor returns the one that a GPU's source is compiled for: the target's,
// or the usual one where it is of another family.
func processor(t target.Target, family target.Arch, usual string) string {
	if t.Arch() != family || family == target.NVPTX && target.SM(t.Processor) < oldestSM {
		return usual
	}
	return t.Processor
}

// ErrNoClang is matched when a source needs clang and none is installed.
var ErrNoClang = errors.New("clang is not installed")

// names are tried in order: the newest version that kiln's libLLVM reads first.
var names = []string{"clang-22", "clang-21", "clang-20", "clang-19", "clang"}

// FindClang returns the path of the clang that sources are compiled with, or
// an error that matches [ErrNoClang] and says what to type.
func FindClang() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: none of %s is on the PATH; on Debian type: apt-get install clang-22", ErrNoClang, strings.Join(names, ", "))
}

// Error is a source that clang refused.
type Error struct {
	Path string
	// Log is what clang wrote, with its line breaks.
	Log string
	Err error
}

func (e *Error) Error() string {
	if e.Log == "" {
		return fmt.Sprintf("compiling %s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("compiling %s:\n%s", e.Path, strings.TrimRight(e.Log, "\n"))
}

func (e *Error) Unwrap() error { return e.Err }

// Compile returns the bitcode of the source at path. Where its language is that
// of the target's family of GPUs, it is compiled for that processor. What clang
// warns of goes to warnings. The error is an [*Error] where clang refused the source.
func Compile(ctx context.Context, path string, t target.Target, warnings func(string)) ([]byte, error) {
	return compile(ctx, path, t, warnings)
}

// CompileWithLines is [Compile] with the source's lines in the bitcode, for
// LLVM to name. The rest of it is the same.
func CompileWithLines(ctx context.Context, path string, t target.Target) ([]byte, error) {
	return compile(ctx, path, t, nil, "-gline-tables-only")
}

func compile(ctx context.Context, path string, t target.Target, warnings func(string), extra ...string) ([]byte, error) {
	clang, err := FindClang()
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", path, err)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	// An interrupt must not leave the folder behind.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "kiln-source-")
	if err != nil {
		return nil, fmt.Errorf("a temporary folder is needed; point TMPDIR at one you may write to: %w", err)
	}
	defer os.RemoveAll(dir)
	language := LanguageOf(path)
	if language == CUDA || language == HIP {
		if err := writeHeaders(dir); err != nil {
			return nil, err
		}
	}
	command := exec.CommandContext(ctx, clang, slices.Concat(language.arguments(dir, t), extra, []string{path, "-o", "-"})...)
	var bitcode, log bytes.Buffer
	command.Stdout, command.Stderr = &bitcode, &log
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, &Error{path, log.String() + hostHint(language, log.String()), err}
	}
	if log.Len() > 0 && warnings != nil {
		warnings(log.String())
	}
	return bitcode.Bytes(), nil
}

var hostFault = regexp.MustCompile(`(undeclared identifier|unknown type name|no member named|no matching function for call to) '_*(cuda|hip|cu|nv)[A-Za-z]|\.(h|hpp|cuh)' file not found`)

// hostHint says what to do where clang did not know something of the host's.
func hostHint(l Language, log string) string {
	if (l != CUDA && l != HIP) || !hostFault.MatchString(log) {
		return ""
	}
	return "kiln compiles the kernels of a source alone and knows the most common of the run time's functions; " +
		"leave the rest of the host's code out with #ifndef __KILN__ and #endif\n"
}

func writeHeaders(dir string) error {
	include, err := fs.Sub(headers, "include")
	if err != nil {
		return err
	}
	return os.CopyFS(dir, include)
}
