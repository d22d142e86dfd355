package compile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/internal/llvm/llvmtest"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// rust-lang/rust#38789, llvm/llvm-project#54934: names that assemblers do not
// take are spelled otherwise, each in its own way, and the image knows both.
func TestSymbols(t *testing.T) {
	c := newCompiler(t, Config{Tools: tool.Search{CUDA: []string{cuda(t, "cuda12")}, Only: true}})
	long := strings.Repeat("k", 4096)
	for name, want := range map[string]string{
		"plain_1": "plain_1", "a$b": "a$b", "_x": "_x", "add": "add",
		"my.kernel": "kiln$my$2ekernel", "a@b": "kiln$a$40b", "1st": "kiln$1st", "two words": "kiln$two$20words",
		"größe": "kiln$gr$c3$b6$c3$9fe", "_": "kiln$_", "$": "kiln$$24", "WARP_SZ": "kiln$WARP_SZ", "%tid": "kiln$$25tid",
		"kiln$my$2ekernel": "kiln$kiln$24my$242ekernel", long: long, long + ".": "",
	} {
		module := fmt.Sprintf("%s@\"the.table\" = internal addrspace(1) global [4 x i32] zeroinitializer\ndefine ptx_kernel void @\"%s\"(ptr %%p) {\n"+
			"  %%v = load volatile i32, ptr addrspace(1) @\"the.table\"\n  store i32 %%v, ptr %%p\n  ret void\n}\n", ptxHeader, name)
		im := mustCompile(t, c, gpuRequest(t, c, []byte(module), name, "sm_80"))
		if want == "" && strings.HasPrefix(im.Entry, "kiln$$") && len(im.Entry) < 80 {
			want = im.Entry
		}
		if im.Kernel != name || im.Entry != want || im.Format != image.CubinCode || im.Resources.Registers == 0 {
			t.Errorf("kernel %.40q: entry %.80q, want %.80q; image of %.40q, %+v", name, im.Entry, want, im.Kernel, im.Resources)
		}
		kernelOf(t, im)
	}
}

// llvm/llvm-project#213504: another name of a kernel ends no process.
func TestAliasOfKernel(t *testing.T) {
	c := newCompiler(t, Config{Tools: bare})
	module := ptxHeader + "@other = alias void (), ptr @k\ndefine ptx_kernel void @k() {\n  ret void\n}\n"
	im := mustCompile(t, c, gpuRequest(t, c, []byte(module), "k", "sm_80"))
	if bytes.Contains(im.Payload, []byte("other")) {
		t.Errorf("the alias is still there:\n%s", im.Payload)
	}
}

// A module's variables are reached by addresses that the host fills in; an image
// of their own holds them.
func TestVariablesOfGPUs(t *testing.T) {
	onLLVM22(t)
	amdLibraries(t)
	c := newCompiler(t, Config{Tools: tool.Search{CUDA: []string{cuda(t, "cuda12")}}})
	for file, processor := range map[string]string{"features.sm_80.raw.bc": "sm_80", "features.gfx90a.raw.bc": "gfx90a"} {
		module := spmdModule(t, file)
		align := map[string]uint32{"sm_80": 4, "gfx90a": 16}[processor]
		counter, buf := image.Slot{Index: 1, Name: "dcounter", Bytes: 4, Align: 4}, image.Slot{Index: 2, Name: "dbuf", Bytes: 256, Align: align}
		table := image.Slot{Index: 0, Name: "ctable", Bytes: 64, Align: align, Constant: true}
		for kernel, want := range map[string][]image.Slot{"f_devglobal": {counter, buf}, "f_const": {table}, "f_ids": nil} {
			im := mustCompile(t, c, gpuRequest(t, c, module, kernel, processor))
			if fmt.Sprint(im.Globals) != fmt.Sprint(want) || im.Variables != nil {
				t.Errorf("%s for %s names %v, want %v; holds %v", kernel, processor, im.Globals, want, im.Variables)
			}
			for _, s := range want {
				if !bytes.Contains(im.Payload, []byte(s.AddressSymbol())) || bytes.Contains(im.Payload, []byte(s.Name)) {
					t.Errorf("%s for %s: %s is not named by %s alone", kernel, processor, s.Name, s.AddressSymbol())
				}
			}
		}
		r := gpuRequest(t, c, module, "", processor)
		r.Variables = true
		im := mustCompile(t, c, r)
		held := fmt.Sprint(im.Variables)
		for _, s := range []image.Slot{table, counter, buf} {
			if !strings.Contains(held, s.Name) || !bytes.Contains(im.Payload, []byte(s.DeviceSymbol())) {
				t.Errorf("variables for %s: %s, no %s", processor, held, s.DeviceSymbol())
			}
		}
		if im.Entry != "" || len(im.Globals) != 0 {
			t.Errorf("variables for %s have entry %q and name %v", processor, im.Entry, im.Globals)
		}
	}
}

// What cannot be done at run time is an error.
func TestVariablesInConstants(t *testing.T) {
	c := newCompiler(t, Config{Tools: bare})
	module := ptxHeader + `@v = addrspace(1) global i32 3
@where = internal constant [2 x ptr] [ptr addrspacecast (ptr addrspace(1) @v to ptr), ptr null]
define ptx_kernel void @k(ptr %p, i64 %i) {
  %a = getelementptr [2 x ptr], ptr @where, i64 0, i64 %i
  %q = load ptr, ptr %a
  store ptr %q, ptr %p
  ret void
}
`
	e := failure(t, c, gpuRequest(t, c, []byte(module), "k", "sm_80"))
	if e.Stage != StageExtract || !strings.Contains(e.Error(), `variable "v" is part of another constant`) {
		t.Errorf("error %v", e)
	}
	phi := ptxHeader + `@v = addrspace(1) global [4 x i32] zeroinitializer
define ptx_kernel void @k(ptr %p, i32 %n) {
  switch i32 %n, label %b [ i32 1, label %c
                            i32 2, label %c ]
b:
  br label %c
c:
  %q = phi ptr [ addrspacecast (ptr addrspace(1) @v to ptr), %0 ], [ addrspacecast (ptr addrspace(1) @v to ptr), %0 ], [ getelementptr (i8, ptr addrspacecast (ptr addrspace(1) @v to ptr), i64 4), %b ]
  store ptr %q, ptr %p
  ret void
}
`
	im := mustCompile(t, c, gpuRequest(t, c, []byte(phi), "k", "sm_80"))
	if len(im.Globals) != 1 || !bytes.Contains(im.Payload, []byte("[kiln_address_0]")) {
		t.Errorf("globals %v in\n%s", im.Globals, im.Payload)
	}
}

// AMD's sizes are folded where they come from: the arguments behind the
// kernel's own, and the dispatch packet.
func TestHiddenSizes(t *testing.T) {
	c := newCompiler(t, Config{})
	module := amdHeader + `declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %pz = getelementptr i8, ptr addrspace(4) %i, i64 16
  %py = getelementptr i8, ptr addrspace(4) %i, i64 4
  %pr = getelementptr i8, ptr addrspace(4) %i, i64 20
  %pg = getelementptr i8, ptr addrspace(4) %d, i64 16
  %ps = getelementptr i8, ptr addrspace(4) %d, i64 4
  %z = load i16, ptr addrspace(4) %pz
  %y = load i32, ptr addrspace(4) %py
  %r = load i16, ptr addrspace(4) %pr
  %g = load i32, ptr addrspace(4) %pg
  %s = load i16, ptr addrspace(4) %ps
  %z4 = zext i16 %z to i32
  %r4 = zext i16 %r to i32
  %s4 = zext i16 %s to i32
  store i32 %z4, ptr addrspace(1) %out
  %o1 = getelementptr i32, ptr addrspace(1) %out, i64 1
  store i32 %y, ptr addrspace(1) %o1
  %o2 = getelementptr i32, ptr addrspace(1) %out, i64 2
  store i32 %r4, ptr addrspace(1) %o2
  %o3 = getelementptr i32, ptr addrspace(1) %out, i64 3
  store i32 %g, ptr addrspace(1) %o3
  %o4 = getelementptr i32, ptr addrspace(1) %out, i64 4
  store i32 %s4, ptr addrspace(1) %o4
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
`
	r := gpuRequest(t, c, []byte(module), "k", "gfx90a")
	hidden := func(im *image.Image) (n int) {
		code := kernelOf(t, im)
		for _, p := range code.Params {
			if p.Hidden {
				n++
			}
		}
		return n
	}
	free := mustCompile(t, c, r)
	r.Spec = specialize.Spec{Block: [3]uint32{8, 4, 2}, Grid: [3]uint32{3, 5, 7}, MinBlocks: 2}
	fixed := mustCompile(t, c, r)
	if hidden(free) == 0 || hidden(fixed) != 0 {
		t.Errorf("%d hidden arguments when free, %d when all sizes are fixed", hidden(free), hidden(fixed))
	}
	if a, b := functionBytes(t, free.Payload, "k"), functionBytes(t, fixed.Payload, "k"); b >= a {
		t.Errorf("%d bytes of code when fixed, %d when free", b, a)
	}
}

// The code object's version is the module's, or what is asked for.
func TestCodeObjectVersions(t *testing.T) {
	c := newCompiler(t, Config{})
	for _, test := range []struct {
		processor string
		asked     uint8
		want      string
	}{
		{"gfx90a", 0, "5"}, {"gfx90a", 4, "4"}, {"gfx1100", 5, "5"}, {"gfx942", 6, "6"}, {"gfx11-generic", 0, "6"},
		{"gfx90a:xnack-:sramecc+", 0, "5"},
	} {
		module := amdHeader + "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n"
		r := gpuRequest(t, c, []byte(module), "k", test.processor)
		r.Options.CodeObject = test.asked
		im := mustCompile(t, c, r)
		f, err := image.Open(im.Payload)
		if err != nil {
			t.Fatal(err)
		}
		if f.Version != test.want || f.Target != r.Target {
			t.Errorf("%s, version %d asked for: version %s for %s, want %s for %s", test.processor, test.asked, f.Version, f.Target, test.want, r.Target)
		}
		if want := uint32(r.Target.WaveSize()); im.Resources.Wave != want {
			t.Errorf("%s: waves of %d, want %d", test.processor, im.Resources.Wave, want)
		}
	}
}

// llvm/llvm-project#61521: the optimiser takes all that device libraries have,
// at every level.
func TestWholeDeviceLibraries(t *testing.T) {
	onLLVM22(t)
	amdLibraries(t)
	c := newCompiler(t, Config{Tools: tool.Search{CUDA: []string{cuda(t, "cuda12")}}})
	for processor, header := range map[string]string{"sm_80": ptxHeader + "define ptx_kernel", "gfx1100": amdHeader + "define amdgpu_kernel"} {
		module, n := callAll(t, c, header, processor)
		if n < 60 {
			t.Errorf("%s: the kernel calls %d functions, want 60", processor, n)
		}
		levels := []OptLevel{O0, O1, O2, O3, Os, Oz}
		if testing.Short() {
			levels = levels[:1]
		}
		for _, level := range levels {
			r := gpuRequest(t, c, module, "k", processor)
			r.Options.Opt = level
			im := mustCompile(t, c, r)
			if im.Resources.Registers == 0 {
				t.Errorf("%s at %s: %+v", processor, level, im.Resources)
			}
		}
	}
}

// callAll writes a kernel that calls every function of a number to a number
// that the processor's device library has, and returns how many there are.
func callAll(t *testing.T, c *Compiler, header, processor string) ([]byte, int) {
	t.Helper()
	found := c.tools.found(gpuTarget(t, processor).Arch()).libraries
	files, err := found.Tools[0].Files()
	if err != nil {
		t.Fatal(err)
	}
	var declare, call strings.Builder
	n := 0
	llvmtest.Within(t, func(context *llvm.Context) error {
		for _, file := range files {
			if file.Name != "ocml.bc" && !strings.HasPrefix(file.Name, "libdevice") {
				continue
			}
			m, err := context.ParseLazy(file.Name, file.Data)
			if err != nil {
				return err
			}
			code := &code{module: m.Ref()}
			for f := range code.functions {
				typ, name := typeName(capi.GlobalGetValueType(f)), capi.GetValueName2(f)
				// The native ones of doubles are there in name only.
				if strings.HasPrefix(name, "__ocml_native") {
					continue
				}
				if capi.GetLinkage(f) == capi.InternalLinkage || typ != "float (float)" && typ != "double (double)" || !ofLibrary(gpuTarget(t, processor).Arch(), name) {
					continue
				}
				number, _, _ := strings.Cut(typ, " ")
				fmt.Fprintf(&declare, "declare %s @%s(%s)\n", number, name, number)
				fmt.Fprintf(&call, "  %%r%d = call %s @%s(%s %%%s)\n  store volatile %s %%r%d, ptr addrspace(1) %%p\n", n, number, name, number, number, number, n)
				n++
			}
		}
		return nil
	})
	return []byte(header + " void @k(ptr addrspace(1) %p, float %float, double %double) {\n" + call.String() + "  ret void\n}\n" + declare.String()), n
}

// Where a kernel's work depends on what is fixed and no loop is unrolled for it,
// the specialised form has fewer instructions and needs no more registers.
func TestSpecialisedTakesLess(t *testing.T) {
	onLLVM22(t)
	amdLibraries(t)
	c := newCompiler(t, Config{Tools: tool.Search{CUDA: []string{cuda(t, "cuda12")}}})
	less := map[string][]string{
		"sm_90a": {"saxpy", "matmul_tiled", "nbody_tiled", "histogram", "poly"},
		"gfx942": {"saxpy", "reduce_block", "nbody_tiled", "histogram"},
	}
	t.Logf("%-14s %-8s %10s %10s %12s %12s", "kernel", "for", "registers", "fixed", "code", "fixed")
	for processor, file := range map[string]string{"sm_90a": "bench.sm_80.raw.bc", "gfx942": "bench.gfx90a.raw.bc"} {
		module := spmdModule(t, file)
		s, err := c.Summarise(t.Context(), module)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Kernels {
			k := &s.Kernels[i]
			r := gpuRequest(t, c, module, k.Name, processor)
			generic := mustCompile(t, c, r)
			r.Spec = fixAll(k)
			fixed := mustCompile(t, c, r)
			before, after := codeSize(t, c, r, specialize.Spec{}), codeSize(t, c, r, r.Spec)
			t.Logf("%-14s %-8s %10d %10d %12d %12d", k.Name, processor, generic.Resources.Registers, fixed.Resources.Registers, before, after)
			if slices.Contains(less[processor], k.Name) {
				if after >= before || fixed.Resources.Registers > generic.Resources.Registers {
					t.Errorf("%s for %s: code of %d bytes and %+v, generic %d and %+v", k.Name, processor, after, fixed.Resources, before, generic.Resources)
				}
			}
		}
	}
}

// codeSize returns how many instructions a kernel has in PTX, or bytes in AMD's
// machine code.
func codeSize(t *testing.T, c *Compiler, r Request, spec specialize.Spec) uint64 {
	t.Helper()
	r.Spec = spec
	if r.Target.Arch() == target.AMDGPU {
		im := mustCompile(t, c, r)
		return functionBytes(t, im.Payload, im.Entry)
	}
	r.Tools.Assembler = tool.Identity{}
	n := uint64(0)
	for line := range strings.Lines(string(mustCompile(t, c, r).Payload)) {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ";") && !strings.HasPrefix(line, ".") {
			n++
		}
	}
	return n
}
