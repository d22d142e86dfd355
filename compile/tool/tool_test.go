package tool

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/image"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// wheels returns a folder of NVIDIA's wheels, or skips the test.
func wheelsFolder(t *testing.T, release string) string {
	t.Helper()
	out, err := exec.Command("../../scripts/setup", "tools").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(strings.TrimSpace(string(out)), release)
	if _, err := os.Stat(filepath.Join(folder, "complete")); err != nil {
		t.Skipf("NVIDIA's wheels are not here, scripts/setup test fetches them from the Python package index: %v", err)
	}
	return folder
}

func TestParseUsage(t *testing.T) {
	log := `ptxas info    : 0 bytes gmem, 24 bytes cmem[4]
ptxas info    : Compiling entry function 'poly' for 'sm_80'
ptxas info    : Function properties for poly
ptxas         .     32 bytes stack frame, 16 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 31 registers, used 1 barriers, 1024 bytes smem, 412 bytes cmem[0]
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized
ptxas info    : Compiling entry function 'old' for 'sm_35'
ptxas info    : Used 7 registers, 328 bytes cmem[0]
ptxas info    : Function properties for callee
    40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas warning : Stack size for entry function 'poly' cannot be statically determined
99999999999999999999 registers
what else it may say
`
	want := Usage{
		Functions: map[string]image.Resources{
			"poly":   {Registers: 31, LocalBytes: 32, SpillBytes: 16, SharedBytes: 1024},
			"old":    {Registers: 7},
			"callee": {LocalBytes: 40},
		},
		Warnings: []string{
			"ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized",
			"ptxas warning : Stack size for entry function 'poly' cannot be statically determined",
		},
	}
	if diff := cmp.Diff(want, ParseUsage(log)); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func FuzzParseUsage(f *testing.F) {
	f.Add("ptxas info    : Compiling entry function 'k' for 'sm_80'\nUsed 3 registers, 4 bytes smem")
	f.Fuzz(func(t *testing.T, log string) {
		if u := ParseUsage(log); u.Functions == nil || len(u.Functions) > strings.Count(log, "\n")+1 {
			t.Errorf("%d functions", len(u.Functions))
		}
	})
}

// Folders come in the order given, of several releases the newest first, and a
// file that is found twice counts once.
func TestSearchOrder(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"cuda-9.2", "cuda-12.0", "cuda-11.8", "given"} {
		write(t, filepath.Join(root, folder, "bin", "ptxas"), folder)
	}
	write(t, filepath.Join(root, "env", "lib", "python3.11", "site-packages", "nvidia", "cuda_nvcc", "bin", "ptxas"), "wheel")
	if err := os.Symlink(filepath.Join(root, "cuda-11.8"), filepath.Join(root, "cuda")); err != nil {
		t.Fatal(err)
	}
	s := Search{CUDA: []string{filepath.Join(root, "given"), filepath.Join(root, "env"), filepath.Join(root, "cuda"), filepath.Join(root, "cuda-*")}, Only: true}
	var order []string
	found := s.Assemblers()
	for _, tool := range found.Tools {
		b, err := os.ReadFile(tool.Path)
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, string(b))
	}
	if diff := cmp.Diff([]string{"given", "wheel", "cuda-11.8", "cuda-12.0", "cuda-9.2"}, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if !strings.Contains(found.Missing(), root+"/given/bin/ptxas, ") {
		t.Errorf("places: %s", found.Missing())
	}
	s.Assembler = "none"
	if found := s.Assemblers(); len(found.Tools) != 0 {
		t.Errorf("%d tools though none is asked for", len(found.Tools))
	}
}

func TestIdentity(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ptxas")
	// The release lies across the border of what is read at a time.
	text := strings.Repeat("x", 1<<20+64-20) + "Cuda compilation tools, release 12.4, V12.4.131\n" + strings.Repeat("y", 1<<20)
	write(t, path, text)
	tool := &Tool{Name: PTXAS, Path: path, read: readAssembler(path)}
	id, err := tool.Identity()
	if err != nil {
		t.Fatal(err)
	}
	sum, err := exec.Command("sha256sum", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := (Identity{PTXAS, "12.4", "sha256:" + string(sum[:64])}); id != want {
		t.Errorf("identity %v, want %v", id, want)
	}
	if v, err := tool.PTX(); v != 84 || err != nil {
		t.Errorf("PTX %s, %v, want 8.4", v, err)
	}
	missing := &Tool{Name: PTXAS, Path: path + "x", read: readAssembler(path + "x")}
	if _, err := missing.Identity(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	for name, b := range map[string]string{"no ELF": "hello", "cut": "\x7fELF\x02\x01", "zeros": "\x7fELF\x02\x01" + string(make([]byte, 100))} {
		write(t, path, b)
		if _, err := (&Tool{Name: NVJitLink, Path: path, read: readNVJitLink(path)}).Identity(); err == nil {
			t.Errorf("%s is taken for a library", name)
		}
	}
}

// What the wheels hold is found and known by its release, and makes code of
// the same PTX alike.
func TestWheels(t *testing.T) {
	ptx := []byte(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\tret;\n}\n\x00")
	for release, version := range map[string]string{"cuda12": "12.9", "cuda13": "13.5"} {
		s := Search{CUDA: []string{wheelsFolder(t, release)}, Only: true}
		var names []string
		found := s.Assemblers()
		for _, tool := range found.Tools {
			id, err := tool.Identity()
			if err != nil {
				t.Fatal(err)
			}
			if id.Version != version {
				t.Errorf("%s: %v, want version %s", release, id, version)
			}
			names = append(names, tool.Name)
			made, err := tool.Assemble(t.Context(), ptx, "sm_80", true)
			if err != nil {
				t.Fatalf("%s: %v", tool.Path, err)
			}
			if f, err := image.Open(made.Cubin); err != nil || f.Kind != image.Cubin {
				t.Errorf("%s: %v, %v", tool.Path, f, err)
			}
			bad := bytes.Replace(ptx, []byte("ret;"), []byte("rett;"), 1)
			_, err = tool.Assemble(t.Context(), bad, "sm_80", false)
			refused, ok := errors.AsType[*Error](err)
			if !ok || !strings.Contains(refused.Log, "rett") || strings.Contains(refused.Error(), "\n") {
				t.Errorf("%s: error %v", tool.Path, err)
			}
			if _, err := tool.Assemble(t.Context(), ptx, "sm_9999", false); err == nil {
				t.Errorf("%s makes code for a processor that is none", tool.Path)
			}
		}
		if diff := cmp.Diff([]string{NVJitLink, PTXAS}, names); diff != "" {
			t.Errorf("%s (-want +got):\n%s", release, diff)
		}
		if libraries := s.Libdevice(); len(libraries.Tools) != 1 {
			t.Errorf("%s: %d device libraries", release, len(libraries.Tools))
		}
	}
}

func TestDisassemble(t *testing.T) {
	s := Search{CUDA: []string{wheelsFolder(t, "cuda13")}, Only: true}
	ptx := []byte(".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\tret;\n}\n")
	made, err := s.Assemblers().Tools[0].Assemble(t.Context(), ptx, "sm_80", false)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Disassemblers().Tools[0].Disassemble(t.Context(), made.Cubin)
	if err != nil || !bytes.Contains(text, []byte("EXIT")) {
		t.Errorf("%v:\n%s", err, text)
	}
}

// A tool that hangs ends with its context, and leaves no files behind.
func TestToolEnds(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	path := filepath.Join(t.TempDir(), "ptxas")
	write(t, path, "#!/bin/sh\nsleep 60\n")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := (&Tool{Name: PTXAS, Path: path, read: readAssembler(path)}).Assemble(ctx, []byte("x"), "sm_80", false)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("%v lie in the folder for temporary files, %v", left, err)
	}
}
