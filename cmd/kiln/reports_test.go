package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kilnProgram runs kiln in a process of its own and returns its exit code and
// what it prints.
func kilnProgram(t *testing.T, environment []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "kiln", args...)
	c.Env = append(os.Environ(), environment...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.String(), errs.String()
}

// llvm/llvm-project#221871, jax-ml/jax PR#39640: one of several ways in did not
// initialise LLVM's targets. Each command is a process of its own, and works for
// each kind of module, compiling here or in a worker.
func TestReport221871EveryCommandComesFirst(t *testing.T) {
	const bitcode = "../../testdata/bitcode/"
	for _, module := range []struct{ file, kernel, processor, want string }{
		{"host.clang22.bc", "choose", "x86-64-v2", "42"},
		{"cuda.clang22.bc", "reverse", "sm_80", "  sum       8064  "},
		{"hip.clang22.bc", "reverse", "gfx90a", "  sum       8064  "},
		{"cl.clang22.bc", "reverse", "", "  sum       8064  "},
	} {
		run := []string{"run", bitcode + module.file, "reverse", "--grid", "1", "--block", "64", "out:f32[64]=0", "f32[64]=2", "f32=63"}
		if module.kernel == "choose" {
			run = []string{"run", bitcode + module.file, "choose", "i32=0", "i32=21"}
		}
		commands := map[string][]string{
			"run":     run,
			"inspect": {"inspect", bitcode + module.file},
			"compile": {"compile", bitcode + module.file, module.kernel, "-o", filepath.Join(t.TempDir(), "out")},
		}
		if module.processor != "" {
			commands["compile for its own"] = append([]string{"compile", "--target", module.processor}, commands["compile"][1:]...)
		}
		for name, args := range commands {
			for _, compiler := range []string{"", "in-process"} {
				t.Run(module.file+"/"+name+"/"+compiler, func(t *testing.T) {
					t.Parallel()
					code, stdout, stderr := kilnProgram(t, []string{"KILN_COMPILER=" + compiler, "KILN_CACHE_DIR=" + t.TempDir()}, args...)
					want := module.kernel
					if name == "run" {
						want = module.want
					}
					if code != exitOK || stderr != "" || !strings.Contains(stdout, want) {
						t.Errorf("exit code %d, want %q in\n%s%s", code, want, stdout, stderr)
					}
				})
			}
		}
	}
}

// llvm/llvm-project#57124, HSAFoundation/CLOC#24, lamikr/rocm_sdk_builder#180,
// ROCm/legacy-rocm-build#2358: a name that LLVM does not know was ignored. As
// --target it is one line of an error, and nothing is written; names of one
// machine are one key.
func TestReport57124TargetsOfTheCommandLine(t *testing.T) {
	const bitcode = "../../testdata/bitcode/"
	compileFor := func(t *testing.T, target string) (code int, stdout, stderr string) {
		file, kernel := "host.clang22.bc", "choose"
		switch {
		case strings.Contains(strings.ToLower(target), "gfx"):
			file, kernel = "hip.clang22.bc", "reverse"
		case strings.Contains(target, "sm"):
			file, kernel = "cuda.clang22.bc", "reverse"
		}
		out := filepath.Join(t.TempDir(), "out")
		code, stdout, stderr = kilnProgram(t, []string{"KILN_CACHE_DIR=" + t.TempDir()}, "compile", bitcode+file, kernel, "--json", "--target", target, "-o", out)
		if _, err := os.Stat(out); (err == nil) != (code == exitOK) {
			t.Errorf("%s: exit code %d, the output: %v", target, code, err)
		}
		return code, stdout, stderr
	}
	for _, bad := range []string{
		"gfx9O6", "GFX906", "gfx906 ", "gfx90", "gfx906:xnack", "gfx906:wavefrontsize64-", "gfx1100:xnack+", "amdgcn-amd-amdhsa/gfx906/+xnak",
		"sm80", "sm_8O", "sm_80a", "sm_80:xnack+", "nvptx64-nvidia-cuda/sm_80/+ptx7", "znver44", "x86-64-v5", "x86_64-linux-gnu/generic/+avx-512f", "",
	} {
		t.Run("bad "+bad, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := compileFor(t, bad)
			name, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(bad[strings.LastIndex(bad, "/")+1:]), "+"), ":")
			if said := stdout + stderr; code != exitUsage || strings.Contains(said, "ignoring") || strings.Contains(said, "is not a recognized") ||
				!strings.Contains(said, name) || strings.Count(stderr, "\n") > 1 {
				t.Errorf("exit code %d, want %d:\n%s%s", code, exitUsage, stdout, stderr)
			}
		})
	}
	for _, names := range [][]string{
		{"gfx906:sramecc+:xnack-", "gfx906:xnack-:sramecc+", "hipv4-amdgcn-amd-amdhsa-unknown-gfx906:xnack-:sramecc+", "amdgcn-amd-amdhsa/gfx906/-xnack,+sramecc"},
		{"sm_80", "nvptx64-nvidia-cuda--sm_80"},
		{"skx", "x86_64-pc-linux-gnu/skylake-avx512"},
	} {
		t.Run("names of "+names[0], func(t *testing.T) {
			t.Parallel()
			keys := map[string][]string{}
			for _, name := range names {
				code, stdout, stderr := compileFor(t, name)
				var out struct{ Key, Target string }
				if err := json.Unmarshal([]byte(stdout), &out); code != exitOK || err != nil || len(out.Key) != 64 || stderr != "" {
					t.Fatalf("%s: exit code %d, %v\n%s%s", name, code, err, stdout, stderr)
				}
				keys[out.Key+" "+out.Target] = append(keys[out.Key+" "+out.Target], name)
			}
			if len(keys) != 1 {
				t.Errorf("keys and targets of names of one machine: %v", keys)
			}
		})
	}
}
