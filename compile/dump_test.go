package compile

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

func TestDumps(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "dumps")
	c := newCompiler(t, Config{DumpDir: folder})
	r := Request{Module: hostModule(t, c), Kernel: "prime"}
	dumped := compile(t, c, r)
	if plain := compile(t, newCompiler(t, Config{}), r); !bytes.Equal(dumped.Payload, plain.Payload) {
		t.Error("dumping changes the image")
	}
	compile(t, c, r)
	r.Target, r.Toolchain = native(t, c), c.Toolchain()
	digest := r.Digest()
	first := fmt.Sprintf("prime-%x", digest[:4])
	var got []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(folder, path)
			got = append(got, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range []string{first, first + ".2"} {
		for _, stage := range []string{"01-parse.ll", "02-extract.ll", "03-specialise.ll", "04-wrap.ll", "05-optimise.ll", "06-generate.o", "06-generate.s"} {
			want = append(want, filepath.Join(f, stage))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	for file, mark := range map[string]string{"01-parse.ll": "@fibonacci", "04-wrap.ll": "@kiln.entry.prime", "06-generate.s": "kiln.entry.prime:"} {
		b, err := os.ReadFile(filepath.Join(folder, first, file))
		if err != nil || !bytes.Contains(b, []byte(mark)) {
			t.Errorf("%s: %v, want %q in it", file, err, mark)
		}
	}
	object, err := os.ReadFile(filepath.Join(folder, first, "06-generate.o"))
	if err != nil || !bytes.Equal(object, dumped.Payload) {
		t.Errorf("06-generate.o: %v, want the payload", err)
	}
}

// A dump that cannot be written is a warning, and the compile goes on.
func TestDumpFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var warnings []error
	c := newCompiler(t, Config{DumpDir: file, Observe: func(e Event) {
		if e.Warning != nil {
			warnings = append(warnings, e.Warning)
		}
	}})
	compile(t, c, Request{Module: hostModule(t, c), Kernel: "prime"})
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), file) {
		t.Errorf("warnings %v, want one that names %s", warnings, file)
	}
}

func TestFileName(t *testing.T) {
	for kernel, want := range map[string]string{
		"saxpy": "saxpy", "": "_", "../../etc": "_.._etc", "..": "_", "a/b c": "a_b_c", "_Z3fooPf": "_Z3fooPf",
		strings.Repeat("x", 300): strings.Repeat("x", 64),
	} {
		if got := fileName(kernel); got != want {
			t.Errorf("fileName(%q) = %q, want %q", kernel, got, want)
		}
	}
}
