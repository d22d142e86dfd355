package target

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestValidateAccepts(t *testing.T) {
	for _, s := range []string{
		"sm_80", "sm_90a", "gfx90a:xnack-:sramecc+", "gfx906:xnack+", "gfx1010:xnack-", "znver4", "x86-64-v3", "skx", "neoverse-v2",
		"x86_64", "aarch64", "nvptx64", "amdgcn", "x86_64-unknown-linux-gnu/generic/+avx2,-avx512f,+64bit",
		"nvptx64-nvidia-cuda/sm_80/+ptx70", "aarch64-linux-gnu/cortex-a72/+sve2",
	} {
		target, err := Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		for major := 19; major <= 22; major++ {
			if err := target.Validate(major); err != nil {
				t.Errorf("%s: %v", s, err)
			}
			if got := target.Narrow(major); got != target {
				t.Errorf("%s narrowed for LLVM %d to %v", s, major, got)
			}
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	for _, tc := range []struct {
		target Target
		major  int
		want   error
		text   string
	}{
		{Target{tripleNVPTX, "sm_9999", ""}, 22, ErrUnknownProcessor, "in LLVM 22; near it: sm_89, sm_90, sm_90a"},
		{Target{tripleNVPTX, "sm_100", ""}, 19, ErrUnknownProcessor, "known to LLVM 22, not 19"},
		{Target{tripleNVPTX, "sm_100", ""}, 21, ErrUnknownProcessor, "known to LLVM 22, not for certain to 21"},
		{Target{tripleAMDGPU, "gfx940", ""}, 22, ErrUnknownProcessor, "known to LLVM 19, not 22"},
		{Target{tripleAMDGPU, "gfx90a:xnack-", ""}, 22, ErrUnknownProcessor, "it is a target ID"},
		{Target{tripleX86_64, "znver9", ""}, 22, ErrUnknownProcessor, "near it: znver1, znver2, znver3"},
		{Target{tripleX86_64, "sm_80", ""}, 22, ErrUnknownProcessor, "of x86_64-unknown-linux-gnu"},
		{Target{tripleX86_64, "i386", ""}, 22, ErrUnknownProcessor, ""},
		{Target{tripleX86_64, "", ""}, 22, ErrUnknownProcessor, ""},
		{Target{tripleX86_64, "znver4", "+avx512ff"}, 22, ErrUnknownFeature, "near it: avx512f"},
		{Target{tripleX86_64, "znver4", "+avx2,+axv"}, 22, ErrUnknownFeature, "near it: avx"},
		{Target{tripleX86_64, "znver4", "-movrs"}, 19, ErrUnknownFeature, "known to LLVM 22, not 19"},
		{Target{tripleX86_64, "znver4", "avx2"}, 22, ErrUnknownFeature, "write +avx2"},
		{Target{tripleX86_64, "znver4", "+avx2,,+fma"}, 22, ErrUnknownFeature, "an empty name"},
		{Target{tripleX86_64, "znver4", "+32bit-mode"}, 22, ErrUnknownFeature, ""},
		{Target{tripleX86_64, "znver4", "-64bit"}, 22, ErrUnknownFeature, "needs it"},
		{Target{tripleAMDGPU, "gfx1100", "+xnack"}, 22, ErrUnknownFeature, "gfx1100 has no choice of xnack"},
		{Target{tripleAMDGPU, "gfx1010", "-sramecc"}, 22, ErrUnknownFeature, "gfx1010 has no choice of sramecc"},
		{Target{"riscv64-unknown-linux-gnu", "generic", ""}, 22, ErrUnknownTriple, "riscv64"},
		{Target{"nvptx-nvidia-cuda", "sm_30", ""}, 22, ErrUnknownTriple, "nvptx-"},
		{Target{}, 22, ErrUnknownTriple, ""},
	} {
		err := tc.target.Validate(tc.major)
		if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%v for LLVM %d: %v; want %q", tc.target, tc.major, err, tc.text)
			continue
		}
		if i := strings.Index(err.Error(), "near it: "); i >= 0 && strings.Count(err.Error()[i:], ",") >= maxNear {
			t.Errorf("more than %d near matches: %v", maxNear, err)
		}
	}
	for _, major := range []int{0, 18, 23} {
		if err := (Target{tripleX86_64, "znver4", ""}).Validate(major); err == nil || !strings.Contains(err.Error(), "19 to 22") {
			t.Errorf("LLVM %d: %v", major, err)
		}
	}
}

func TestNarrow(t *testing.T) {
	const all = "+avx2,+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,+sahf,+sse4.2,+ssse3"
	v3 := strings.ReplaceAll(all, "+avx512dq", "-avx512dq")
	for _, tc := range []struct{ in, want Target }{
		{Target{tripleX86_64, "diamondrapids", all + ",-zu"}, Target{tripleX86_64, "x86-64-v4", all + ",-zu"}},
		{Target{tripleX86_64, "diamondrapids", "+amx-movrs," + v3}, Target{tripleX86_64, "x86-64-v3", v3}},
		{Target{tripleX86_64, "wildcatlake", "+amx-movrs"}, Target{tripleX86_64, "x86-64", ""}},
		{Target{tripleX86_64, "znver4", "-amx-fp8,+avx,-movrs"}, Target{tripleX86_64, "znver4", "+avx"}},
		{Target{tripleAArch64, "c1-ultra", "+neon"}, Target{tripleAArch64, "generic", "+neon"}},
	} {
		got := tc.in.Narrow(19)
		if got != tc.want {
			t.Errorf("%v: %v; want %v", tc.in, got, tc.want)
		}
		if err := got.Validate(19); err != nil {
			t.Errorf("%v: %v", got, err)
		}
	}
}

// Every name of a table is found in it, and no other.
func TestListingsAreSearchable(t *testing.T) {
	for _, arch := range []Arch{X86_64, AArch64, NVPTX, AMDGPU} {
		for _, l := range []listing{processorsOf(arch), featuresOf(arch), xnackProcessors, srameccProcessors} {
			var names []string
			for entry := range strings.FieldsSeq(string(l)) {
				name, only, _ := strings.Cut(entry, ":")
				names = append(names, name)
				if got, ok := l.find(name); !ok || got != only {
					t.Errorf("%s: found %v, version %q; want %q", name, ok, got, only)
				}
				for _, other := range []string{name + "-", name[:len(name)-1] + "\x01", "\x00" + name} {
					if _, ok := l.find(other); ok {
						t.Errorf("%q is found", other)
					}
				}
			}
			if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
				t.Errorf("the table that begins %q is not in order", names[0])
			}
		}
	}
	if _, ok := listing("").find("x"); ok {
		t.Error("an empty table has x")
	}
	for _, name := range []string{"", " ", "sm_80 sm_86", "sm_100:22"} {
		if _, ok := processorsOf(NVPTX).find(name); ok {
			t.Errorf("%q is found", name)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"axv", "avx", 1}, {"abc", "xbc", 1}, {"kitten", "sitting", 3}} {
		if got := distance(tc.a, tc.b); got != tc.want {
			t.Errorf("%q to %q: %d; want %d", tc.a, tc.b, got, tc.want)
		}
		if got := distance(tc.b, tc.a); got != tc.want {
			t.Errorf("%q to %q: %d; want %d", tc.b, tc.a, got, tc.want)
		}
	}
}

func BenchmarkValidateNative(b *testing.B) {
	native, err := Native()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := native.Validate(newestListed); err != nil {
			b.Fatal(err)
		}
	}
}
