package target

import (
	"errors"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]Target{
		"sm_80":                                   {tripleNVPTX, "sm_80", ""},
		"sm_90a":                                  {tripleNVPTX, "sm_90a", ""},
		"gfx90a":                                  {tripleAMDGPU, "gfx90a", ""},
		"gfx940":                                  {tripleAMDGPU, "gfx940", ""},
		"gfx9-4-generic":                          {tripleAMDGPU, "gfx9-4-generic", ""},
		"gfx90a:xnack-:sramecc+":                  {tripleAMDGPU, "gfx90a", "+sramecc,-xnack"},
		"gfx90a:sramecc+:xnack-":                  {tripleAMDGPU, "gfx90a", "+sramecc,-xnack"},
		"gfx90a:xnack+":                           {tripleAMDGPU, "gfx90a", "+xnack"},
		"fiji":                                    {tripleAMDGPU, "gfx803", ""},
		"znver4":                                  {tripleX86_64, "znver4", ""},
		"x86-64-v3":                               {tripleX86_64, "x86-64-v3", ""},
		"skx":                                     {tripleX86_64, "skylake-avx512", ""},
		"neoverse-v2":                             {tripleAArch64, "neoverse-v2", ""},
		"apple-m2":                                {tripleAArch64, "apple-a15", ""},
		"x86_64":                                  {tripleX86_64, "x86-64", ""},
		"x86_64-pc-linux-gnu":                     {tripleX86_64, "x86-64", ""},
		"x86_64-linux-gnu":                        {tripleX86_64, "x86-64", ""},
		"x86_64-redhat-linux":                     {tripleX86_64, "x86-64", ""},
		"amd64-unknown-linux-gnu-":                {tripleX86_64, "x86-64", ""},
		"x86_64-alpine-linux-musl":                {"x86_64-unknown-linux-musl", "x86-64", ""},
		"x86_64-pc-windows-msvc":                  {"x86_64-pc-windows-msvc", "x86-64", ""},
		"x86_64--windows":                         {"x86_64-unknown-windows", "x86-64", ""},
		"arm64-linux":                             {tripleAArch64, "generic", ""},
		"nvptx64-nvidia-cuda":                     {tripleNVPTX, "sm_30", ""},
		"nvptx64":                                 {tripleNVPTX, "sm_30", ""},
		"nvptx64-nvidia-nvcl":                     {"nvptx64-nvidia-nvcl", "sm_30", ""},
		"amdgcn-amd-amdhsa":                       {tripleAMDGPU, "generic-hsa", ""},
		"amdgcn-amd-amdhsa--":                     {tripleAMDGPU, "generic-hsa", ""},
		"amdgcn-amd-amdpal":                       {"amdgcn-amd-amdpal", "generic", ""},
		"amdgcn-amd-amdhsa--gfx90a:xnack-":        {tripleAMDGPU, "gfx90a", "-xnack"},
		"amdgcn-amd-amdhsa-gfx90a":                {tripleAMDGPU, "gfx90a", ""},
		"amdgcn-amd-amdhsa--gfx10-3-generic":      {tripleAMDGPU, "gfx10-3-generic", ""},
		"hip-amdgcn-amd-amdhsa--gfx906":           {tripleAMDGPU, "gfx906", ""},
		"hipv4-amdgcn-amd-amdhsa--gfx906:xnack+":  {tripleAMDGPU, "gfx906", "+xnack"},
		"openmp-nvptx64-nvidia-cuda--sm_80":       {tripleNVPTX, "sm_80", ""},
		"nvptx64-nvidia-cuda-sm_80":               {tripleNVPTX, "sm_80", ""},
		"x86_64-pc-linux-gnu/znver4":              {tripleX86_64, "znver4", ""},
		"x86_64-pc-linux-gnu/znver4/":             {tripleX86_64, "znver4", ""},
		"x86_64-unknown-linux-gnu/skx/+fma,-avx":  {tripleX86_64, "skylake-avx512", "-avx,+fma"},
		"x86_64-unknown-linux-gnu/x/+a,-b,-a,+b":  {tripleX86_64, "x", "-a,+b"},
		"amdgcn-amd-amdhsa/gfx90a:xnack-/+xnack":  {tripleAMDGPU, "gfx90a", "+xnack"},
		"amdgcn-amd-amdhsa/gfx90a/+xnack,-xnack,": {tripleAMDGPU, "gfx90a", "-xnack"},
		"x86_64-unknown-linux-gnu/generic":        {tripleX86_64, "generic", ""},
	} {
		got, err := Parse(in)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", in, got, err, want)
			continue
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("%q: %v parses as %v, %v", in, got, again, err)
		}
	}
	native, err := Native()
	if got, perr := Parse("native"); got != native || err != nil || perr != nil {
		t.Errorf("native: %v, %v; want %v, %v", got, perr, native, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want error
		text string
	}{
		{"", nil, "an empty target"},
		{"sm_9999", ErrUnknownProcessor, "near it: sm_89, sm_90, sm_90a"},
		{"sm_9Oa", ErrUnknownProcessor, "near it: sm_90a"},
		{"haswel", ErrUnknownProcessor, "near it: haswell"},
		{"Znver4", ErrUnknownProcessor, "near it: znver4"},
		{"gfx9999", ErrUnknownProcessor, "near it: gfx90"},
		{"i386", ErrUnknownProcessor, ""},
		{"icelake_server", ErrUnknownProcessor, "near it: icelake-server"},
		{strings.Repeat("x", 1000), ErrUnknownProcessor, ""},
		{"generic", nil, "several architectures"},
		{"gfx90a:", nil, `"" is not xnack`},
		{"gfx90a:xnack", nil, `"xnack" is not xnack or sramecc with + or -`},
		{"gfx90a:avx+", nil, `"avx+" is not xnack`},
		{"gfx90a:xnack+:xnack-", nil, "sets xnack twice"},
		{"sm_80:xnack+", nil, "only AMD processors"},
		{"x86_64-unknown-linux-gnu:xnack+", nil, "only AMD processors"},
		{"amdgcn-amd-amdhsa:xnack+", nil, "no processor"},
		{"riscv64-unknown-linux-gnu", ErrUnknownTriple, "riscv64"},
		{"riscv64-unknown-linux-gnu/sifive-u74", ErrUnknownTriple, "riscv64"},
		{"spir64-unknown-unknown", ErrUnknownTriple, ""},
		{"nvptx-nvidia-cuda", ErrUnknownTriple, ""},
		{"/znver4", ErrUnknownTriple, ""},
		{"x86_64-unknown-linux-gnu/", nil, "no processor"},
		{"x86_64-unknown-linux-gnu/znver4/avx2", nil, "write +avx2 or -avx2"},
		{"x86_64-unknown-linux-gnu/znver4/+", nil, "is no feature"},
		{"x86_64-unknown-linux-gnu/znver4/+a b", nil, "is no feature"},
		{"x86_64-unknown-linux-gnu/znver4/+a/+b", nil, "4 parts"},
		{"x86_64-unknown-linux-gnu/zn\nver4", nil, "no processor"},
		{"x86_64-un known-linux-gnu/znver4", nil, "is no triple"},
	} {
		got, err := Parse(tc.in)
		if got != (Target{}) || err == nil || !strings.Contains(err.Error(), tc.text) || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%q: %v, %v; want %q", tc.in, got, err, tc.text)
		}
	}
}

func TestMergeFeatures(t *testing.T) {
	for _, tc := range []struct {
		lists []string
		want  string
	}{
		{nil, ""},
		{[]string{"", ","}, ""},
		{[]string{"+b,+a"}, "+a,+b"},
		{[]string{"+a,-b", "+b"}, "+a,+b"},
		{[]string{"+a", "-a", "+a", "-a"}, "-a"},
		{[]string{"+sse4.1", "-sse4a,+sse4.2"}, "+sse4.1,+sse4.2,-sse4a"},
	} {
		got, err := MergeFeatures(tc.lists...)
		if err != nil || got != tc.want {
			t.Errorf("%q: %q, %v; want %q", tc.lists, got, err, tc.want)
		}
	}
	for _, bad := range []string{"a", "+", "+a,b", "+a=b", "++a", " +a"} {
		if got, err := MergeFeatures("+x", bad); err == nil || got != "" {
			t.Errorf("%q: %q, %v; want an error", bad, got, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"native", "sm_80", "gfx90a:xnack-:sramecc+", "x86_64-pc-linux-gnu/skx/+b,-a", "hipv4-amdgcn-amd-amdhsa--gfx906:xnack+",
		"nvptx64-nvidia-cuda-sm_80", "x86_64--linux", "aarch64-linux-linux-linux", "amdgcn----gfx90a",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Parse(s)
		if (got == Target{}) != (err != nil) {
			t.Fatalf("%q: %v with error %v", s, got, err)
		}
		if err != nil {
			return
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Fatalf("%q: %v parses as %v, %v", s, got, again, err)
		}
		for _, major := range []int{19, 21, 22} {
			err := got.Validate(major)
			if narrow := got.Narrow(major); err == nil && narrow != got {
				t.Fatalf("%v is known to LLVM %d, yet narrowed to %v", got, major, narrow)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("gfx90a:xnack-:sramecc+"); err != nil {
			b.Fatal(err)
		}
	}
}
