package compile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// cuda returns the folder of one release of NVIDIA's wheels, "cuda12" or
// "cuda13". Where set-up could not fetch them the test is skipped.
func cuda(t testing.TB, release string) string {
	t.Helper()
	out, err := exec.Command("../scripts/setup", "tools").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(strings.TrimSpace(string(out)), release)
	if _, err := os.Stat(filepath.Join(folder, "complete")); err != nil {
		t.Skipf("NVIDIA's wheels are not here, scripts/setup test fetches them from the Python package index: %v", err)
	}
	return folder
}

// amdLibraries skips a test where AMD's device libraries are not installed.
func amdLibraries(t testing.TB) {
	t.Helper()
	search := tool.Search{}
	if found := search.DeviceLibs(); len(found.Tools) == 0 {
		t.Skipf("AMD's device libraries are not here, scripts/setup test installs the package rocm-device-libs: %s", found.Missing())
	}
}

func gpuTarget(t testing.TB, s string) target.Target {
	t.Helper()
	out, err := target.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// gpuRequest is a request for a GPU with the tools that c finds.
func gpuRequest(t testing.TB, c *Compiler, module []byte, kernel, processor string) Request {
	t.Helper()
	to := gpuTarget(t, processor)
	tools, err := c.Tools(to)
	if err != nil {
		t.Fatal(err)
	}
	return Request{Module: module, Kernel: kernel, Target: to, Toolchain: c.Toolchain(), Tools: tools}
}

func mustCompile(t testing.TB, c *Compiler, r Request) *image.Image {
	t.Helper()
	im, err := c.Compile(t.Context(), r)
	if err != nil {
		t.Fatalf("%s for %s: %+v", r.Kernel, r.Target, err)
	}
	return im
}

func spmdModule(t testing.TB, name string) []byte {
	t.Helper()
	module, err := os.ReadFile(filepath.Join("..", "testdata", "spmd", name))
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// fixAll fixes every number of a kernel, its block and its grid.
func fixAll(k *image.Kernel) specialize.Spec {
	spec := specialize.Spec{Block: k.ReqdBlock, Grid: [3]uint32{16, 16, 1}}
	if spec.Block == ([3]uint32{}) {
		spec.Block = [3]uint32{256, 1, 1}
		if strings.HasPrefix(k.Name, "matmul") || k.Name == "stencil7" {
			spec.Block = [3]uint32{16, 16, 1}
		}
	}
	for i := range k.Params {
		switch k.Params[i].Type {
		case "i32":
			spec.Constants = append(spec.Constants, specialize.Constant{Index: i, Bytes: binary.LittleEndian.AppendUint32(nil, 256)})
		case "float":
			spec.Constants = append(spec.Constants, specialize.Constant{Index: i, Bytes: []byte{0, 0, 0x20, 0x40}})
		}
	}
	return spec
}

// kernelOf returns what an image's payload says of its one kernel.
func kernelOf(t testing.TB, im *image.Image) image.KernelCode {
	t.Helper()
	f, err := image.Open(im.Payload)
	if err != nil {
		t.Fatalf("%s: %v", im.Kernel, err)
	}
	kernels, err := f.Kernels()
	if err != nil {
		t.Fatalf("%s: %v", im.Kernel, err)
	}
	if len(kernels) != 1 || kernels[0].Name != im.Entry {
		t.Fatalf("%s: the payload has kernels %+v, want %q alone", im.Kernel, kernels, im.Entry)
	}
	// The header of a newer cubin has no letter.
	if processor := f.Target.Processor; processor != im.Target.Processor && processor != strings.TrimRight(im.Target.Processor, "af") {
		t.Errorf("%s: the payload is for %s", im.Kernel, f.Target)
	}
	return kernels[0]
}

// checkParams holds the payload's layout of the parameters against the kernel's.
func checkParams(t testing.TB, k *image.Kernel, code *image.KernelCode) {
	t.Helper()
	var seen []image.CodeParam
	for _, p := range code.Params {
		if !p.Hidden {
			seen = append(seen, p)
		}
	}
	if len(seen) != len(k.Params) {
		t.Errorf("%s: the payload has %d parameters, want %d", k.Name, len(seen), len(k.Params))
		return
	}
	for i, p := range seen {
		if p.Offset != k.Params[i].Offset || p.Size != k.Params[i].Size {
			t.Errorf("%s: parameter %d lies at %d and has %d bytes, want %d and %d", k.Name, i, p.Offset, p.Size, k.Params[i].Offset, k.Params[i].Size)
		}
	}
}

// forms are a kernel as it is, and with all fixed that can be.
func forms(k *image.Kernel) map[string]specialize.Spec {
	return map[string]specialize.Spec{"generic": {}, "specialised": fixAll(k)}
}

// eachKernel calls fn for each kernel of a module in both forms; of the many
// small ones, whose tests are of single features, in one or the other.
func eachKernel(t *testing.T, c *Compiler, module []byte, processor string, fn func(k *image.Kernel, form string, spec specialize.Spec)) {
	t.Helper()
	s, err := c.Summarise(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Kernels {
		for form, spec := range forms(&s.Kernels[i]) {
			if strings.HasPrefix(s.Kernels[i].Name, "f_") && (form == "generic") != (i%2 == len(processor)%2) {
				continue
			}
			fn(&s.Kernels[i], form, spec)
		}
	}
}

func onLLVM22(t *testing.T) {
	t.Helper()
	if llvm.Current().Major != 22 {
		t.Skip("the modules are LLVM 22's")
	}
}

// Every kernel becomes PTX that NVIDIA's assemblers take, for each generation
// of processors, by either tool.
func TestCubins(t *testing.T) {
	onLLVM22(t)
	shared := map[string]uint32{"matmul_tiled": 2048, "reduce_block": 1024, "f_atomics": 8, "histogram": 1024}
	for _, test := range []struct{ processor, release, assembler string }{
		{"sm_80", "cuda12", tool.NVJitLink},
		{"sm_90a", "cuda12", tool.PTXAS},
		{"sm_100a", "cuda13", tool.NVJitLink},
		{"sm_120a", "cuda13", tool.NVJitLink},
	} {
		t.Run(test.processor, func(t *testing.T) {
			t.Parallel()
			c := newCompiler(t, Config{Tools: tool.Search{CUDA: []string{cuda(t, test.release)}, Only: true, Assembler: test.assembler}})
			for _, file := range []string{"bench.sm_80.raw.bc", "features.sm_80.raw.bc"} {
				module := spmdModule(t, file)
				eachKernel(t, c, module, test.processor, func(k *image.Kernel, form string, spec specialize.Spec) {
					r := gpuRequest(t, c, module, k.Name, test.processor)
					r.Spec = spec
					if r.Tools.Assembler.Name != test.assembler || r.Tools.Library.Name != tool.Libdevice {
						t.Fatalf("tools %v", r.Tools)
					}
					im := mustCompile(t, c, r)
					code := kernelOf(t, im)
					checkParams(t, k, &code)
					if im.Format != image.CubinCode || im.Convention != image.Grid || im.ParamBytes != k.ParamBytes {
						t.Errorf("%s: format %v, convention %v, %d bytes of parameters", k.Name, im.Format, im.Convention, im.ParamBytes)
					}
					if code.ReqdBlock != im.Block || im.Block != spec.Block || im.Grid != spec.Grid {
						t.Errorf("%s %s: block %v in the image, %v in its code, want %v", k.Name, form, im.Block, code.ReqdBlock, spec.Block)
					}
					res := im.Resources
					if res.Wave != 32 || res.Registers == 0 || res.Registers != code.Registers || res.SpillBytes != 0 {
						t.Errorf("%s: resources %+v, code %+v", k.Name, res, code)
					}
					if want, ok := shared[k.Name]; ok && res.SharedBytes&^1024|want != res.SharedBytes|want {
						t.Errorf("%s: %d bytes of shared memory, want %d", k.Name, res.SharedBytes, want)
					}
				})
			}
		})
	}
}

// Without an assembler the PTX is handed on, of the version that the processor
// needs and no later one.
func TestPTX(t *testing.T) {
	onLLVM22(t)
	c := newCompiler(t, Config{Tools: tool.Search{CUDA: []string{cuda(t, "cuda12")}, Only: true, Assembler: "none"}})
	for processor, version := range map[string]string{"sm_50": "6.0", "sm_80": "7.0", "sm_90a": "8.0", "sm_120a": "8.7"} {
		for _, kernel := range []string{"saxpy", "reduce_block", "poly"} {
			r := gpuRequest(t, c, spmdModule(t, "bench.sm_80.raw.bc"), kernel, processor)
			if !r.Tools.Assembler.IsZero() {
				t.Fatalf("assembler %v", r.Tools.Assembler)
			}
			im := mustCompile(t, c, r)
			want := version
			if processor == "sm_50" && kernel != "reduce_block" {
				want = "4.0"
			}
			if !bytes.Contains(im.Payload, []byte("\n.version "+want+"\n.target "+processor+"\n")) || im.Format != image.PTX {
				t.Errorf("%s for %s: format %v, want version %s:\n%.200s", kernel, processor, im.Format, want, im.Payload)
			}
			if im.Payload[len(im.Payload)-1] == 0 {
				t.Errorf("%s: a zero ends the PTX", kernel)
			}
			kernelOf(t, im)
		}
	}
}

// Every kernel becomes a code object whose notes say what the kernel is, and
// that leaves nothing open.
func TestCodeObjects(t *testing.T) {
	onLLVM22(t)
	amdLibraries(t)
	for _, processor := range []string{"gfx90a", "gfx942", "gfx1100", "gfx1201"} {
		t.Run(processor, func(t *testing.T) {
			t.Parallel()
			c := newCompiler(t, Config{})
			for _, file := range []string{"bench.gfx90a.raw.bc", "features.gfx90a.raw.bc", "kernels.cl.amdgcn.bc"} {
				if strings.HasPrefix(file, "kernels.cl") && processor != "gfx90a" && processor != "gfx1201" {
					continue
				}
				module := spmdModule(t, file)
				eachKernel(t, c, module, processor, func(k *image.Kernel, form string, spec specialize.Spec) {
					r := gpuRequest(t, c, module, k.Name, processor)
					r.Spec = spec
					im, err := c.Compile(t.Context(), r)
					if k.Name == "f_heap" {
						if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "calls malloc, which neither") {
							t.Errorf("f_heap: %v", err)
						}
						return
					}
					if err != nil {
						t.Errorf("%s %s: %+v", k.Name, form, err)
						return
					}
					checkCodeObject(t, k, spec, im)
				})
			}
		})
	}
}

func checkCodeObject(t *testing.T, k *image.Kernel, spec specialize.Spec, im *image.Image) {
	t.Helper()
	code := kernelOf(t, im)
	checkParams(t, k, &code)
	end := uint32(0)
	for i := range k.Params {
		end = k.Params[i].Offset + k.Params[i].Size
	}
	if im.Format != image.CodeObject || code.Symbol != k.Name+".kd" || code.ParamBytes < end {
		t.Errorf("%s: format %v, symbol %q, %d bytes of arguments", k.Name, im.Format, code.Symbol, code.ParamBytes)
	}
	block := spec.Block
	if block == ([3]uint32{}) {
		block = k.ReqdBlock
	}
	if code.ReqdBlock != block || im.Block != block {
		t.Errorf("%s: block %v in the image, %v in its code, want %v", k.Name, im.Block, code.ReqdBlock, block)
	}
	if block != ([3]uint32{}) && code.MaxBlock != block[0]*block[1]*block[2] {
		t.Errorf("%s: at most %d work-items a block, want the %v there are", k.Name, code.MaxBlock, block)
	}
	// What the module was made for, since its code counts on it.
	if code.Wavefront != 64 || im.Resources.Wave != 64 {
		t.Errorf("%s: waves of %d work-items, want 64", k.Name, code.Wavefront)
	}
	r := im.Resources
	if r.Registers != code.Registers || r.Scalars != code.Scalars || r.SharedBytes != code.SharedBytes || r.SpillBytes != code.Spills*4 {
		t.Errorf("%s: resources %+v, code %+v", k.Name, r, code)
	}
	if undefined := undefinedSymbols(t, im.Payload); len(undefined) > 0 {
		t.Errorf("%s: %q are open", k.Name, undefined)
	}
}
