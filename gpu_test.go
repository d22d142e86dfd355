package kiln_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// Requests for GPUs go through an engine's cache, the tools and the device's
// limits in their keys.
func TestRequestsForGPUs(t *testing.T) {
	e := open(t, kiln.Options{Cache: kiln.CacheOptions{Dir: t.TempDir()}, Tools: tool.Search{Only: true}})
	to, err := target.Parse("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := e.Tools(to)
	if err != nil || tools != (compile.Tools{}) {
		t.Fatalf("tools %v, %v, want none", tools, err)
	}
	compiler, err := compile.New(compile.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer compiler.Close()
	module := []byte("target triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @k(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n")
	r := compile.Request{Module: module, Kernel: "k", Target: to, Tools: tools, Toolchain: compiler.Toolchain()}
	for range 2 {
		im, err := e.Compile(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if im.Format != image.PTX || !strings.Contains(string(im.Payload), ".version 8.0\n.target sm_90a\n") {
			t.Fatalf("format %v:\n%s", im.Format, im.Payload)
		}
	}
	if s := e.Stats(); s.Compiles != 1 || s.CacheHits != 1 {
		t.Errorf("%d compiles and %d hits, want one of each", s.Compiles, s.CacheHits)
	}
	r.Limits.PTX = 78
	if im, err := e.Compile(t.Context(), r); im != nil || !errors.Is(err, compile.ErrUnsupported) {
		t.Errorf("image %v, error %v for a driver that takes PTX 7.8", im, err)
	}
}
