package image

import (
	"errors"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/target"
)

func parse(t *testing.T, s string) target.Target {
	t.Helper()
	got, err := target.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestChoose(t *testing.T) {
	for _, tc := range []struct{ file, target, want string }{
		{"nvidia/plain.fatbinary13.0.fatbin", "sm_80", "cubin sm_80"},
		{"nvidia/plain.fatbinary13.0.fatbin", "sm_86", "cubin sm_80"},
		{"nvidia/plain.fatbinary13.0.fatbin", "sm_90", "cubin sm_90a"},
		{"nvidia/plain.fatbinary13.0.fatbin", "sm_100", "PTX text sm_80"},
		{"nvidia/size.fatbinary13.0.fatbin", "sm_120", "PTX text sm_80"},
		{"nvidia/family.fatbinary13.0.fatbin", "sm_103", "cubin sm_100f"},
		{"elf/cuda.nvcc13.0.o", "sm_100", "PTX text sm_90"},
		{"bundle/plain.bundler22.hipfb", "gfx1100", "AMDGPU object hipv4-amdgcn-amd-amdhsa--gfx1100"},
		{"bundle/zstd.bundler22.hipfb", "gfx900:xnack-", "AMDGPU object hipv4-amdgcn-amd-amdhsa--gfx900:xnack-"},
		{"bundle/zstd.bundler19.hipfb", "gfx900", "AMDGPU object hipv4-amdgcn-amd-amdhsa--gfx900:xnack-"},
		{"elf/hip.clang16.o", "gfx900:xnack+", "AMDGPU object hipv4-amdgcn-amd-amdhsa--gfx900"},
		{"elf/openmp.clang22.o", "x86_64-unknown-linux-gnu/znver4", "ELF x86_64-pc-linux-gnu generic"},
		{"elf/openmp.clang16.exe", "x86_64-unknown-linux-gnu/znver4", "bitcode x86_64-pc-linux-gnu"},
		{"elf/openmp-gpu.clang22.exe", "gfx90a:xnack-", "bitcode amdgcn-amd-amdhsa gfx90a"},
		{"offload/packager16.bin", "sm_89", "cubin nvptx64-nvidia-cuda sm_80"},
	} {
		found, err := mustOpen(t, imageFile(t, tc.file)).Choose(parse(t, tc.target))
		if err != nil {
			t.Errorf("%s for %s: %v", tc.file, tc.target, err)
			continue
		}
		if got := found.Part.Kind.String() + " " + found.Part.Label; got != tc.want {
			t.Errorf("%s for %s: %s; want %s", tc.file, tc.target, got, tc.want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, tc := range []struct {
		kind     Kind
		is, want string
		ok       bool
	}{
		{Cubin, "sm_80", "sm_80", true},
		{Cubin, "sm_80", "sm_89", true},
		{Cubin, "sm_86", "sm_80", false},
		{Cubin, "sm_80", "sm_90", false},
		{Cubin, "sm_90a", "sm_90", true},
		{Cubin, "sm_90a", "sm_90a", true},
		{Cubin, "sm_100a", "sm_103", false},
		{Cubin, "nvptx64-nvidia-cuda/sm_100f", "sm_103", true},
		{Cubin, "nvptx64-nvidia-cuda/sm_100f", "sm_120", false},
		{PTXText, "sm_50", "sm_120", true},
		{PTXText, "sm_90", "sm_80", false},
		{PTXText, "sm_90a", "sm_100", false},
		{Bitcode, "sm_80", "sm_90", true},
		{LTOIR, "sm_80", "sm_80", false},
		{AMDGPUObject, "gfx90a", "gfx90a:xnack+", true},
		{AMDGPUObject, "gfx90a:xnack-", "gfx90a:xnack+", false},
		{AMDGPUObject, "gfx90a:sramecc+", "gfx90a:sramecc+:xnack-", true},
		{AMDGPUObject, "gfx90a", "gfx942", false},
		{AMDGPUObject, "amdgcn-amd-amdhsa/gfx9-generic", "gfx906:xnack-", true},
		{AMDGPUObject, "amdgcn-amd-amdhsa/gfx9-generic", "gfx90a", false},
		{AMDGPUObject, "amdgcn-amd-amdhsa/gfx11-generic", "gfx1151", true},
		{Bitcode, "gfx90a", "gfx90a", true},
		{ELF, "x86-64-v3", "znver4", true},
		{ELF, "x86-64-v3", "neoverse-v2", false},
		{Cubin, "sm_80", "gfx90a", false},
	} {
		if got := fit(tc.kind, parse(t, tc.is), parse(t, tc.want)) > 0; got != tc.ok {
			t.Errorf("%s for %s on %s: %v; want %v", tc.kind, tc.is, tc.want, got, tc.ok)
		}
	}
	if n := fit(ELF, target.Target{}, target.Target{}); n != 0 {
		t.Errorf("no target fits no target by %d", n)
	}
}

// The more of the target ID an image fixes rightly, the better; machine code
// for the processor itself goes before generic code.
func TestChooseTakesTheNearest(t *testing.T) {
	code := imageFile(t, "amdgpu/gfx900.v4.clang22.co")
	b, err := EncodeBundle([]BundleEntry{
		{ID: "hip-amdgcn-amd-amdhsa--gfx9-generic", Data: code},
		{ID: "hip-amdgcn-amd-amdhsa--gfx906", Data: code},
		{ID: "hip-amdgcn-amd-amdhsa--gfx906:xnack-", Data: code},
		{ID: "hip-amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-", Data: code},
	}, 8)
	if err != nil {
		t.Fatal(err)
	}
	for device, want := range map[string]string{
		"gfx900": "gfx9-generic", "gfx906:xnack+": "gfx906", "gfx906:xnack-": "gfx906:xnack-",
		"gfx906:sramecc+:xnack-": "gfx906:sramecc+:xnack-", "gfx906:sramecc-:xnack-": "gfx906:xnack-",
	} {
		found, err := mustOpen(t, b).Choose(parse(t, device))
		if err != nil || !strings.HasSuffix(found.Part.Label, "--"+want) {
			t.Errorf("%s: %v, %v; want %s", device, found, err, want)
		}
	}
}

// llvm/llvm-project#60221: an image for another architecture was passed over in
// silence. The error names what is wanted and what is there.
func TestReport60221WrongArchitectureIsNamed(t *testing.T) {
	for _, tc := range []struct {
		file, target string
		want         []string
	}{
		{"elf/hip.clang22.o", "gfx90a:xnack+", []string{"amdgcn-amd-amdhsa/gfx90a/+xnack", "AMDGPU object for gfx1100", "AMDGPU object for gfx900"}},
		{"bundle/plain.bundler19.hipfb", "gfx900:xnack+", []string{"gfx900/+xnack", "gfx900/-xnack", "gfx1100"}},
		{"elf/cuda.clang19.o", "sm_75", []string{"nvptx64-nvidia-cuda/sm_75", "cubin for sm_80"}},
		{"elf/lto.nvcc13.0.o", "sm_80", []string{"LTO IR for sm_80"}},
		{"elf/plain.gcc.o", "sm_80", []string{"this ELF holds nothing"}},
	} {
		found, err := mustOpen(t, imageFile(t, tc.file)).Choose(parse(t, tc.target))
		if found != nil || !errors.Is(err, ErrNoImage) {
			t.Errorf("%s for %s: %v, %v", tc.file, tc.target, found, err)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s for %s: %v; it does not say %q", tc.file, tc.target, err, want)
			}
		}
	}
}

// llvm/llvm-project#148703: an image for sm_120 was rejected by a check that did
// not know the number. A number no list has is compared like any other.
func TestReport148703NewNumbersNeedNoList(t *testing.T) {
	b := imageFile(t, "nvidia/sm_120a.ptxas12.9.cubin")
	if got := mustOpen(t, b).Target.Processor; got != "sm_120a" {
		t.Errorf("%s", got)
	}
	// The header's number in the second byte of the flags.
	b[49] = 231
	b[48] &^= cubinArchOnlyNew
	f := mustOpen(t, b)
	if f.Target.Processor != "sm_231" {
		t.Fatalf("%v", f.Target)
	}
	if fit(f.Kind, f.Target, target.Target{Triple: "nvptx64-nvidia-cuda", Processor: "sm_233"}) == 0 {
		t.Error("sm_231 does not run on sm_233")
	}
}

// A damaged part is named where nothing else fits, and only there.
func TestChooseNamesDamage(t *testing.T) {
	good := imageFile(t, "amdgpu/gfx900.v4.clang22.co")
	bad := append([]byte(nil), good[:1000]...)
	b, err := EncodeBundle([]BundleEntry{{ID: "hip-amdgcn-amd-amdhsa--gfx90a", Data: bad}, {ID: "hip-amdgcn-amd-amdhsa--gfx900", Data: good}}, 8)
	if err != nil {
		t.Fatal(err)
	}
	f := mustOpen(t, b)
	if found, err := f.Choose(parse(t, "gfx900")); err != nil || !strings.HasSuffix(found.Part.Label, "gfx900") {
		t.Errorf("%v, %v", found, err)
	}
	found, err := f.Choose(parse(t, "gfx90a"))
	if found != nil || !errors.Is(err, ErrNoImage) || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "gfx90a") || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("%v, %v", found, err)
	}
}
