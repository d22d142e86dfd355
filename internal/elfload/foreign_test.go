package elfload

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// aarch64Models are those of AArch64's compilers.
var aarch64Models = []struct {
	name  string
	flags []string
}{
	{"pic-small", []string{"-fPIC"}},
	{"pic-no-plt", []string{"-fPIC", "-fno-plt"}},
	{"pic-tiny", []string{"-fPIC", "-mcmodel=tiny"}},
	{"static-small", []string{"-fno-pic"}},
	{"static-tiny", []string{"-fno-pic", "-mcmodel=tiny"}},
	{"static-large", []string{"-fno-pic", "-mcmodel=large"}},
	{"pic-sections", []string{"-fPIC", "-ffunction-sections", "-fdata-sections"}},
}

// aarch64Refused are the sources that cannot be loaded in a model, and what
// the error says.
var aarch64Refused = map[string]string{
	"arrays.c static-tiny":  `R_AARCH64_ADR_PREL_LO21 against "visible_zeroed"`, // 1 MiB of arrays
	"libdata.c static-tiny": `R_AARCH64_ADR_PREL_LO21 against "in6addr_loopback"`,
}

// emulator is what runs AArch64 programs here.
func emulator(t *testing.T) []string {
	t.Helper()
	const root = "/usr/aarch64-linux-gnu"
	if _, err := exec.LookPath("qemu-aarch64"); err != nil {
		t.Skip("no qemu-aarch64 here (Debian package qemu-user)")
	}
	for _, lib := range []string{"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"} {
		if _, err := os.Stat(filepath.Join(root, "lib", lib)); err != nil {
			t.Skipf("no %s for AArch64 here (Debian packages libc6-arm64-cross, libgcc-s1-arm64-cross, libstdc++6-arm64-cross)", lib)
		}
	}
	return []string{"qemu-aarch64", "-L", root}
}

// selfcheck returns the program of testdata/selfcheck, built for AArch64.
func selfcheck(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "selfcheck")
	build := exec.Command("go", "build", "-o", program, "./testdata/selfcheck")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestAArch64Runs builds a program of this package for AArch64, and runs in it
// every source's own check in every model.
func TestAArch64Runs(t *testing.T) {
	t.Parallel()
	command := emulator(t)
	program := selfcheck(t)
	dir := t.TempDir()
	var objects []string
	want := map[string]string{}
	for _, source := range sources(t, "src") {
		base := filepath.Base(source)
		if base == "libmvec.c" {
			continue // AArch64 had no such library at the time
		}
		for _, m := range aarch64Models {
			name := base + " " + m.name
			out := filepath.Join(dir, base+"."+m.name)
			flags := append([]string{"-target", "aarch64-linux-gnu", "-nostdlibinc"}, m.flags...)
			if err := (model{m.name, "clang-22", flags, false}).build(source, out); err != nil {
				t.Fatal(err)
			}
			objects = append(objects, out)
			want[name] = "ok"
			if text := aarch64Refused[name]; text != "" {
				want[name] = text
			}
		}
	}
	command = append(append(command, program), objects...)
	got := map[string]string{}
	for line := range strings.Lines(string(run(t, command[0], command[1:]...))) {
		path, outcome, _ := strings.Cut(strings.TrimSpace(line), " ")
		base := filepath.Base(path)
		at := strings.LastIndexByte(base, '.')
		name := base[:at] + " " + base[at+1:]
		if text := aarch64Refused[name]; text != "" && strings.Contains(outcome, text) {
			outcome = text
		}
		got[name] = outcome
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	t.Logf("%d objects", len(got))
}
