package kiln_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// firstModules are modules by triple, as bitcode and as text, with a kernel, a
// processor of their own, and whether the CPU device runs them: reverse(out, in,
// f) of one block of 64, or choose(0, x) = 2x.
var firstModules = map[string]struct {
	kernel, processor string
	bitcode, text     string
}{
	"x86_64": {"choose", "x86-64-v2", "host.clang22.bc", "target triple = \"x86_64-unknown-linux-gnu\"\n" +
		"define i32 @choose(i32 %which, i32 %x) {\n  %r = shl i32 %x, 1\n  ret i32 %r\n}\n"},
	"nvptx64": {"reverse", "sm_80", "cuda.clang22.bc", "target triple = \"nvptx64-nvidia-cuda\"\n" +
		"declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n" + reverseText("ptx_kernel", "@llvm.nvvm.read.ptx.sreg.tid.x()")},
	"amdgcn": {"reverse", "gfx90a", "hip.clang22.bc", "target triple = \"amdgcn-amd-amdhsa\"\n" +
		"declare i32 @llvm.amdgcn.workitem.id.x()\n" + reverseText("amdgpu_kernel", "@llvm.amdgcn.workitem.id.x()")},
	"spir64": {"reverse", "", "cl.clang22.bc", "target triple = \"spir64-unknown-unknown\"\n" +
		"declare spir_func i64 @_Z12get_local_idj(i32)\n" + strings.Replace(reverseText("spir_kernel", ""),
		"%i = call i32 ", "%l = call spir_func i64 @_Z12get_local_idj(i32 0)\n  %i = trunc i64 %l to i32", 1)},
}

func reverseText(convention, id string) string {
	return "define " + convention + " void @reverse(ptr addrspace(1) %out, ptr addrspace(1) %in, float %f) {\n  %i = call i32 " + id + `
  %p = getelementptr float, ptr addrspace(1) %in, i32 %i
  %v = load float, ptr addrspace(1) %p
  %w = fmul float %v, %f
  %j = sub i32 63, %i
  %q = getelementptr float, ptr addrspace(1) %out, i32 %j
  store float %w, ptr addrspace(1) %q
  ret void
}
`
}

// firstChild makes one call first of all that its process does with LLVM: what,
// triple.
func firstChild(args []string) error {
	what, module := args[0], firstModules[args[1]]
	data := []byte(module.text)
	if !strings.HasSuffix(what, "text") {
		var err error
		if data, err = os.ReadFile(filepath.Join("testdata", "bitcode", module.bitcode)); err != nil {
			return err
		}
	}
	if what == "load" || what == "load text" {
		return firstLoad(data, module.kernel)
	}
	c, err := compile.New(compile.Config{})
	if err != nil {
		return err
	}
	defer c.Close()
	if strings.HasPrefix(what, "summarise") {
		s, err := c.Summarise(ctx, data)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(s.Kernels, func(k image.Kernel) bool { return k.Name == module.kernel }) {
			return fmt.Errorf("the summary has kernels %v", s.Kernels)
		}
		return nil
	}
	to, err := target.Native()
	if strings.HasPrefix(what, "compile its own") {
		to, err = target.Parse(module.processor)
	}
	if err != nil {
		return err
	}
	r := compile.Request{Module: data, Kernel: module.kernel, Target: to, Toolchain: c.Toolchain()}
	if r.Tools, err = c.Tools(to); err != nil {
		return err
	}
	im, err := c.Compile(ctx, r)
	if err != nil {
		return err
	}
	if im.Kernel != module.kernel || im.Target != to || len(im.Payload) < 200 {
		return fmt.Errorf("image of %s for %s with %d bytes", im.Kernel, im.Target, len(im.Payload))
	}
	return nil
}

func firstLoad(module []byte, name string) error {
	e, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}})
	if err != nil {
		return err
	}
	defer e.Close()
	m, err := e.Load(ctx, kiln.Bytes("module", module))
	if err != nil {
		return err
	}
	k, err := m.Kernel(name)
	if err != nil {
		return err
	}
	if name == "choose" {
		var y int32
		if err := k.Launch(ctx, kiln.Arg(int32(0)), kiln.Arg(int32(21)), kiln.Result(&y)); err != nil || y != 42 {
			return fmt.Errorf("choose(0, 21) = %d, want 42; %w", y, err)
		}
		return nil
	}
	out, in := make([]float32, 64), make([]float32, 64)
	for i := range in {
		in[i] = float32(i)
	}
	if err := k.Launch(ctx, kiln.Grid(1), kiln.Block(64), kiln.Arg(out), kiln.Arg(in), kiln.Arg(float32(2))); err != nil {
		return err
	}
	for i := range out {
		if out[i] != 2*float32(63-i) {
			return fmt.Errorf("out[%d] = %g, want %d", i, out[i], 2*(63-i))
		}
	}
	return nil
}

// childOutput runs this binary as another process and returns what it prints.
func childOutput(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], append([]string{"child"}, args...)...)
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	return out.String(), errs.String(), err
}

// llvm/llvm-project#221871, jax-ml/jax PR#39640: "no targets are registered",
// since one way in did not initialise them. In a process of its own each way in
// works at its first call, for each kind of module.
func TestReport221871FirstCallOfAProcess(t *testing.T) {
	entries := []string{"load", "load text", "compile", "compile text", "compile its own", "compile its own text", "summarise", "summarise text"}
	for triple, module := range firstModules {
		for _, entry := range entries {
			if module.processor == "" && strings.HasPrefix(entry, "compile its own") {
				continue
			}
			t.Run(triple+"/"+entry, func(t *testing.T) {
				t.Parallel()
				stdout, stderr, err := childOutput(t, "first", entry, triple)
				if err != nil || stdout+stderr != "" {
					t.Errorf("%v, it printed %q", err, stdout+stderr)
				}
			})
		}
	}
}

// architecturesChild compiles a kernel for each target of a list, given as
// "triple/processor/features" taken apart at the slashes and not parsed, and
// prints the error or "ok"; and, where nothing compiled, whether LLVM was opened.
func architecturesChild(args []string) error {
	c, err := compile.New(compile.Config{LLVM: args[0]})
	if err != nil {
		return err
	}
	defer c.Close()
	kernels := map[target.Arch]string{target.X86_64: "x86_64", target.NVPTX: "nvptx64", target.AMDGPU: "amdgcn"}
	for _, name := range args[1:] {
		parts := strings.SplitN(name, "/", 3)
		to := target.Target{Triple: parts[0], Processor: parts[1], Features: parts[2]}
		module := firstModules[kernels[to.Arch()]]
		r := compile.Request{Module: []byte(module.text), Kernel: module.kernel, Target: to, Toolchain: c.Toolchain()}
		if r.Tools, err = c.Tools(to); err != nil {
			return err
		}
		im, err := c.Compile(ctx, r)
		failed, ok := errors.AsType[*compile.Error](err)
		switch {
		case err == nil:
			fmt.Printf("%s: ok, %t\n", name, im.Target == to && len(im.Payload) > 100)
		case ok && im == nil && failed.Stage == compile.StageCheck && (errors.Is(err, target.ErrUnknownProcessor) || errors.Is(err, target.ErrUnknownFeature) || errors.Is(err, target.ErrUnknownTriple)):
			fmt.Printf("%s: unknown\n", name)
		default:
			fmt.Printf("%s: %v\n", name, err)
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	fmt.Println("LLVM is open:", bytes.Contains(maps, []byte("libLLVM")))
	return err
}

// llvm/llvm-project#57124, HSAFoundation/CLOC#24, lamikr/rocm_sdk_builder#180: of
// a name that it does not know LLVM says "ignoring processor" on the error
// stream, and makes code for something else. What is unknown is refused before
// LLVM is opened; what is known compiles, and LLVM says nothing.
func TestReport57124NothingIsIgnored(t *testing.T) {
	const host, amd, nv = "x86_64-unknown-linux-gnu/", "amdgcn-amd-amdhsa/", "nvptx64-nvidia-cuda/"
	bad := []string{
		amd + "gfx9O6/", amd + "GFX906/", amd + "gfx906 /", amd + "gfx906:xnack-/", amd + "gfx906:sramecc+:xnack-/", amd + "gfx906/+xnak",
		amd + "gfx906/xnack", amd + "gfx1100/+xnack", amd + "gfx906/+sm_80", amd + "sm_80/", amd + "/", amd + "generic-has/",
		nv + "sm_8O/", nv + "sm80/", nv + "compute_80/", nv + "sm_80a/", nv + "gfx906/", nv + "sm_80/+ptx7", nv + "sm_80/+avx",
		host + "skylake-avx51/", host + "znver44/", host + "sm_80/", host + "x86-64/+avx-512f", host + "x86-64/+avx2,", host + "x86-64/avx2",
		host + "help/", host + "x86-64/+help", "x86_65-unknown-linux-gnu/x86-64/", "amdgcn64-amd-amdhsa/gfx906/",
	}
	good := []string{
		amd + "gfx906/", amd + "gfx906/-xnack", amd + "gfx906/+sramecc,-xnack", amd + "gfx90a/+xnack", amd + "gfx1100/", amd + "gfx9-generic/",
		nv + "sm_60/", nv + "sm_80/", nv + "sm_90a/", nv + "sm_80/+ptx78",
		host + "x86-64/", host + "x86-64-v4/", host + "znver4/", host + "skylake-avx512/-avx512f,+fma", host + "generic/+avx2",
	}
	for _, library := range []string{"libLLVM.so.19.1", "libLLVM.so.22.1"} {
		check := func(names []string, outcome string, open bool) {
			t.Helper()
			var want strings.Builder
			for _, name := range names {
				fmt.Fprintf(&want, "%s: %s\n", name, outcome)
			}
			fmt.Fprintf(&want, "LLVM is open: %t\n", open)
			stdout, stderr, err := childOutput(t, append([]string{"architectures", library}, names...)...)
			if err != nil || stderr != "" || stdout != want.String() {
				t.Errorf("%s: %v, error stream %q, output\n%swant\n%s", library, err, stderr, stdout, want.String())
			}
		}
		check(bad, "unknown", false)
		check(good, "ok, true", true)
	}
}
