package compile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/target"
)

// nvidiaProcessors and amdProcessors are those that every LLVM has; the ones
// behind the stroke came with LLVM 22.
const (
	nvidiaProcessors = "sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70 sm_72 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a | " +
		"sm_88 sm_100 sm_100a sm_100f sm_101 sm_101a sm_103 sm_103a sm_110 sm_110a sm_120 sm_120a sm_120f sm_121 sm_121a"
	amdProcessors = "gfx803 gfx900 gfx902 gfx904 gfx906 gfx908 gfx909 gfx90a gfx90c gfx942 gfx9-generic gfx1010 gfx1011 gfx1012 gfx1013 " +
		"gfx10-1-generic gfx1030 gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 gfx10-3-generic gfx1100 gfx1101 gfx1102 gfx1103 " +
		"gfx1150 gfx1151 gfx1152 gfx11-generic gfx1200 gfx1201 gfx12-generic | gfx950 gfx1153 gfx9-4-generic gfx1250"
)

func known(c *Compiler, list string) []string {
	old, later, _ := strings.Cut(list, "|")
	if c.LLVMMajor() < 22 {
		return strings.Fields(old)
	}
	return strings.Fields(old + later)
}

// LLVM agrees with what the tables say of each processor: it dies of a PTX
// version that the processor does not have, and makes waves of its own size.
func TestEveryProcessor(t *testing.T) {
	c := newCompiler(t, Config{})
	for _, p := range known(c, nvidiaProcessors) {
		r := gpuRequest(t, c, []byte(emptyKernel), "k", p)
		r.Tools = Tools{}
		im := mustCompile(t, c, r)
		if want := fmt.Sprintf(".version %s\n.target %s\n", target.LeastPTX(p), p); !strings.Contains(string(im.Payload), want) {
			t.Errorf("%s: no %q in %.200s", p, want, im.Payload)
		}
	}
	for _, p := range known(c, amdProcessors) {
		im := mustCompile(t, c, gpuRequest(t, c, []byte(amdHeader+"define amdgpu_kernel void @k() {\n  ret void\n}\n"), "k", p))
		if own, _ := target.WaveSizes(p); im.Resources.Wave != uint32(own) {
			t.Errorf("%s: waves of %d work-items, the table says %d", p, im.Resources.Wave, own)
		}
	}
}

// Code for waves of the other size is made where the processor has them.
func TestOtherWaves(t *testing.T) {
	c := newCompiler(t, Config{})
	for processor, want := range map[string]uint32{"gfx1030": 64, "gfx1201": 64, "gfx942": 64} {
		module := amdHeader + "define amdgpu_kernel void @k() \"target-cpu\"=\"gfx906\" {\n  ret void\n}\n"
		im := mustCompile(t, c, gpuRequest(t, c, []byte(module), "k", processor))
		if im.Resources.Wave != want {
			t.Errorf("%s: waves of %d work-items, want %d", processor, im.Resources.Wave, want)
		}
	}
}
