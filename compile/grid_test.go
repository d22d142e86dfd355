package compile

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/specialize"
)

// A GPU kernel of each target's bitcode gives the same numbers, free and with
// its arguments, block and grid fixed.
func TestGridKernels(t *testing.T) {
	if llvm.Current().Major != 22 {
		t.Skip("the modules are LLVM 22's")
	}
	c := newCompiler(t, Config{})
	const n, size = 1000, 1024
	for _, file := range []string{"bench.sm_80.raw.bc", "bench.gfx90a.raw.bc", "kernels.cl.x86_64.bc", "bench.sm_80.O2.bc"} {
		module, err := os.ReadFile(filepath.Join("..", "testdata", "spmd", file))
		if err != nil {
			t.Fatal(err)
		}
		fixed := specialize.Spec{
			Constants: []specialize.Constant{{Index: 2, Bytes: little(t, float32(2.5))}, {Index: 3, Bytes: little(t, int32(n))}},
			Block:     [3]uint32{256, 1, 1},
			Grid:      [3]uint32{4, 1, 1},
		}
		for name, spec := range map[string]specialize.Spec{"free": {}, "fixed": fixed} {
			t.Run(file+"/"+name, func(t *testing.T) {
				y, x, want := make([]float32, size), make([]float32, size), make([]float32, size)
				for i := range y {
					y[i], x[i] = float32(i), float32(i%7)
					want[i] = y[i]
					if i < n {
						want[i] += 2.5 * x[i]
					}
				}
				im := compile(t, c, Request{Module: module, Kernel: "saxpy", Spec: spec})
				if im.Convention != image.Grid || im.ParamBytes != 24 || im.Block != spec.Block || im.Grid != spec.Grid {
					t.Errorf("image: convention %v, %d bytes of parameters, block %v, grid %v", im.Convention, im.ParamBytes, im.Block, im.Grid)
				}
				params := little(t, address(y), address(x), float32(2.5), int32(n))
				if code := call(t, im, params, [3]uint32{4, 1, 1}, [3]uint32{256, 1, 1}); code != 0 {
					t.Fatalf("entry returned %d", code)
				}
				if diff := cmp.Diff(want, y); diff != "" {
					t.Errorf("y (-want +got):\n%s", diff)
				}
				runtime.KeepAlive(x)
			})
		}
	}
}

// A block size that the kernel requires is fixed without being asked for.
func TestRequiredBlock(t *testing.T) {
	c := newCompiler(t, Config{})
	module := []byte(`
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr %out) "nvvm.reqntid"="32,2,1" {
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  store i32 %n, ptr %out
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
`)
	im := compile(t, c, Request{Module: module, Kernel: "k"})
	if want := [3]uint32{32, 2, 1}; im.Block != want {
		t.Errorf("Block = %v, want %v", im.Block, want)
	}
}

// An aggregate parameter lies in the block, whatever the target, and can be
// fixed as a whole.
func TestAggregates(t *testing.T) {
	if llvm.Current().Major != 22 {
		t.Skip("the modules are LLVM 22's")
	}
	c := newCompiler(t, Config{})
	for _, file := range []string{"features.sm_80.raw.bc", "features.gfx90a.raw.bc"} {
		module, err := os.ReadFile(filepath.Join("..", "testdata", "spmd", file))
		if err != nil {
			t.Fatal(err)
		}
		for name, fix := range map[string]bool{"free": false, "fixed": true} {
			t.Run(file+"/"+name, func(t *testing.T) {
				out, want := make([]float32, 8), make([]float32, 8)
				for i := range want {
					x := float32(i)
					want[i] = (3*x+2)*x + 1
				}
				argument := little(t, [8]float32{3, 2, 1}, int32(2), 4, address(out))
				params := slices.Clone(argument)
				var spec specialize.Spec
				if fix {
					spec.Constants = []specialize.Constant{{Index: 0, Bytes: argument}}
					clear(params)
				}
				im := compile(t, c, Request{Module: module, Kernel: "f_byval", Spec: spec})
				if code := call(t, im, params, once, [3]uint32{8, 1, 1}); code != 0 {
					t.Fatalf("entry returned %d", code)
				}
				if diff := cmp.Diff(want, out); diff != "" {
					t.Errorf("out (-want +got):\n%s", diff)
				}
			})
		}
	}
}
