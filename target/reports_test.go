package target

import (
	"strings"
	"testing"
)

// HSAFoundation/CLOC#24, lamikr/rocm_sdk_builder#180, ROCm/legacy-rocm-build#2358,
// llvm/llvm-project#57124: one chip had another name in each library, and a name
// that nobody knew was "ignored". Names of one machine give equal targets, names
// of different ones different targets, and each is known to LLVM 19 and 22.
func TestReport2358NamesOfOneMachine(t *testing.T) {
	machines := [][]string{
		{"gfx906", "amdgcn-amd-amdhsa/gfx906", "amdgcn-amd-amdhsa--gfx906", "hip-amdgcn-amd-amdhsa--gfx906", "hipv4-amdgcn-amd-amdhsa--gfx906",
			"openmp-amdgcn-amd-amdhsa--gfx906", "amdgcn-amd-amdhsa-gfx906", "amdgcn-amd-amdhsa-unknown-gfx906",
			"hipv4-amdgcn-amd-amdhsa-unknown-gfx906"},
		{"gfx906:xnack-", "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-", "amdgcn-amd-amdhsa/gfx906/-xnack", "amdgcn-amd-amdhsa/gfx906:xnack+/-xnack"},
		{"gfx906:xnack+", "amdgcn-amd-amdhsa/gfx906/+xnack"},
		{"gfx906:sramecc+:xnack-", "gfx906:xnack-:sramecc+", "amdgcn-amd-amdhsa--gfx906:xnack-:sramecc+",
			"amdgcn-amd-amdhsa/gfx906/-xnack,+sramecc", "amdgcn-amd-amdhsa/gfx906:sramecc+/-xnack"},
		{"gfx906:sramecc-:xnack-"},
		{"gfx803", "fiji", "polaris10"},
		{"gfx90a"}, {"gfx90c"}, {"gfx900"}, {"gfx1100"}, {"gfx1101"}, {"gfx9-generic"},
		{"sm_80", "nvptx64-nvidia-cuda/sm_80", "nvptx64-nvidia-cuda--sm_80", "openmp-nvptx64-nvidia-cuda--sm_80",
			"openmp-nvptx64-nvidia-cuda-unknown-sm_80"},
		{"sm_90"}, {"sm_90a"},
		{"nvptx64-nvidia-cuda/sm_80/+ptx78", "nvptx64-nvidia-cuda/sm_80/+ptx78,+ptx78"},
		{"skylake-avx512", "skx", "x86_64-pc-linux-gnu/skx", "amd64-unknown-linux-gnu/skylake-avx512"},
		{"x86_64-unknown-linux-gnu/skx/+fma,-avx", "x86_64-linux-gnu/skx/-avx,+fma", "x86_64-linux-gnu/skx/+avx,+fma,-avx"},
		{"x86-64", "x86_64", "x86_64-unknown-linux-gnu"},
	}
	seen := map[Target]string{}
	for _, names := range machines {
		first, err := Parse(names[0])
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[first]; ok {
			t.Errorf("%s and %s are both %s", other, names[0], first)
		}
		seen[first] = names[0]
		for _, name := range names {
			if got, err := Parse(name); err != nil || got != first {
				t.Errorf("%s: %v, %v; want that of %s, %v", name, got, err, names[0], first)
			}
		}
		if strings.Contains(first.Processor, ":") {
			t.Errorf("%s: the settings are part of the processor %q", names[0], first.Processor)
		}
		for _, major := range []int{19, 22} {
			if err := first.Validate(major); err != nil {
				t.Errorf("%s: %v", names[0], err)
			}
		}
	}
}

// The same reports: what no LLVM knows is refused by Parse or by Validate, with
// the name in the error, and never becomes something else.
func TestReport57124UnknownNames(t *testing.T) {
	for _, name := range []string{
		"gfx9O6", "GFX906", "gfx906 ", " gfx906", "gfx-906", "gfx906a", "gfx90", "gfx", "vega99", "sm80", "sm_8O", "SM_80", "compute_80", "sm_80a",
		"gfx906:xnack", "gfx906:+xnack", "gfx906:xnack=on", "gfx906::xnack-", "gfx906:sramecc", "gfx906:wavefrontsize64-", "gfx906:xnack-:xnack-",
		"gfx1100:xnack+", "gfx1100:sramecc-", "gfx803:xnack+", "sm_80:xnack-", "amdgcn-amd-amdhsa/gfx906/xnack-", "amdgcn-amd-amdhsa/gfx906/+xnak",
		"amdgcn-amd-amdhsa/sm_80", "nvptx64-nvidia-cuda/gfx906", "nvptx64-nvidia-cuda/sm_80/+ptx7", "x86_64-linux-gnu/skylake-avx51", "x86-64-v5",
		"x86_64-linux-gnu/generic/+avx-512f", "armv9/gfx906", "amdgcn-amd-amdhsa/", "amdgcn-amd-amdhsa/gfx906,gfx908", "gfx906;gfx908", "native2",
	} {
		got, err := Parse(name)
		if err == nil {
			for _, major := range []int{19, 22} {
				if err = got.Validate(major); err == nil {
					t.Errorf("%q is taken as %v by LLVM %d", name, got, major)
				}
			}
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error has several lines: %v", name, err)
		}
	}
}
