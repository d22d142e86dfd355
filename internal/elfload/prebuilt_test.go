package elfload

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

var update = flag.Bool("update", false, "rebuild testdata/prebuilt from the sources (needs clang-22 and gcc)")

type prebuiltObject struct {
	name, source string
	model        model
}

// prebuilt are the committed objects: they let the pure tests run without a
// compiler and are the fuzzer's seeds.
var prebuilt = []prebuiltObject{
	{"kernel.o", "src/kernel.c", model{"", "clang-22", []string{"-fPIC", "-O3"}, false}},
	{"lifetime.o", "src/lifetime.cpp", model{"", "clang-22", []string{"-fPIC", "-fno-use-init-array"}, false}},
	{"exceptions.o", "src/exceptions.cpp", model{"", "clang-22", []string{"-fPIC"}, false}},
	{"templates.o", "src/templates.cpp", model{"", "gcc", []string{"-fPIC"}, false}},
	{"globals.o", "src/globals.c", model{"", "gcc", []string{"-fno-pic"}, true}},
	{"jumps.o", "src/jumps.c", model{"", "clang-22", []string{"-fPIC", "-mcmodel=large"}, false}},
	{"arrays.o", "src/arrays.c", model{"", "gcc", []string{"-fPIC", "-mcmodel=medium", "-mlarge-data-threshold=64"}, false}},
	{"tls.o", "refused/tls.c", model{"", "clang-22", []string{"-fPIC"}, false}},
}

// foreign is the committed object that this machine need not be able to run.
var foreign = prebuiltObject{"aarch64.o", "aarch64/relocations.s", model{"", "clang-22", []string{"-target", "aarch64-linux-gnu"}, false}}

func TestMain(m *testing.M) {
	flag.Parse()
	if *update {
		for _, p := range append(slices.Clone(prebuilt), foreign) {
			out := filepath.Join("testdata", "prebuilt", p.name)
			if err := p.model.build(filepath.Join("testdata", p.source), out); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

func readPrebuilt(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "prebuilt", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPrebuilt loads the committed objects and runs their checks.
func TestPrebuilt(t *testing.T) {
	for _, p := range prebuilt {
		if p.name == "tls.o" {
			continue
		}
		if err := runCheck(t, filepath.Join("testdata", "prebuilt", p.name), scratch(t, 4096).base()); err != nil {
			t.Error(err)
		}
	}
}
