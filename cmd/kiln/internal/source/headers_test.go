package source

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/kilnjit/kiln/target"
)

// TestCompileForProcessors compiles a source for processors of every
// generation: clang's headers ask for other things, and other PTX, by processor.
func TestCompileForProcessors(t *testing.T) {
	const text = `extern "C" __global__ void k(unsigned *p) { p[__clz(p[0])] = atomicCAS(p, 1u, 2u) + __popc(p[1]); }`
	dir := t.TempDir()
	for _, triple := range []string{"nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa"} {
		name, processors := "k.cu", []string{"sm_52", "sm_70", "sm_80", "sm_90a", "sm_100", "sm_103a", "sm_121"}
		if triple == "amdgcn-amd-amdhsa" {
			name, processors = "k.hip", []string{"gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100"}
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, processor := range processors {
			var warned string
			_, err := Compile(context.Background(), path, target.Target{Triple: triple, Processor: processor}, func(text string) { warned += text })
			if err != nil || warned != "" {
				t.Errorf("%s for %s: %v %s", name, processor, err, warned)
			}
		}
	}
}
