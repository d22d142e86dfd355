package worker

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/target"
)

// Children look for tools where their pool does: a request made here is for the
// tools that they find.
func TestToolsOfChildren(t *testing.T) {
	folder := t.TempDir()
	const script = "#!/bin/sh\n# Cuda compilation tools, release 12.9, V12.9.1\necho 'ptxas error   : refused by this test'; exit 1\n"
	if err := os.WriteFile(filepath.Join(folder, "ptxas"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	search := tool.Search{Path: []string{folder}, Only: true}
	compiler, err := compile.New(compile.Config{Tools: search})
	if err != nil {
		t.Fatal(err)
	}
	defer compiler.Close()
	p := newPool(t, Options{Processes: 1, Compile: compile.Config{Tools: search}})
	to, err := target.Parse("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	r := request(t, p, "target triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @saxpy(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n")
	r.Target = to
	if r.Tools, err = p.Tools(to); err != nil || r.Tools.Assembler.Version != "12.9" {
		t.Fatalf("tools %v, %v", r.Tools, err)
	}
	im, err := p.Compile(t.Context(), r)
	e, ok := errors.AsType[*compile.Error](err)
	if im != nil || !ok || e.Stage != compile.StageAssemble || !errors.Is(err, compile.ErrBadModule) {
		t.Errorf("error %v", err)
	}
	// Without one the PTX is the same as in this process.
	r.Tools.Assembler, r.Limits.PTX = tool.Identity{}, 80
	want, err := compiler.Compile(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if im, err = p.Compile(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, im); diff != "" {
		t.Errorf("image (-in process +worker):\n%s", diff)
	}
	r.Limits.PTX = 78
	if _, err := p.Compile(t.Context(), r); !errors.Is(err, compile.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
	if r.Target, err = target.Parse("gfx90a"); err != nil {
		t.Fatal(err)
	}
	r.Limits = target.Limits{}
	if _, err := p.Compile(t.Context(), r); !errors.Is(err, compile.ErrMissing) {
		t.Errorf("error %v", err)
	}
}
