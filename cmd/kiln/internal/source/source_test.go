package source

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/target"
)

func TestLanguageOf(t *testing.T) {
	for path, want := range map[string]Language{
		"a.c": C, "dir.cu/a.CU": CUDA, "a.hip": HIP, "a.cl": OpenCL, "a.bc": Module, "a.ll": Module, "a": Module, "c": Module,
	} {
		if got := LanguageOf(path); got != want {
			t.Errorf("LanguageOf(%q) = %v, want %v", path, got, want)
		}
	}
}

const device = `
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
struct Config { float scale; int n; };
__constant__ float table[4] = {1, 2, 3, 4};
template <typename T> __device__ T twice(T v) { return v + v; }
extern "C" __global__ void __launch_bounds__(256) kernel_under_test(float *out, Config config, uint8_t *bytes) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  dim3 size = gridDim;
  if (i >= (unsigned)config.n) return;
  float4 v = make_float4(sinf(out[i]), powf(config.scale, 2.0f), fmaf(out[i], 2.f, 1.f), sqrt(2.0));
  out[i] = v.x + v.y + v.z + v.w + table[i & 3] + twice(max(1.0f, out[i])) + rsqrtf(out[i]) + size.y + warpSize;
  bytes[i] = (uint8_t)min(i, 255u);
  if (i == 0) atomicAdd(&out[1], 1.0f);
}
`

// TestCompile compiles one source a language and looks for the kernel and its
// calling convention in the disassembly.
func TestCompile(t *testing.T) {
	opencl := "kernel void kernel_under_test(global float *out) { out[get_global_id(0)] = native_sqrt(2.0f); }\n"
	tests := []struct{ name, text, want string }{
		{"k.cu", device, "ptx_kernel void @kernel_under_test(ptr noundef %out"},
		{"k.hip", strings.ReplaceAll(device, "cuda_runtime.h", "hip/hip_runtime.h"), "amdgpu_kernel void @kernel_under_test("},
		{"k.cl", opencl, "spir_kernel void @kernel_under_test("},
		{"k.c", "#include <math.h>\ndouble kernel_under_test(double x) { return sqrt(x); }\n", "double @kernel_under_test(double noundef %x)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.name)
			if err := os.WriteFile(path, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			var warned string
			bitcode, err := Compile(context.Background(), path, target.Target{}, func(text string) { warned += text })
			if err != nil {
				t.Fatal(err)
			}
			if warned != "" {
				t.Errorf("clang warned:\n%s", warned)
			}
			if !bytes.HasPrefix(bitcode, []byte("BC\xc0\xde")) {
				t.Fatalf("no bitcode: %q", bitcode[:min(len(bitcode), 8)])
			}
			again, err := Compile(context.Background(), path, target.Target{}, nil)
			if err != nil || !bytes.Equal(bitcode, again) {
				t.Errorf("a second compile differs (%v), so that nothing would be found in the cache", err)
			}
			command := exec.Command("llvm-dis-22", "-o", "-")
			command.Stdin = bytes.NewReader(bitcode)
			text, err := command.Output()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(text, []byte(tt.want)) {
				t.Errorf("no %q in\n%s", tt.want, text)
			}
			if bytes.Contains(text, []byte("optnone")) {
				t.Error("the bitcode forbids optimisation")
			}
		})
	}
}

func TestCompileErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.c")
	if err := os.WriteFile(path, []byte("int f(void) { return g; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	bitcode, err := Compile(context.Background(), path, target.Target{}, nil)
	var refused *Error
	if !errors.As(err, &refused) || bitcode != nil || !strings.Contains(refused.Log, "undeclared identifier 'g'") {
		t.Errorf("Compile = %d bytes, %v, want clang's own words", len(bitcode), err)
	}
	if _, err := Compile(context.Background(), path+"x.c", target.Target{}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compile(ctx, path, target.Target{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Compile(context.Background(), path, target.Target{}, nil); !errors.Is(err, ErrNoClang) || !strings.Contains(err.Error(), "apt-get install clang-22") {
		t.Errorf("without clang: %v", err)
	}
}

func TestLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path := filepath.Join(t.TempDir(), "k.cu")
	if err := os.WriteFile(path, []byte("__global__ void k() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(context.Background(), path, target.Target{}, nil); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
