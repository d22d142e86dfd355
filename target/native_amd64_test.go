//go:build linux

package target

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	hostCPU       = regexp.MustCompile(`Host CPU: (\S+)`)
	targetFeature = regexp.MustCompile(`"-target-feature" "([^"]*)"`)
)

func TestNativeAgreesWithLLVM(t *testing.T) {
	native, err := Native()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("llc-22", "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	m := hostCPU.FindSubmatch(out)
	if m == nil {
		t.Fatalf("llc-22 names no host:\n%s", out)
	}
	switch want := string(m[1]); {
	case want == native.Processor:
	case want == "(unknown)" && strings.HasPrefix(native.Processor, "x86-64"):
	default:
		t.Errorf("processor %s; LLVM says %s", native.Processor, want)
	}

	line, err := clang("-march=native", "-###", "-c")
	if err != nil {
		t.Fatalf("%v\n%s", err, line)
	}
	var features []string
	for _, m := range targetFeature.FindAllStringSubmatch(line, -1) {
		features = append(features, m[1])
	}
	want, err := MergeFeatures(features...)
	if err != nil {
		t.Fatal(err)
	}
	if native.Features != want {
		t.Errorf("features\n%s\nLLVM says\n%s", native.Features, want)
	}
	for _, major := range []int{19, 20, 21, 22} {
		if err := native.Narrow(major).Validate(major); err != nil {
			t.Errorf("the native target: %v", err)
		}
	}
	if native.Narrow(22) != native {
		t.Errorf("the native target is narrowed for LLVM 22")
	}
}

func TestBitsAreInNormalForm(t *testing.T) {
	if !slices.IsSortedFunc(x86Bits[:], func(a, b x86Bit) int { return strings.Compare(a.name, b.name) }) {
		t.Error("x86Bits are not in order of name")
	}
	for _, f := range x86Bits {
		if !listing(x86Features).has(f.name, newestListed) {
			t.Errorf("LLVM %d has no feature %s", newestListed, f.name)
		}
	}
	got := (&machine{}).target()
	if merged, err := MergeFeatures(got.Features); err != nil || merged != got.Features {
		t.Errorf("%q is not in normal form: %q, %v", got.Features, merged, err)
	}
	if strings.Contains(got.Features, "+") || got.Processor != "x86-64" {
		t.Errorf("a machine without features has %v", got)
	}
}

func TestModelsAreKnown(t *testing.T) {
	for _, table := range [][]model{intelModels[:], amdModels[:]} {
		for _, m := range table {
			if !listing(x86Processors).has(m.name, newestListed) || canonicalProcessor(X86_64, m.name) != m.name {
				t.Errorf("LLVM %d has no processor %s, or it is an alias", newestListed, m.name)
			}
			if m.first > m.last {
				t.Errorf("%s has no models", m.name)
			}
		}
	}
}

func TestFamilyModel(t *testing.T) {
	for _, tc := range []struct{ signature, family, model uint32 }{
		{0x000806F8, 6, 0x8F},  // Sapphire Rapids
		{0x00050657, 6, 0x55},  // Cascade Lake
		{0x00A10F11, 25, 0x11}, // Genoa
		{0x00800F12, 23, 0x01}, // Naples
		{0x00000F4A, 15, 0x04},
		{0x00400F10, 19, 0x01},
		{0x00000511, 5, 0x01},
	} {
		if family, model := familyModel(tc.signature); family != tc.family || model != tc.model {
			t.Errorf("%#x: family %d, model %#x; want %d, %#x", tc.signature, family, model, tc.family, tc.model)
		}
	}
}

// with returns a machine of a model with the named features.
func with(vendor string, family, model uint32, features ...string) *machine {
	m := &machine{vendor: vendor, family: family, model: model}
	for _, f := range x86Bits {
		if slices.Contains(features, f.name) {
			m.answers[f.leaf][f.register] |= 1 << f.bit
			m.saved |= f.needs
		}
	}
	return m
}

func TestProcessor(t *testing.T) {
	v2 := []string{"cx16", "popcnt", "sahf", "sse4.2", "ssse3", "sse3"}
	v3 := append(slices.Clone(v2), "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
	v4 := append(slices.Clone(v3), "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
	for _, tc := range []struct {
		want string
		m    *machine
	}{
		{"haswell", with(vendorIntel, 6, 0x3C)},
		{"skylake-avx512", with(vendorIntel, 6, 0x55, v4...)},
		{"cascadelake", with(vendorIntel, 6, 0x55, append(v4, "avx512vnni")...)},
		{"cooperlake", with(vendorIntel, 6, 0x55, append(v4, "avx512vnni", "avx512bf16")...)},
		{"sapphirerapids", with(vendorIntel, 6, 0x8F)},
		{"graniterapids-d", with(vendorIntel, 6, 0xAE)},
		{"diamondrapids", with(vendorIntel, 19, 1)},
		{"znver1", with(vendorAMD, 23, 0x01)},
		{"znver2", with(vendorAMD, 23, 0x31)},
		{"znver3", with(vendorAMD, 25, 0x21)},
		{"znver4", with(vendorAMD, 25, 0x11)},
		{"znver5", with(vendorAMD, 26, 0x44)},
		{"bdver2", with(vendorAMD, 21, 0x02)},
		{"k8", with(vendorAMD, 15, 0x05)},
		{"k8-sse3", with(vendorAMD, 15, 0x41, "sse3")},
		{"x86-64", with(vendorIntel, 6, 0xFF)},
		{"x86-64-v2", with(vendorIntel, 6, 0xFF, v2...)},
		{"x86-64-v3", with(vendorAMD, 99, 0, v3...)},
		{"x86-64-v4", with("HygonGenuine", 24, 1, v4...)},
		{"x86-64-v3", with("", 25, 0x11, append(slices.Clone(v3), "avx512f")...)},
	} {
		if got := tc.m.processor(); got != tc.want {
			t.Errorf("%q family %d model %#x: %s; want %s", tc.m.vendor, tc.m.family, tc.m.model, got, tc.want)
		}
	}
}

// Registers that the system does not save take their features with them.
func TestSavedState(t *testing.T) {
	const avx = 1 << 28
	for _, tc := range []struct {
		xcr0, ecx uint32
		want      state
	}{
		{0, avx, 0},
		{0x7, 0, 0},
		{0x3, avx, 0},
		{0x7, avx, stateAVX},
		{0xE7, avx, stateAVX | stateAVX512},
		{0xE1, avx, 0},
		{0x602E7, avx, stateAVX | stateAVX512 | stateAMX},
		{0x202E7, avx, stateAVX | stateAVX512},
		{0x80007, avx, stateAVX | stateAPX},
	} {
		if got := savedState(tc.xcr0, tc.ecx); got != tc.want {
			t.Errorf("XCR0 %#x: %b; want %b", tc.xcr0, got, tc.want)
		}
	}
	m := with(vendorIntel, 6, 0x8F, "avx", "avx2", "avx512f", "amx-tile", "sse2", "fma")
	for saved, want := range map[state]string{
		0:                      "-amx-tile,-avx,-avx2,-avx512f,-fma,+sse2",
		stateAVX:               "-amx-tile,+avx,+avx2,-avx512f,+fma,+sse2",
		stateAVX | stateAVX512: "-amx-tile,+avx,+avx2,+avx512f,+fma,+sse2",
		stateAVX | stateAMX:    "+amx-tile,+avx,+avx2,-avx512f,+fma,+sse2",
	} {
		m.saved = saved
		got := "," + m.target().Features + ","
		for f := range strings.SplitSeq(want, ",") {
			if !strings.Contains(got, ","+f+",") {
				t.Errorf("state %b: no %s in %s", saved, f, got)
			}
		}
	}
}

func TestVersionBits(t *testing.T) {
	for version, want := range map[uint32]uint32{0: 0, 1: 0b10, 2: 0b110, 255: 1<<31 - 2} {
		if got := versionBits(version); got != want {
			t.Errorf("%d: %b; want %b", version, got, want)
		}
	}
}

func BenchmarkDetect(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := detect(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNative(b *testing.B) {
	for b.Loop() {
		if _, err := Native(); err != nil {
			b.Fatal(err)
		}
	}
}
