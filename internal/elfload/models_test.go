package elfload

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kilnjit/kiln/internal/ffi"
)

// model is one way to compile. A source's object either passes its own check
// in every model or is refused, in the models that lie low, as lowRefused says.
type model struct {
	name     string
	compiler string
	flags    []string
	low      bool // compiled to lie below 2 GiB
}

func models() []model {
	static := []string{"-fno-pic", "-fno-pie"}
	large := func(flags ...string) []string {
		return append(flags, "-mlarge-data-threshold=64")
	}
	list := []model{
		{"pic no-plt", "clang-22", []string{"-fPIC", "-fno-plt"}, false},
		{"pic O0", "clang-22", []string{"-fPIC", "-O0"}, false},
		{"pic ctors", "clang-22", []string{"-fPIC", "-fno-use-init-array"}, false},
		{"static small ctors", "clang-22", append(slices.Clone(static), "-fno-use-init-array"), true},
		{"pic sections", "clang-22", []string{"-fPIC", "-ffunction-sections", "-fdata-sections"}, false},
		{"pic sections", "gcc", []string{"-fPIC", "-ffunction-sections", "-fdata-sections"}, false},
	}
	for _, cc := range []string{"clang-22", "gcc"} {
		list = append(list,
			model{"pic small", cc, []string{"-fPIC"}, false},
			model{"pic medium", cc, large("-fPIC", "-mcmodel=medium"), false},
			model{"pic large", cc, []string{"-fPIC", "-mcmodel=large"}, false},
			model{"static small", cc, static, true},
			model{"static medium", cc, large(append(slices.Clone(static), "-mcmodel=medium")...), true},
			model{"static large", cc, append(slices.Clone(static), "-mcmodel=large"), false},
		)
	}
	return list
}

// lowRefused names the sources that need the address of another library's
// data, which code below 2 GiB has only 32 bits for.
var lowRefused = map[string]string{
	"libdata.c":         "in6addr_loopback",
	"builtin_throw.cpp": "_ZTIi",
}

// clangOnly names sources with flags that gcc does not have on this system.
var clangOnly = map[string][]string{
	"emulated_tls.c": {"-femulated-tls"},
}

// build compiles source to out.
func (m model) build(source, out string) error {
	args := []string{"-c", "-O2", "-fcommon", "-o", out, source}
	args = append(args, m.flags...)
	args = append(args, clangOnly[filepath.Base(source)]...)
	if text, err := exec.Command(m.compiler, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", m.compiler, strings.Join(args, " "), err, text)
	}
	return nil
}

// compile returns the path of the object that m makes of source.
func (m model) compile(t *testing.T, dir, source string) string {
	out := filepath.Join(dir, strings.ReplaceAll(m.compiler+" "+m.name+" "+filepath.Base(source)+".o", " ", "-"))
	if err := m.build(source, out); err != nil {
		t.Error(err)
	}
	return out
}

func sources(t *testing.T, folder string) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"*.c", "*.cpp"} {
		found, err := filepath.Glob(filepath.Join("testdata", folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	return list
}

// scratchBytes are outside Go's heap, for C to write to.
type scratchBytes []byte

func (s scratchBytes) base() uintptr { return addressOf(s) }

// scratch returns n zeroed bytes.
func scratch(t testing.TB, n int) scratchBytes {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

// runCheck loads path, runs its test function twice and closes the image.
func runCheck(t *testing.T, path string, arg uintptr) error {
	t.Helper()
	im, err := loadFile(t, path, Options{})
	if err != nil {
		return err
	}
	test, ok := im.Symbol("test")
	if !ok {
		t.Errorf("%s: no symbol test", path)
	}
	for range 2 {
		if line := int32(ffi.Call(test, arg)); line != 0 {
			t.Errorf("%s: check in line %d is wrong", path, line)
		}
	}
	if err := im.Close(); err != nil {
		t.Error(err)
	}
	return nil
}

// TestModels runs every source's own check in every model.
func TestModels(t *testing.T) {
	t.Parallel()
	const log = "123ABLlbaxyz"
	dir := t.TempDir()
	type outcome struct{ ran, refused int }
	var (
		mu    sync.Mutex
		table = map[string]outcome{}
		busy  = make(chan struct{}, runtime.GOMAXPROCS(0))
		wait  sync.WaitGroup
	)
	one := func(m model, source string) {
		base := filepath.Base(source)
		arg := scratch(t, 4096)
		err := runCheck(t, m.compile(t, dir, source), arg.base())
		symbol, wantRefused := lowRefused[base]
		wantRefused = wantRefused && m.low
		if e := (*Error)(nil); wantRefused {
			if !errors.Is(err, ErrRange) || !errors.As(err, &e) || e.Symbol != symbol {
				t.Errorf("%s, %s, %s: error %v, want ErrRange about %s", base, m.compiler, m.name, err, symbol)
			}
		} else if err != nil {
			t.Errorf("%s, %s, %s: %v", base, m.compiler, m.name, err)
		}
		if base == "lifetime.cpp" {
			if got := strings.TrimRight(string(arg[:32]), "\x00"); got != log {
				t.Errorf("%s, %s, %s: order of life %q, want %q", base, m.compiler, m.name, got, log)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		row := table[m.compiler+" "+m.name]
		if err == nil {
			row.ran++
		} else {
			row.refused++
		}
		table[m.compiler+" "+m.name] = row
	}
	for _, m := range models() {
		for _, source := range sources(t, "src") {
			if m.compiler == "gcc" && clangOnly[filepath.Base(source)] != nil {
				continue
			}
			busy <- struct{}{}
			wait.Go(func() {
				defer func() { <-busy }()
				one(m, source)
			})
		}
	}
	wait.Wait()
	var total outcome
	for _, m := range models() {
		row := table[m.compiler+" "+m.name]
		t.Logf("%-28s ran %3d  refused %d", m.compiler+" "+m.name, row.ran, row.refused)
		total.ran += row.ran
		total.refused += row.refused
	}
	const wantRan, wantRefused = 325, 10
	if total != (outcome{wantRan, wantRefused}) {
		t.Errorf("ran %d, refused %d; want %d, %d", total.ran, total.refused, wantRan, wantRefused)
	}
}

// TestRefused checks that what the package does not take is refused by name.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	pic := model{"pic small", "clang-22", []string{"-fPIC"}, false}
	static := model{"static small", "clang-22", []string{"-fno-pic"}, false}
	arm := model{"aarch64", "clang-22", []string{"-fPIC", "-target", "aarch64-linux-gnu", "-nostdlibinc"}, false}
	for _, c := range []struct {
		source string
		model  model
		kind   error
		text   string
	}{
		{"tls.c", pic, ErrUnsupported, "thread-local section .tdata: compile with -femulated-tls"},
		{"tls.c", static, ErrUnsupported, "thread-local section .tdata: compile with -femulated-tls"},
		{"tls.c", arm, ErrUnsupported, "thread-local section .tdata: compile with -femulated-tls"},
		{"tls_extern.c", arm, ErrUnsupported, "thread-local symbol counter: compile with -femulated-tls"},
		{"tls_extern.c", pic, ErrUnsupported, "thread-local symbol counter: compile with -femulated-tls"},
		{"ifunc.c", pic, ErrUnsupported, "indirect function (IFUNC) chosen"},
		{"undefined.c", pic, ErrUndefined, "kiln_missing_a, kiln_missing_b, kiln_missing_data"},
	} {
		t.Run(fmt.Sprint(c.source, " ", c.model.name), func(t *testing.T) {
			_, err := loadFile(t, c.model.compile(t, dir, filepath.Join("testdata", "refused", c.source)), Options{})
			if !errors.Is(err, c.kind) || !strings.Contains(fmt.Sprint(err), c.text) {
				t.Errorf("error %v, want %v: ... %s", err, c.kind, c.text)
			}
		})
	}
}
