package elfload

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/internal/ffi"
)

// functionInputs are what each function of testdata/functions is called with,
// in this order: some keep state.
var functionInputs = []int64{0, 1, 2, 3, 7, 10, -1, -5, 100, 12345}

// exactly makes results depend on nothing that a compiler may choose.
var exactly = []string{"-fwrapv", "-fsigned-char", "-ffp-contract=off"}

// functionObjects compiles testdata/functions with the given flags.
func functionObjects(t *testing.T, flags ...string) []string {
	t.Helper()
	dir := t.TempDir()
	var list []string
	for _, source := range sources(t, "functions") {
		out := filepath.Join(dir, filepath.Base(source)+".o")
		if err := (model{"", "clang-22", append(slices.Clone(exactly), flags...), false}).build(source, out); err != nil {
			t.Fatal(err)
		}
		list = append(list, out)
	}
	return list
}

// normalResults builds an ordinary program of all functions and returns what it
// prints, "name input result" for each call.
func normalResults(t *testing.T) []string {
	t.Helper()
	var names []string
	objects := functionObjects(t)
	for _, path := range objects {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		o, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range o.Defined() {
			if strings.HasPrefix(name, "kf_") {
				names = append(names, name)
			}
		}
	}
	if len(names) < 60 {
		t.Fatalf("%d functions, want 60 at least", len(names))
	}
	var program strings.Builder
	program.WriteString("#include <stdint.h>\n#include <stdio.h>\n")
	for _, name := range names {
		fmt.Fprintf(&program, "int64_t %s(int64_t);\n", name)
	}
	program.WriteString("int main(void) {\n")
	for _, name := range names {
		for _, x := range functionInputs {
			fmt.Fprintf(&program, "printf(\"%s %d %%ld\\n\", (long)%s(%d));\n", name, x, name, x)
		}
	}
	program.WriteString("return 0; }\n")
	dir := t.TempDir()
	source, out := filepath.Join(dir, "main.c"), filepath.Join(dir, "main")
	if err := os.WriteFile(source, []byte(program.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "clang-22", append([]string{"-o", out, source, "-lstdc++", "-lm"}, objects...)...)
	return strings.Split(strings.TrimSpace(string(run(t, out))), "\n")
}

func loadedResults(t *testing.T, path string, a *arenas) (list []string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	im, err := o.load(Options{}, &defaultResolver, a)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range o.Defined() {
		if !strings.HasPrefix(name, "kf_") {
			continue
		}
		f, _ := im.Symbol(name)
		for _, x := range functionInputs {
			list = append(list, fmt.Sprintf("%s %d %d", name, x, int64(ffi.Call(f, uintptr(x)))))
		}
	}
	if err := im.Close(); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestFunctions60 compares more than 60 functions, loaded in every pair of code
// and relocation model, with a normal build: near the libraries and far away.
func TestFunctions60(t *testing.T) {
	t.Parallel()
	want := normalResults(t)
	for _, code := range []string{"small", "large"} {
		for _, reloc := range []string{"-fPIC", "-fno-pic"} {
			objects := functionObjects(t, "-mcmodel="+code, reloc)
			for _, a := range []*arenas{{}, {hint: 0x10_0000_0000}} {
				var got []string
				for _, path := range objects {
					got = append(got, loadedResults(t, path, a)...)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s %s, near %#x (-normal +loaded):\n%s", code, reloc, a.hint, diff)
				}
			}
		}
	}
}

// TestAArch64Functions is the same for AArch64. Its compilers make no
// position-independent code of the large model.
func TestAArch64Functions(t *testing.T) {
	t.Parallel()
	command := emulator(t)
	program := selfcheck(t)
	want := normalResults(t)
	var inputs []string
	for _, x := range functionInputs {
		inputs = append(inputs, strconv.FormatInt(x, 10))
	}
	for _, flags := range [][]string{{"-fPIC"}, {"-fno-pic"}, {"-fno-pic", "-mcmodel=large"}} {
		objects := functionObjects(t, append([]string{"-target", "aarch64-linux-gnu", "-nostdlibinc"}, flags...)...)
		args := append(append(slices.Clone(command[1:]), program, "-inputs", strings.Join(inputs, ",")), objects...)
		var got []string
		for line := range strings.Lines(string(run(t, command[0], args...))) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "kf_") {
				got = append(got, line)
			} else if _, text, ok := strings.Cut(line, ".o "); ok {
				t.Error(text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v (-normal +loaded):\n%s", flags, diff)
		}
	}
}
