package elfload

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/internal/ffi"
)

func loadFile(t testing.TB, path string, opts Options) (*Image, error) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Parse(b)
	if err != nil {
		return nil, err
	}
	return o.Load(opts)
}

func mustLoad(t testing.TB, obj []byte, opts Options) *Image {
	t.Helper()
	o, err := Parse(obj)
	if err != nil {
		t.Fatal(err)
	}
	im, err := o.Load(opts)
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// mapping is one line of /proc/self/maps.
type mapping struct {
	lo, hi uintptr
	perms  string
}

func mappings(t testing.TB) []mapping {
	t.Helper()
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	var list []mapping
	for line := range strings.Lines(string(b)) {
		var m mapping
		if _, err := fmt.Sscanf(line, "%x-%x %s", &m.lo, &m.hi, &m.perms); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, m)
	}
	return list
}

var contentsPermissions = [classes]string{classText: "r-x", classConst: "r--", classData: "rw-"}

// TestWriteXorExecute looks at the pages of images of every kind.
func TestWriteXorExecute(t *testing.T) {
	for _, p := range prebuilt {
		if p.name == "tls.o" {
			continue
		}
		im := mustLoad(t, readPrebuilt(t, p.name), Options{Frames: true})
		want := contentsPermissions
		for _, m := range mappings(t) {
			if strings.Contains(m.perms, "w") && strings.Contains(m.perms, "x") {
				t.Errorf("%s: mapping %#x is %s", p.name, m.lo, m.perms)
			}
			for c, zone := range im.memory.zones {
				lo := addressOf(zone)
				if m.lo < lo+uintptr(len(zone)) && m.hi > lo && m.perms[:3] != want[c] {
					t.Errorf("%s: zone %d is %s, want %s", p.name, c, m.perms, want[c])
				}
			}
		}
		if err := im.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNothingLeft loads and closes 2,000 images, 100 at a time, and looks for
// mappings that stayed.
func TestNothingLeft(t *testing.T) {
	var objects []*Object
	for _, name := range []string{"kernel.o", "lifetime.o", "exceptions.o", "arrays.o"} {
		o, err := Parse(readPrebuilt(t, name))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	round := func() {
		var images []*Image
		for i := range 100 {
			im, err := objects[i%len(objects)].Load(Options{Frames: i%2 == 0})
			if err != nil {
				t.Fatal(err)
			}
			images = append(images, im)
		}
		for _, im := range images {
			if err := im.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	executable := func() (n int) {
		for _, m := range mappings(t) {
			if strings.Contains(m.perms, "x") {
				n++
			}
		}
		return n
	}
	round()
	wantAll, wantExecutable := len(mappings(t)), executable()
	for range 19 {
		round()
	}
	if got := executable(); got != wantExecutable {
		t.Errorf("%d executable mappings, %d at the start", got, wantExecutable)
	}
	// Go's own heap may have grown by a mapping or two; 2,000 images have 6,000.
	if got := len(mappings(t)); got > wantAll+8 {
		t.Errorf("%d mappings, %d at the start", got, wantAll)
	}
}

// TestFailuresLeaveNothing makes loading fail after memory was mapped.
func TestFailuresLeaveNothing(t *testing.T) {
	obj := assemble([]asmSection{text(make([]byte, 8), asmReloc{0, 2, 1, 0})}, []asmSymbol{{name: "far_away", bind: 1}})
	o, err := Parse(obj)
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(name string) (uintptr, bool) { return 1 << 60, name == "far_away" }
	before := len(mappings(t))
	for range 200 {
		if im, err := o.Load(Options{Resolve: resolve}); im != nil || !errors.Is(err, ErrRange) {
			t.Fatalf("image %v, error %v", im, err)
		}
	}
	if after := len(mappings(t)); after > before+8 {
		t.Errorf("%d mappings, %d before", after, before)
	}
}

func TestSymbol(t *testing.T) {
	im := mustLoad(t, readPrebuilt(t, "kernel.o"), Options{})
	defer im.Close()
	lo, hi := im.TextRange()
	for _, name := range []string{"test", "kernel"} {
		if addr, ok := im.Symbol(name); !ok || addr < lo || addr >= hi {
			t.Errorf("%s: %#x, %v; text is [%#x, %#x)", name, addr, ok, lo, hi)
		}
	}
	for _, name := range []string{"combine", "sin", "", "tes", ".text"} {
		if addr, ok := im.Symbol(name); ok {
			t.Errorf("%s: found at %#x", name, addr)
		}
	}
	if n := testing.AllocsPerRun(100, func() { im.Symbol("test") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if im.Bytes() != 4*4096 {
		t.Errorf("%d bytes", im.Bytes())
	}
}

// TestImagesAreSeparate loads one object twice: each image has its own data.
func TestImagesAreSeparate(t *testing.T) {
	o, err := Parse(readPrebuilt(t, "globals.o"))
	if err != nil {
		t.Fatal(err)
	}
	var counts []int32
	for range 2 {
		im, err := o.Load(Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer im.Close()
		count, _ := im.Symbol("count")
		ffi.Call(count)
		counts = append(counts, int32(ffi.Call(count)))
	}
	if diff := cmp.Diff([]int32{2, 2}, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

// TestConcurrentLoads loads, runs and closes objects of all kinds at once.
func TestConcurrentLoads(t *testing.T) {
	var objects []*Object
	for _, name := range []string{"kernel.o", "exceptions.o", "templates.o", "globals.o"} {
		o, err := Parse(readPrebuilt(t, name))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for i := range 25 {
				im, err := objects[(g+i)%len(objects)].Load(Options{})
				if err != nil {
					t.Error(err)
					return
				}
				test, _ := im.Symbol("test")
				if line := int32(ffi.Call(test, 0)); line != 0 {
					t.Errorf("check in line %d is wrong", line)
				}
				if err := im.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

// TestResolve checks that the caller's symbols come first, and what a symbol
// in the object itself has to say.
func TestResolve(t *testing.T) {
	helper := mustLoad(t, assemble([]asmSection{text([]byte{0xb8, 42, 0, 0, 0, 0xc3})}, []asmSymbol{{name: "f", bind: 1, shndx: 1}}), Options{})
	defer helper.Close()
	f, _ := helper.Symbol("f")
	// jmp to the symbol
	call := func(s asmSymbol) []byte {
		return assemble([]asmSection{text([]byte{0xe9, 0, 0, 0, 0, 0xb8, 7, 0, 0, 0, 0xc3}, asmReloc{1, 4, 2, -4})},
			[]asmSymbol{{name: "test", bind: 1, shndx: 1}, s})
	}
	for _, c := range []struct {
		name   string
		symbol asmSymbol
		want   int32
		asked  []string
	}{
		{"own name", asmSymbol{name: "kiln_f", bind: 1}, 42, []string{"kiln_f"}},
		{"before the process", asmSymbol{name: "getpid", bind: 1}, 42, []string{"getpid"}},
		{"defined inside", asmSymbol{name: "getpid", bind: 1, shndx: 1, value: 5}, 7, nil},
		{"weakly defined inside", asmSymbol{name: "getpid", bind: bindWeak, shndx: 1, value: 5}, 7, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked []string
			im := mustLoad(t, call(c.symbol), Options{Resolve: func(name string) (uintptr, bool) {
				asked = append(asked, name)
				return f, true
			}})
			defer im.Close()
			test, _ := im.Symbol("test")
			if got := int32(ffi.Call(test)); got != c.want {
				t.Errorf("returned %d, want %d", got, c.want)
			}
			if diff := cmp.Diff(c.asked, asked); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
		})
	}
	im := mustLoad(t, call(asmSymbol{name: "getpid", bind: 1}), Options{Resolve: func(string) (uintptr, bool) { return 0, false }})
	defer im.Close()
	test, _ := im.Symbol("test")
	if got := int(ffi.Call(test)); got != os.Getpid() {
		t.Errorf("getpid returned %d, not %d", got, os.Getpid())
	}
}

// TestUndefined checks that all missing symbols are named at once.
func TestUndefined(t *testing.T) {
	obj := assemble([]asmSection{text(nil)}, []asmSymbol{
		{name: "kiln_z", bind: 1}, {name: "kiln_weak", bind: bindWeak}, {name: "getpid", bind: 1}, {name: "kiln_a", bind: 1}, {name: "_ZN4kiln1bEv", bind: 1},
	})
	o, err := Parse(obj)
	if err != nil {
		t.Fatal(err)
	}
	_, err = o.Load(Options{})
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrUndefined) {
		t.Fatalf("error %v", err)
	}
	if diff := cmp.Diff([]string{"_ZN4kiln1bEv", "kiln_a", "kiln_z"}, e.Names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if want := "elfload: undefined symbols: _ZN4kiln1bEv, kiln_a, kiln_z"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

// TestUnwindThrough throws in one image and catches in another, with an image
// between them that has neither handlers nor clean-up: it passes only if that
// one's frames are registered.
func TestUnwindThrough(t *testing.T) {
	dir := t.TempDir()
	build := func(name, source string, flags ...string) []byte {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		m := model{name, "clang-22", append(flags, "-fPIC"), false}
		b, err := os.ReadFile(m.compile(t, dir, path))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	thrower := mustLoad(t, build("thrower.cpp", `extern "C" void raise_it(int k) { throw k; }`), Options{})
	defer thrower.Close()
	resolve := func(im *Image, symbol string) Options {
		addr, _ := im.Symbol(symbol)
		return Options{Frames: true, Resolve: func(name string) (uintptr, bool) { return addr, name == symbol }}
	}
	between := mustLoad(t, build("between.c", `void raise_it(int); int between(int k) { raise_it(k); return 1; }`, "-fasynchronous-unwind-tables"), resolve(thrower, "raise_it"))
	defer between.Close()
	catcher := mustLoad(t, build("catcher.cpp", `extern "C" int between(int);
		extern "C" int test(int k) { try { return between(k); } catch (int x) { return x + 1000; } }`), resolve(between, "between"))
	defer catcher.Close()
	test, _ := catcher.Symbol("test")
	if got := int32(ffi.Call(test, 234)); got != 1234 {
		t.Errorf("caught %d", got)
	}
}

// TestCloseOnce checks that destructors run once.
func TestCloseOnce(t *testing.T) {
	log := scratch(t, 64)
	im := mustLoad(t, readPrebuilt(t, "lifetime.o"), Options{})
	test, _ := im.Symbol("test")
	ffi.Call(test, log.base())
	for range 3 {
		if err := im.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got, _, _ := bytes.Cut(log, []byte{0})
	if want := "123ABLlbaxyz"; string(got) != want {
		t.Errorf("order of life %q, want %q", got, want)
	}
}

// TestLow checks that code that needs it lies below 2 GiB and other code is
// not put there.
func TestLow(t *testing.T) {
	var low []string
	for _, p := range prebuilt {
		if p.name == "tls.o" {
			continue
		}
		im := mustLoad(t, readPrebuilt(t, p.name), Options{})
		if lo, _ := im.TextRange(); lo < 1<<31 {
			low = append(low, p.name)
		}
		im.Close()
	}
	slices.Sort(low)
	if diff := cmp.Diff([]string{"globals.o"}, low); diff != "" {
		t.Errorf("below 2 GiB (-want +got):\n%s", diff)
	}
}
