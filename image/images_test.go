package image

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const imageFolder = "../testdata/images"

// imageFile returns a file of the shared folder, by folder and name.
func imageFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(imageFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// imageNames lists the files of the shared folder that match, sources left out.
func imageNames(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(imageFolder, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	var names []string
	for _, path := range paths {
		name, err := filepath.Rel(imageFolder, path)
		if err != nil {
			t.Fatal(err)
		}
		if name = filepath.ToSlash(name); !strings.HasPrefix(name, "src/") {
			names = append(names, name)
		}
	}
	return names
}

func mustOpen(t testing.TB, b []byte) *File {
	t.Helper()
	f, err := Open(b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// listing writes down all that a file says.
func listing(t testing.TB, w *bytes.Buffer, name string, f *File) {
	t.Helper()
	fmt.Fprintf(w, "%s: %s", name, f.Kind)
	for _, s := range []string{f.Version, targetText(f), f.Producer} {
		if s != "" {
			fmt.Fprintf(w, " | %s", s)
		}
	}
	fmt.Fprintln(w)
	for _, p := range f.Parts {
		fmt.Fprintf(w, "  part %s %q at %d, %d bytes %s", p.Kind, p.Label, p.Offset, p.Size, p.Packing)
		if p.Packing != Stored {
			fmt.Fprintf(w, " of %d", p.Unpacked)
		}
		if p.Target.Triple != "" {
			fmt.Fprintf(w, ", for %s", p.Target)
		}
		if p.Registered {
			fmt.Fprint(w, ", registered")
		}
		for _, s := range []string{p.Model, p.Name, p.Options} {
			if s != "" {
				fmt.Fprintf(w, ", %q", s)
			}
		}
		if len(p.Properties) > 0 {
			fmt.Fprintf(w, ", %v", p.Properties)
		}
		fmt.Fprintln(w)
	}
	kernels, err := f.Kernels()
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, k := range kernels {
		fmt.Fprintf(w, "  kernel %s (%s): %d bytes of parameters, %d shared, %d private, registers %d+%d+%d, spills %d, wave %d, block %d %v\n",
			k.Name, k.Symbol, k.ParamBytes, k.SharedBytes, k.PrivateBytes, k.Registers, k.Scalars, k.Accumulators, k.Spills, k.Wavefront, k.MaxBlock, k.ReqdBlock)
		fmt.Fprint(w, "   ")
		for _, p := range k.Params {
			fmt.Fprintf(w, " %d+%d", p.Offset, p.Size)
			if p.Kind != "" {
				fmt.Fprintf(w, " %s", p.Kind)
			}
			fmt.Fprint(w, ";")
		}
		fmt.Fprintln(w)
	}
	entries, err := f.Entries()
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for _, e := range entries {
		fmt.Fprintf(w, "  entry %s %s, %d bytes, flags %d\n", e.Model, e.Name, e.Bytes, e.Flags)
	}
	for found, err := range f.All() {
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		fmt.Fprintf(w, "  holds %s: %s", strings.Join(found.Path, " > "), found.Part.Kind)
		if found.File != nil {
			fmt.Fprintf(w, " of %d bytes", len(found.File.Bytes()))
			if s := targetText(found.File); s != "" {
				fmt.Fprintf(w, " for %s", s)
			}
			if s := found.File.Producer; s != "" {
				fmt.Fprintf(w, " by %s", s)
			}
		}
		fmt.Fprintln(w)
	}
}

func targetText(f *File) string {
	if f.Target.Triple == "" {
		return ""
	}
	return f.Target.String()
}

// Every file of the folder, and all that is read of it.
func TestListingOfAllImages(t *testing.T) {
	var got bytes.Buffer
	for _, name := range imageNames(t, "*/*") {
		f, err := Open(imageFile(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		listing(t, &got, name, f)
	}
	const golden = "testdata/images.golden"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of a whole program or object, every image it embeds, whatever tool made it.
func TestProgramsYieldEveryImage(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		want    []string
	}{
		{"elf/openmp.clang*.exe", []string{"openmp bitcode"}},
		{"elf/openmp.clang*.o", []string{"openmp ELF"}},
		{"elf/openmp-gpu.clang22.exe", []string{"openmp bitcode gfx90a"}},
		{"elf/openmp-aarch64.clang22.o", []string{"openmp bitcode gfx90a"}},
		{"elf/openmp-aarch64.lld22.so", nil},
		{"elf/hip.clang*.o", []string{"hipv4 AMDGPU object gfx1100", "hipv4 AMDGPU object gfx900"}},
		{"elf/hip-compressed.clang22.so", []string{"hipv4 AMDGPU object gfx900"}},
		{"elf/hip-rdc.clang22.o", []string{"hip bitcode gfx90a"}},
		{"elf/bundled.bundler*.o", []string{"hip AMDGPU object gfx900"}},
		{"elf/cuda.clang*.o", []string{"cuda cubin sm_80"}},
		{"elf/cuda.nvcc13.0.o", []string{"cuda cubin sm_80", "cuda PTX text sm_90"}},
		{"elf/cuda.nvcc13.0.so", []string{"cuda cubin sm_80"}},
		{"elf/rdc.nvcc13.0.o", []string{"cuda cubin sm_80"}},
		{"elf/lto*.nvcc13.0.o", []string{"cuda LTO IR sm_80"}},
		{"elf/llvmbc.clang*.o", []string{" bitcode"}},
		{"elf/fatlto.clang22.o", []string{" bitcode"}},
		{"elf/plain.gcc.o", nil},
	} {
		for _, name := range imageNames(t, tc.pattern) {
			var got []string
			for found, err := range mustOpen(t, imageFile(t, name)).All() {
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				p := found.Part
				s := p.Model + " " + p.Kind.String()
				if p.Target.Processor != "" && p.Kind != ELF && p.Target.Processor != "x86-64" {
					s += " " + p.Target.Processor
				}
				got = append(got, s)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("%s: %q; want %q", name, got, tc.want)
			}
		}
	}
}

// What a program's own tables announce does not depend on which LLVM wrote them.
func TestEntriesOfPrograms(t *testing.T) {
	for _, name := range imageNames(t, "elf/openmp*") {
		entries, err := mustOpen(t, imageFile(t, name)).Entries()
		if err != nil || len(entries) != 2 {
			t.Errorf("%s: %v, %v", name, entries, err)
			continue
		}
		if want := (OffloadEntry{Name: "table", Model: "openmp", Bytes: 16}); entries[0] != want {
			t.Errorf("%s: %+v; want %+v", name, entries[0], want)
		}
		if e := entries[1]; e.Model != "openmp" || e.Bytes != 0 || !strings.HasPrefix(e.Name, "__omp_offloading_") || !strings.HasSuffix(e.Name, "_add_l5") {
			t.Errorf("%s: %+v", name, e)
		}
	}
	entries, err := mustOpen(t, imageFile(t, "elf/hip-rdc.clang22.o")).Entries()
	if want := []OffloadEntry{{Name: "saxpy", Model: "hip"}, {Name: "reverse", Model: "hip"}}; err != nil || !slices.Equal(entries, want) {
		t.Errorf("%v, %v; want %v", entries, err, want)
	}
}

// A part of a packed container holds what went into it.
func TestPackedEqualsPlain(t *testing.T) {
	want := [][]byte{imageFile(t, "amdgpu/gfx900.v4.clang22.co"), imageFile(t, "amdgpu/gfx1100.v5.clang22.co")}
	for _, name := range imageNames(t, "bundle/*") {
		compareImages(t, name, want)
	}
	want = [][]byte{imageFile(t, "nvidia/sm_80.ptxas13.0.cubin"), imageFile(t, "nvidia/sm_90a.ptxas12.9.cubin"), nil}
	for _, name := range []string{"nvidia/plain.fatbinary13.0.fatbin", "nvidia/speed.fatbinary13.0.fatbin", "nvidia/size.fatbinary13.0.fatbin"} {
		compareImages(t, name, want)
	}
	want = [][]byte{imageFile(t, "amdgpu/gfx900.v4.clang22.co"), imageFile(t, "nvidia/sm_80.ptxas13.0.cubin"), imageFile(t, "bitcode/rdc.clang22.bc")}
	for _, name := range imageNames(t, "offload/*") {
		compareImages(t, name, want)
	}
	compareImages(t, "nvidia/carrier.ptxas13.0.cubin", [][]byte{imageFile(t, "bitcode/kernels.clang22.bc")})
	compareImages(t, "elf/jit.objcopy22.co", [][]byte{imageFile(t, "bitcode/rdc.clang22.bc")})
	compareImages(t, "elf/bundled.bundler16.o", [][]byte{imageFile(t, "amdgpu/gfx900.v4.clang22.co")})
}

// compareImages checks the images in a file; a nil one is PTX, which fatbinary
// strips of its comments.
func compareImages(t *testing.T, name string, want [][]byte) {
	t.Helper()
	n := 0
	for found, err := range mustOpen(t, imageFile(t, name)).All() {
		if err != nil || n == len(want) {
			t.Fatalf("%s: image %d of %d: %v", name, n, len(want), err)
		}
		switch got := found.File.Bytes(); {
		case want[n] == nil:
			kernels, err := found.File.Kernels()
			if err != nil || len(kernels) != 2 || kernels[0].Name != "saxpy" || kernels[1].Name != "reverse" {
				t.Errorf("%s: PTX with kernels %v, %v", name, kernels, err)
			}
		case !bytes.Equal(got, want[n]):
			t.Errorf("%s: image %d has %d bytes that differ from the %d put in", name, n, len(got), len(want[n]))
		}
		n++
	}
	if n != len(want) {
		t.Errorf("%s: %d images; want %d", name, n, len(want))
	}
}

// Several modules that a linker put into one section are told apart.
func TestSectionOfSeveralModules(t *testing.T) {
	first, second := imageFile(t, "bitcode/kernels.clang22.bc"), imageFile(t, "bitcode/rdc.clang22.bc")
	wrapped := imageFile(t, "bitcode/wrapped.clang19.bc")
	section := slices.Concat(first, second, make([]byte, 24), wrapped, first)
	f := &File{data: section}
	if err := f.sequence(&elfSection{name: []byte(".llvmbc"), size: uint64(len(section)), data: section}); err != nil {
		t.Fatal(err)
	}
	want := [][]byte{first, second, wrapped, first}
	if len(f.Parts) != len(want) {
		t.Fatalf("%d parts; want %d", len(f.Parts), len(want))
	}
	for i := range want {
		if got, err := f.Parts[i].Data(); err != nil || !bytes.Equal(got, want[i]) {
			t.Errorf("part %d: %d bytes, %v; want %d", i, len(got), err, len(want[i]))
		}
	}
}

func TestScrambledIsNamed(t *testing.T) {
	n := 0
	for found, err := range mustOpen(t, imageFile(t, "elf/lto.nvcc13.0.o")).All() {
		if err != nil || found.File != nil || found.Part.Kind != LTOIR || found.Part.Packing != Scrambled {
			t.Errorf("%+v, %v", found, err)
		}
		if _, err := found.Part.Data(); err == nil || !strings.Contains(err.Error(), "vendor") {
			t.Errorf("data of scrambled LTO IR: %v", err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d images; want 1", n)
	}
	for found, err := range mustOpen(t, imageFile(t, "elf/ltoplain.nvcc13.0.o")).All() {
		if err != nil || found.File == nil || found.File.Kind != LTOIR || found.Part.Options != "-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1" {
			t.Errorf("%+v, %v", found, err)
		}
	}
}
