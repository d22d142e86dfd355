package compile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

const (
	ptxHeader = `target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
`
	amdHeader = `target triple = "amdgcn-amd-amdhsa"
`
	emptyKernel = ptxHeader + "define ptx_kernel void @k() {\n  ret void\n}\n"
)

// bare is a search that finds nothing.
var bare = tool.Search{Only: true}

func TestBadGPURequests(t *testing.T) {
	c := newCompiler(t, Config{Tools: bare})
	linker := newCompiler(t, Config{})
	params := func(n int) string {
		return fmt.Sprintf("%sdefine ptx_kernel void @k(ptr byval([%d x i8]) align 1 %%p, i32 %%n) {\n  ret void\n}\n", ptxHeader, n-4)
	}
	tests := []struct {
		name, module, target string
		change               func(*Request)
		stage                Stage
		kind                 error
		want                 string
	}{
		{"processor", emptyKernel, "nvptx64-nvidia-cuda/sm_9999", nil, StageCheck, target.ErrUnknownProcessor, `unknown processor "sm_9999"`},
		{"target ID as a processor", emptyKernel, "amdgcn-amd-amdhsa/gfx90a", func(r *Request) { r.Target.Processor = "gfx90a:xnack-" },
			StageCheck, target.ErrUnknownProcessor, "its settings belong into the features"},
		{"setting", emptyKernel, "amdgcn-amd-amdhsa/gfx1100/+xnack", nil, StageCheck, target.ErrUnknownFeature, "has no choice of xnack"},
		{"other vendor", emptyKernel, "gfx90a", nil, StageExtract, ErrUnsupported, "code for nvptx64-nvidia-cuda, not for amdgcn-amd-amdhsa"},
		{"host module", "define void @k() {\n  ret void\n}\n", "sm_80", nil, StageExtract, ErrUnsupported, "code for x86_64-unknown-linux-gnu"},
		{"device function", ptxHeader + "define void @k() {\n  ret void\n}\n", "sm_80", nil, StageExtract, ErrUnsupported, "not a kernel"},
		{"code object of NVIDIA's", emptyKernel, "sm_80", func(r *Request) { r.Options.CodeObject = 5 }, StageCheck, ErrBadRequest, "for AMD's GPUs"},
		{"code object 3", amdHeader + "define amdgpu_kernel void @k() {\n  ret void\n}\n", "gfx90a", func(r *Request) { r.Options.CodeObject = 3 }, StageCheck, ErrBadRequest, "want 4 to 6"},
		{"limits of a CPU", hostHeader + "define void @k() {\n  ret void\n}\n", "x86-64", func(r *Request) { r.Limits.Block = 1 }, StageCheck, ErrBadRequest, "are for GPUs"},

		// lattice/quda#1476, JuliaGPU/CUDA.jl PR#2180: parameters that do not fit.
		{"parameters of an old processor", params(4100), "sm_60", nil, StageLink, ErrUnsupported,
			`take 4100 bytes (0 "p": 4096, 1 "n": 4); sm_60 has room for 4096`},
		{"parameters of a new processor", params(32768), "sm_90a", nil, StageLink, ErrUnsupported, "take 32768 bytes"},
		{"parameters and an old driver", params(4100), "sm_80", func(r *Request) { r.Limits.PTX = 80 }, StageLink, ErrUnsupported,
			"a parameter block of 4100 bytes needs PTX 8.1, but the device's driver goes up to 8.0"},
		{"parameters and the PTX asked for", params(4100), "nvptx64-nvidia-cuda/sm_80/+ptx78", nil, StageLink, ErrBadRequest, "asks for PTX 7.8, but a parameter block"},

		// triton-lang/triton#5385, gwoltman/gpuowl PR#31: PTX too new for what reads it.
		{"driver", emptyKernel, "sm_90a", func(r *Request) { r.Limits.PTX = 78 }, StageLink, ErrUnsupported, "sm_90a needs PTX 8.0, but the device's driver goes up to 7.8"},
		{"PTX too old", emptyKernel, "nvptx64-nvidia-cuda/sm_90a/+ptx78", nil, StageLink, ErrBadRequest, "the target asks for PTX 7.8, but sm_90a needs 8.0"},

		{"shared memory", ptxHeader + "@s = internal addrspace(3) global [49153 x i8] undef\ndefine ptx_kernel void @k() {\n  store volatile i8 0, ptr addrspace(3) @s\n  ret void\n}\n", "sm_90a", nil,
			StageLink, ErrUnsupported, "declares 49153 bytes of shared memory; sm_90a has room for 49152"},
		{"block", emptyKernel, "sm_80", func(r *Request) { r.Spec.Block = [3]uint32{1025, 1, 1} }, StageLink, ErrUnsupported, "1025 work-items along x"},
		{"block in z", emptyKernel, "sm_80", func(r *Request) { r.Spec.Block = [3]uint32{1, 1, 65} }, StageLink, ErrUnsupported, "65 work-items along z; sm_80 has at most 64"},
		{"block of 2048", emptyKernel, "sm_80", func(r *Request) { r.Spec.Block = [3]uint32{64, 32, 1} }, StageLink, ErrUnsupported, "64 x 32 x 1 work-items"},
		{"block of the device", emptyKernel, "sm_80", func(r *Request) { r.Spec.Block, r.Limits.Block = [3]uint32{513, 1, 1}, 512 }, StageLink, ErrUnsupported, "at most 512"},
		{"cluster", ptxHeader + "define ptx_kernel void @k() \"nvvm.cluster_dim\"=\"2,1,1\" {\n  ret void\n}\n", "sm_80", nil, StageLink, ErrUnsupported, "from sm_90 on"},
		{"large cluster", ptxHeader + "define ptx_kernel void @k() \"nvvm.cluster_dim\"=\"8,4,1\" {\n  ret void\n}\n", "sm_90a", nil, StageLink, ErrUnsupported, "at most 16"},
		{"registers", ptxHeader + "define ptx_kernel void @k() \"nvvm.maxnreg\"=\"300\" {\n  ret void\n}\n", "sm_90a", nil, StageLink, ErrUnsupported, "300 registers"},
		{"intrinsic", ptxHeader + "declare i32 @llvm.nvvm.redux.sync.add(i32, i32)\ndefine ptx_kernel void @k(ptr %p) {\n  %r = call i32 @llvm.nvvm.redux.sync.add(i32 1, i32 -1)\n  store i32 %r, ptr %p\n  ret void\n}\n",
			"sm_75", nil, StageLink, ErrUnsupported, "llvm.nvvm.redux.sync.add, which is there from sm_80 on, not on sm_75"},
		{"intrinsic of AMD's", amdHeader + `declare <4 x float> @llvm.amdgcn.mfma.f32.4x4x1f32(float, float, <4 x float>, i32 immarg, i32 immarg, i32 immarg)
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.4x4x1f32(float 1.0, float 1.0, <4 x float> zeroinitializer, i32 0, i32 0, i32 0)
  store <4 x float> %r, ptr addrspace(1) %p
  ret void
}
`, "gfx1100", nil, StageLink, ErrUnsupported, "which gfx908, gfx90a, gfx942 and gfx950 have and gfx1100 has not"},
		{"no linker", amdHeader + "define amdgpu_kernel void @k() {\n  ret void\n}\n", "gfx90a", func(r *Request) { r.Tools = Tools{} }, StageCheck, ErrMissing, "needs ld.lld of LLVM"},
		{"waves", amdHeader + "define amdgpu_kernel void @k() \"target-cpu\"=\"gfx1100\" {\n  ret void\n}\n", "gfx90a", nil, StageLink, ErrUnsupported,
			"compiled for gfx1100, whose waves have 32 work-items; those of gfx90a have 64"},
		{"waves asked for", amdHeader + "define amdgpu_kernel void @k() \"target-cpu\"=\"gfx90a\" {\n  ret void\n}\n", "amdgcn-amd-amdhsa/gfx1100/+wavefrontsize32", nil, StageLink, ErrUnsupported,
			"waves of 64 work-items (gfx90a), the target asks for 32"},
		{"hidden arguments", amdHeader + `declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %p = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %v = load i16, ptr addrspace(4) %p
  store i16 %v, ptr addrspace(1) %out
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
`, "gfx90a", func(r *Request) { r.Options.CodeObject = 4 }, StageLink, ErrUnsupported, "-mcode-object-version=4"},
		{"open function", amdHeader + "declare void @elsewhere()\ndefine amdgpu_kernel void @k() {\n  call void @elsewhere()\n  ret void\n}\n", "gfx90a", nil, StageLink, ErrUnsupported, "calls elsewhere, which neither"},
		{"open function of NVIDIA's", ptxHeader + "declare void @elsewhere()\ndefine ptx_kernel void @k() {\n  call void @elsewhere()\n  ret void\n}\n", "sm_80", nil, StageLink, ErrUnsupported, "calls elsewhere, which neither"},
		// A fault that LLVM does not return from.
		{"LLVM's fault", ptxHeader + "declare <4 x i32> @llvm.aarch64.neon.sqdmulh.v4i32(<4 x i32>, <4 x i32>)\ndefine ptx_kernel void @k(ptr %p) {\n  %a = load <4 x i32>, ptr %p\n  %r = call <4 x i32> @llvm.aarch64.neon.sqdmulh.v4i32(<4 x i32> %a, <4 x i32> %a)\n  store <4 x i32> %r, ptr %p\n  ret void\n}\n", "sm_60", nil,
			StageGenerate, ErrFault, "LLVM fault"},
		{"PTX that is none", ptxHeader + "define ptx_kernel void @k() {\n  call void asm sideeffect \"bogus %r1;\", \"\"()\n  ret void\n}\n", "sm_80", func(r *Request) { r.Options.Pipeline = "no-such-pass" },
			StageOptimise, ErrBadRequest, "no-such-pass"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			to, err := target.Parse(test.target)
			if err != nil {
				t.Fatal(err)
			}
			use := c
			r := Request{Module: []byte(test.module), Kernel: "k", Target: to}
			if to.Arch() == target.AMDGPU {
				use = linker
				if r.Tools, err = linker.Tools(to); err != nil {
					t.Fatal(err)
				}
			}
			if test.change != nil {
				test.change(&r)
			}
			if llvm.Current().Major < attributeMajor && strings.Contains(test.module, `"nvvm.`) {
				t.Skip("an older LLVM has no such attributes")
			}
			e := failure(t, use, r)
			if e.Stage != test.stage || !errors.Is(e, test.kind) || !strings.Contains(e.Error(), test.want) {
				t.Errorf("stage %s: %v\nwant stage %s, an error that matches %v and has %q", e.Stage, e, test.stage, test.kind, test.want)
			}
		})
	}
}

// Parameters at the limit, and one byte less, compile: by the newer rule PTX
// becomes as new as that takes.
func TestParameterLimits(t *testing.T) {
	c := newCompiler(t, Config{Tools: bare})
	for _, test := range []struct {
		processor string
		bytes     int
		version   string
	}{
		{"sm_60", 4095, "5.0"}, {"sm_60", 4096, "5.0"},
		{"sm_80", 4096, "7.0"}, {"sm_80", 4097, "8.1"}, {"sm_80", 32764, "8.1"}, {"sm_90a", 32763, "8.1"},
	} {
		module := fmt.Sprintf("%sdefine ptx_kernel void @k(ptr byval([%d x i8]) align 1 %%p) {\n  ret void\n}\n", ptxHeader, test.bytes)
		im := mustCompile(t, c, gpuRequest(t, c, []byte(module), "k", test.processor))
		if !strings.Contains(string(im.Payload), ".version "+test.version+"\n") || im.ParamBytes < uint32(test.bytes) {
			t.Errorf("%d bytes on %s: %d bytes in the image, want version %s:\n%.200s", test.bytes, test.processor, im.ParamBytes, test.version, im.Payload)
		}
	}
}

// jax-ml/jax#4452, #989: a kernel that needs the device library says where it
// was looked for; one that does not needs none.
func TestNoDeviceLibrary(t *testing.T) {
	onLLVM22(t)
	empty := t.TempDir()
	c := newCompiler(t, Config{Tools: tool.Search{CUDA: []string{empty}, Path: []string{filepath.Join(empty, "bin")}, Only: true}})
	module := spmdModule(t, "features.sm_80.raw.bc")
	e := failure(t, c, gpuRequest(t, c, module, "f_math", "sm_80"))
	if e.Stage != StageLink || !errors.Is(e, ErrMissing) || !strings.Contains(e.Error(), "__nv_sinf, __nv_expf, __nv_powf") {
		t.Fatalf("error %v", e)
	}
	for _, place := range []string{
		"/nvvm/libdevice/libdevice*.bc", "/lib/python3*/site-packages/nvidia/cu1[0-9]/nvvm/libdevice/libdevice*.bc",
		"/lib/python3*/site-packages/nvidia/cuda_nvcc/nvvm/libdevice/libdevice*.bc",
	} {
		if !strings.Contains(e.Error(), empty+place) {
			t.Errorf("%q does not name %s", e, place)
		}
	}
	im := mustCompile(t, c, gpuRequest(t, c, module, "f_shfl", "sm_80"))
	// marin-community/marin#6636: nor is an assembler needed.
	if im.Format != image.PTX {
		t.Errorf("format %v, want PTX for the driver", im.Format)
	}

	amd := newCompiler(t, Config{Tools: tool.Search{ROCm: []string{empty}, Path: []string{"/usr/lib/llvm-22/bin"}, Only: true}})
	e = failure(t, amd, gpuRequest(t, amd, spmdModule(t, "features.gfx90a.raw.bc"), "f_math", "gfx90a"))
	if !errors.Is(e, ErrMissing) || !strings.Contains(e.Error(), empty+"/amdgcn/bitcode/ocml.bc") || !strings.Contains(e.Error(), "__ocml_sin_f32") {
		t.Errorf("error %v", e)
	}
	mustCompile(t, amd, gpuRequest(t, amd, spmdModule(t, "bench.gfx90a.raw.bc"), "saxpy", "gfx90a"))
}

// script writes a program that stands for an assembler of a CUDA release.
func script(t *testing.T, folder, release, body string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/sh\n# Cuda compilation tools, release " + release + ", V" + release + ".0\n" + body
	if err := os.WriteFile(filepath.Join(folder, "ptxas"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// triton-lang/triton#5385: what is written is no newer than its assembler
// takes. Assemblers too old for the processor are passed over.
func TestAssemblerVersions(t *testing.T) {
	folder := t.TempDir()
	search := func(release string) tool.Search {
		bin := filepath.Join(folder, release)
		script(t, bin, release, "while [ \"$1\" != -o ]; do shift; done\ncp kernel.ptx \"$2\"\necho \"ptxas info    : Compiling entry function 'k' for 'sm_80'\"\n")
		return tool.Search{Path: []string{bin}, Only: true}
	}
	for _, test := range []struct {
		release, processor string
		takes              bool
	}{
		{"11.0", "sm_80", true}, {"10.2", "sm_80", false}, {"11.4", "sm_90", false}, {"11.8", "sm_90", true},
		{"12.0", "sm_90a", true}, {"12.9", "sm_75", true}, {"13.0", "sm_70", false}, {"14.0", "sm_90a", true},
	} {
		c := newCompiler(t, Config{Tools: search(test.release)})
		tools, err := c.Tools(gpuTarget(t, test.processor))
		if err != nil {
			t.Fatal(err)
		}
		if (tools.Assembler.Version == test.release) != test.takes {
			t.Errorf("ptxas %s for %s: %v", test.release, test.processor, tools.Assembler)
		}
	}
	c := newCompiler(t, Config{Tools: search("11.0")})
	module := fmt.Sprintf("%sdefine ptx_kernel void @k(ptr byval([5000 x i8]) %%p) {\n  ret void\n}\n", ptxHeader)
	e := failure(t, c, gpuRequest(t, c, []byte(module), "k", "sm_80"))
	if !strings.Contains(e.Error(), "needs PTX 8.1, but ptxas 11.0 (sha256:") || !strings.Contains(e.Error(), "goes up to 7.0") {
		t.Errorf("error %v", e)
	}
}

// A tool that fails, prints without end, hangs or dies is an error with its log.
func TestBadAssemblers(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"refuses":      {"echo 'ptxas kernel.ptx, line 5; error   : Unknown symbol' >&2; exit 255\n", "line 5; error   : Unknown symbol"},
		"dies":         {"kill -SEGV $$\n", "segmentation fault"},
		"writes none":  {"exit 0\n", "it ended well and wrote nothing"},
		"writes other": {"while [ \"$1\" != -o ]; do shift; done\necho no code > \"$2\"\n", "reading the assembler's output"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			script(t, folder, "12.9", test.body)
			c := newCompiler(t, Config{Tools: tool.Search{Path: []string{folder}, Only: true}})
			e := failure(t, c, gpuRequest(t, c, []byte(emptyKernel), "k", "sm_80"))
			if e.Stage != StageAssemble || !strings.Contains(e.Error(), test.want) {
				t.Errorf("stage %s: %v, want %q", e.Stage, e, test.want)
			}
		})
	}
}

// A request says which tools it is for, and no others serve it.
func TestToolIdentity(t *testing.T) {
	folder := t.TempDir()
	script(t, folder, "12.9", "exit 1\n")
	first := newCompiler(t, Config{Tools: tool.Search{Path: []string{folder}, Only: true}})
	r := gpuRequest(t, first, []byte(emptyKernel), "k", "sm_80")
	script(t, folder, "12.9", "exit 2\n")
	second := newCompiler(t, Config{Tools: tool.Search{Path: []string{folder}, Only: true}})
	e := failure(t, second, r)
	if e.Stage != StageCheck || !errors.Is(e, ErrMissing) || !strings.Contains(e.Error(), r.Tools.Assembler.String()) {
		t.Errorf("error %v", e)
	}
	// modular/modular#6549: another tool at the same path is another key.
	other := gpuRequest(t, second, []byte(emptyKernel), "k", "sm_80")
	if other.Tools.Assembler.Digest == r.Tools.Assembler.Digest || other.Digest() == r.Digest() {
		t.Error("a changed assembler leaves the key as it was")
	}
}

// sirius-db/sirius#1863: one byte of the device library changes the key.
func TestDeviceLibraryInKey(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "nvvm", "libdevice")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var keys [2][32]byte
	for i, text := range []string{"; one", "; two"} {
		if err := os.WriteFile(filepath.Join(folder, "libdevice.10.bc"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		c := newCompiler(t, Config{Tools: tool.Search{CUDA: []string{root}, Only: true}})
		r := gpuRequest(t, c, []byte(emptyKernel), "k", "sm_80")
		keys[i] = r.Digest()
	}
	if keys[0] == keys[1] {
		t.Error("a byte of the device library leaves the key as it was")
	}
}

// Bounds and dims reach the code generator in either of LLVM's forms.
func TestBounds(t *testing.T) {
	c := newCompiler(t, Config{Tools: bare})
	module := ptxHeader + `declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
define ptx_kernel void @k(ptr %p) {
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %s = add i32 %n, %y
  store i32 %s, ptr %p
  ret void
}
`
	for name, test := range map[string]struct {
		spec     specialize.Spec
		has, not []string
	}{
		"free":   {specialize.Spec{}, []string{"%ntid.x", "%tid.y"}, []string{"ntid 1", ".minnctapersm", ".maxntid"}},
		"block":  {specialize.Spec{Block: [3]uint32{128, 1, 1}}, []string{".reqntid 128", "128"}, []string{"%ntid.x", "%tid.y", ".maxntid"}},
		"bounds": {specialize.Spec{MaxBlock: 256, MinBlocks: 4}, []string{".maxntid 256", ".minnctapersm 4", "%ntid.x"}, []string{".reqntid"}},
	} {
		r := gpuRequest(t, c, []byte(module), "k", "sm_80")
		r.Spec = test.spec
		im := mustCompile(t, c, r)
		for _, want := range test.has {
			if !strings.Contains(string(im.Payload), want) {
				t.Errorf("%s: no %q in\n%s", name, want, im.Payload)
			}
		}
		for _, not := range test.not {
			if strings.Contains(string(im.Payload), not) {
				t.Errorf("%s: %q in\n%s", name, not, im.Payload)
			}
		}
		if im.MaxBlock != test.spec.MaxBlock || im.Block != test.spec.Block {
			t.Errorf("%s: block %v, at most %d", name, im.Block, im.MaxBlock)
		}
	}
}
