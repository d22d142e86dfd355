package target

import (
	"strings"
	"testing"
)

func TestPTXVersions(t *testing.T) {
	for _, test := range []struct {
		major, minor int
		want         string
	}{
		{5, 5, "0.0"}, {7, 5, "4.3"}, {10, 2, "6.5"}, {11, 4, "7.4"}, {11, 8, "7.8"}, {12, 0, "8.0"},
		{12, 5, "8.5"}, {12, 6, "8.5"}, {12, 8, "8.7"}, {12, 9, "8.8"}, {13, 0, "9.0"}, {13, 5, "9.1"}, {14, 2, "9.1"},
	} {
		if got := PTXOfCUDA(test.major, test.minor).String(); got != test.want {
			t.Errorf("CUDA %d.%d takes PTX %s, want %s", test.major, test.minor, got, test.want)
		}
	}
	for major, want := range map[int]string{19: "8.5", 22: "9.0"} {
		if got := PTXOfLLVM(major).String(); got != want {
			t.Errorf("LLVM %d writes PTX %s, want %s", major, got, want)
		}
	}
	for _, text := range []string{"nvptx64-nvidia-cuda/sm_80/+ptx78", "nvptx64-nvidia-cuda/sm_80/+ptx72,+ptx78"} {
		if got := mustParse(t, text).PTX(); got != 78 || got.Feature() != "+ptx78" {
			t.Errorf("%s asks for PTX %s", text, got)
		}
	}
	// Every processor that LLVM 22 has, but those of other vendors' names.
	for name := range nvptxListing().all(newestListed) {
		if LeastPTX(name) == 0 || SM(name) == 0 {
			t.Errorf("%s: least PTX %s, number %d", name, LeastPTX(name), SM(name))
		}
		if LeastPTX(name) > PTXOfLLVM(newestListed) {
			t.Errorf("%s needs PTX %s, which LLVM has not", name, LeastPTX(name))
		}
	}
}

func nvptxListing() listing { return nvptxProcessors }

func mustParse(t *testing.T, s string) Target {
	t.Helper()
	out, err := Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLimits(t *testing.T) {
	for processor, want := range map[string]Limits{
		"sm_60":   {ParamBytes: 4096, StaticShared: 49152, SharedBytes: 49152, Block: 1024, BlockDims: [3]uint32{1024, 1024, 64}, Registers: 255},
		"sm_80":   {ParamBytes: 32764, StaticShared: 49152, SharedBytes: 163 << 10, Block: 1024, BlockDims: [3]uint32{1024, 1024, 64}, Registers: 255},
		"sm_90a":  {ParamBytes: 32764, StaticShared: 49152, SharedBytes: 227 << 10, Block: 1024, BlockDims: [3]uint32{1024, 1024, 64}, Registers: 255, Cluster: 16},
		"gfx1100": {StaticShared: 65536, SharedBytes: 65536, Block: 1024, BlockDims: [3]uint32{1024, 1024, 1024}, Registers: 256},
		"gfx950":  {StaticShared: 160 << 10, SharedBytes: 160 << 10, Block: 1024, BlockDims: [3]uint32{1024, 1024, 1024}, Registers: 512},
		"znver4":  {},
	} {
		if got := mustParse(t, processor).Limits(); got != want {
			t.Errorf("%s: %+v, want %+v", processor, got, want)
		}
	}
	l := mustParse(t, "sm_80").Limits().WithDevice(Limits{PTX: 78, Block: 512, BlockDims: [3]uint32{0, 0, 1}})
	if l.PTX != 78 || l.Block != 512 || l.BlockDims != [3]uint32{1024, 1024, 1} || l.SharedBytes != 163<<10 {
		t.Errorf("with a device's own: %+v", l)
	}
}

func TestWaveSizes(t *testing.T) {
	for text, want := range map[string]int{
		"gfx90a": 64, "gfx1030": 32, "gfx11-generic": 32, "gfx9-4-generic": 64, "gfx1250": 32, "generic-hsa": 64,
		"/gfx1100/+wavefrontsize64": 64, "/gfx1250/+wavefrontsize64": 32, "/gfx906/+wavefrontsize32": 64,
	} {
		if strings.HasPrefix(text, "/") {
			text = tripleAMDGPU + text
		} else if text == "generic-hsa" {
			text = tripleAMDGPU + "/" + text
		}
		if got := mustParse(t, text).WaveSize(); got != want {
			t.Errorf("%s: waves of %d work-items, want %d", text, got, want)
		}
	}
	for processor, want := range map[string][2]int{"gfx1201": {32, 64}, "gfx942": {64, 0}, "gfx1250": {32, 0}, "sm_80": {0, 0}} {
		if own, other := WaveSizes(processor); own != want[0] || other != want[1] {
			t.Errorf("%s: waves of %d or %d, want %v", processor, own, other, want)
		}
	}
}
