package kiln_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
)

func loadFile(t *testing.T, e *kiln.Engine, path string) *kiln.Module {
	t.Helper()
	m, err := e.Load(t.Context(), kiln.File(path))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func launch(t *testing.T, m *kiln.Module, kernel string, args ...kiln.LaunchArg) {
	t.Helper()
	k, err := m.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(t.Context(), args...); err != nil {
		t.Fatalf("%s: %+v", kernel, err)
	}
}

// view returns the named variable as elements of T.
func view[T any](t *testing.T, m *kiln.Module, name string) *kiln.Buffer[T] {
	t.Helper()
	g, err := m.Global(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	b, err := kiln.View[T](g)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func set[T any](t *testing.T, m *kiln.Module, name string, values ...T) {
	t.Helper()
	if err := view[T](t, m, name).Write(values); err != nil {
		t.Fatal(err)
	}
}

func get[T any](t *testing.T, m *kiln.Module, name string) T {
	t.Helper()
	var v [1]T
	if err := view[T](t, m, name).Read(v[:]); err != nil {
		t.Fatal(err)
	}
	return v[0]
}

// deviceImages are the modules of globals.cu.
var deviceImages = []string{"testdata/globals/globals.sm_80.bc", "testdata/globals/globals.gfx90a.bc"}

// Olympus-HPC/proteus#211, #15 and #319, NVIDIA/jitify#46, #47 and #49: every
// kernel of a module, in every form, and the host mean the same variable.
// Arrays, constant memory, namespaces, weak and static variables, and pointers
// to others; one that no kernel uses does no harm.
func TestDeviceGlobals(t *testing.T) {
	for _, path := range deviceImages {
		t.Run(path, func(t *testing.T) {
			m := loadFile(t, open(t, kiln.Options{}), path)
			values := func(name string, want []float64) {
				t.Helper()
				out := make([]float64, 7)
				launch(t, m, "read_all", kiln.Arg(out))
				if diff := cmp.Diff(want, out); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			values("as the module says", []float64{7, 0, 4321, 11, 100, -5, 7})

			launch(t, m, "write_all", kiln.Arg(int32(2)))
			values("as another kernel wrote", []float64{9, 6, 4321, 9, 102, -10, 9})
			launch(t, m, "write_all", kiln.Const(int32(2)))
			values("as another form of it wrote", []float64{11, 6, 4321, 7, 104, -20, 11})
			if got := get[int32](t, m, "counter"); got != 11 {
				t.Errorf("the host reads counter = %d, want 11", got)
			}
			if got := get[int64](t, m, "_ZN5outer5inner5totalE"); got != -20 {
				t.Errorf("the host reads outer::inner::total = %d, want -20", got)
			}

			set(t, m, "counter", int32(1000))
			set[float32](t, m, "table", 0, 0, 0, 2.5)
			set[float32](t, m, "factors", 9, 8, 7, 6)
			set(t, m, "weak", int32(-3))
			set(t, m, "_ZN5outer5inner5totalE", int64(1)<<40)
			values("as the host wrote", []float64{1000, 2.5, 9 + 80 + 700 + 6000, -3, 104, 1 << 40, 1000})
			launch(t, m, "read_all", kiln.Arg(make([]float64, 7)), kiln.ConstBlock(1))
			launch(t, m, "count", kiln.Grid(100), kiln.Block(10))
			if got := get[int32](t, m, "counter"); got != 2000 {
				t.Errorf("after 1000 atomic increments counter = %d, want 2000", got)
			}
			if got := get[[1000]int32](t, m, "never_used"); got != ([1000]int32{}) {
				t.Error("the unused variable is not zero")
			}
		})
	}
}

// The host may set a variable before anything is compiled, and what it set is
// there for the first kernel.
func TestGlobalBeforeFirstLaunch(t *testing.T) {
	m := loadFile(t, open(t, kiln.Options{}), deviceImages[0])
	set(t, m, "counter", int32(-1))
	out := make([]float64, 7)
	launch(t, m, "read_all", kiln.Arg(out))
	if out[0] != -1 || out[6] != -1 {
		t.Errorf("counter %g, through the pointer %g, want -1", out[0], out[6])
	}
}

// A device variable may start with a function that stands by itself. One that
// does not is told to those who use it, and to nobody else.
func TestGlobalsWithFunctions(t *testing.T) {
	e := open(t, kiln.Options{})
	m := loadFile(t, e, "testdata/globals/functions.sm_80.bc")
	var out [1]int32
	launch(t, m, "operate", kiln.Arg(out[:]), kiln.Arg(int32(20)))
	if out[0] != 43 {
		t.Errorf("through a variable: %d, want 2·20 + 3", out[0])
	}
	if got := get[uint64](t, m, "operation"); got == 0 {
		t.Error("the host reads no address")
	}
	unusable, err := m.Kernel("use_unusable")
	if err != nil {
		t.Fatal(err)
	}
	want := `variable "unusable" is left out: not supported by kernels on the CPU: ids read in a function that cannot be inlined`
	if err := unusable.Launch(t.Context(), kiln.Arg(out[:]), kiln.Arg(int32(1))); !errors.Is(err, compile.ErrUnsupported) || !strings.Contains(err.Error(), want) {
		t.Errorf("launch: %v", err)
	}
	if g, err := m.Global(t.Context(), "unusable"); g != nil || !errors.Is(err, kiln.ErrNoGlobal) || !strings.Contains(err.Error(), want) {
		t.Errorf("global: %v, %v", g, err)
	}
}

// A second engine finds kernels and variables in the disk cache, and these
// begin anew.
func TestGlobalsFromTheCache(t *testing.T) {
	dir := t.TempDir()
	for round, compiles := range []int64{2, 0} {
		e := open(t, kiln.Options{Cache: kiln.CacheOptions{Dir: dir}})
		m := loadFile(t, e, deviceImages[0])
		launch(t, m, "count", kiln.Grid(10))
		if got := get[int32](t, m, "counter"); got != 17 {
			t.Errorf("round %d: counter is %d, want 17", round, got)
		}
		if got := e.Stats().Compiles; got != compiles {
			t.Errorf("round %d: %d compiles, want %d", round, got, compiles)
		}
	}
}

func moduleOf(t *testing.T, e *kiln.Engine, name string, start int) *kiln.Module {
	t.Helper()
	m, err := e.Load(t.Context(), kiln.Bytes(name, fmt.Appendf(nil, `
target triple = "x86_64-unknown-linux-gnu"
@state = internal global i32 %d
define i32 @next() {
  %%1 = load i32, ptr @state
  %%2 = add i32 %%1, 1
  store i32 %%2, ptr @state
  ret i32 %%2
}`, start)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Olympus-HPC/proteus#319: variables of one name in two modules are two. Two
// engines do not share any, and modules of the same bytes are one.
func TestGlobalsOfTwoModules(t *testing.T) {
	e := open(t, kiln.Options{})
	next := func(m *kiln.Module) (n int32) {
		t.Helper()
		launch(t, m, "next", kiln.Result(&n))
		return n
	}
	a, b := moduleOf(t, e, "a", 0), moduleOf(t, e, "b", 100)
	other := moduleOf(t, open(t, kiln.Options{}), "a", 0)
	again := moduleOf(t, e, "a again", 0)
	got := []int32{next(a), next(b), next(a), next(other), next(again), next(b)}
	if diff := cmp.Diff([]int32{1, 101, 2, 1, 3, 102}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGlobalErrors(t *testing.T) {
	e := open(t, kiln.Options{})
	m := loadFile(t, e, "testdata/globals/host.bc")
	for name, want := range map[string]string{
		"nothing":      `host.bc has no variable "nothing"; it has `,
		"_ZL8internal": "has no variable",
	} {
		g, err := m.Global(t.Context(), name)
		if g != nil || !errors.Is(err, kiln.ErrNoGlobal) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, g, err)
		}
	}
	g, err := m.Global(t.Context(), "array")
	if err != nil {
		t.Fatal(err)
	}
	if g.Name() != "array" || g.Bytes() != 12 {
		t.Errorf("%s of %d bytes", g.Name(), g.Bytes())
	}
	if _, err := kiln.View[int64](g); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("12 bytes as int64: %v", err)
	}
	if _, err := kiln.View[*int32](g); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("as pointers: %v", err)
	}
	if err := g.Write(make([]byte, 13)); err == nil {
		t.Error("13 bytes were written to 12")
	}
	if err := view[int32](t, m, "array").Free(); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("freeing a variable: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.Read(make([]byte, 4)); err == nil {
		t.Error("a variable was read after its engine was closed")
	}
	if _, err := m.Global(t.Context(), "array"); !errors.Is(err, kiln.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

// What is stored holds no address of a variable: neither the image of a kernel
// that runs, nor that of the variables that are loaded.
func TestStoredImagesHoldNoAddress(t *testing.T) {
	for _, path := range append(deviceImages, "testdata/globals/host.bc") {
		e := open(t, kiln.Options{})
		m := loadFile(t, e, path)
		name := map[bool]string{true: "array", false: "table"}[strings.HasSuffix(path, "host.bc")]
		host := view[byte](t, m, name).Host()
		address := addressOf(host)

		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		compiler, err := compile.New(compile.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer compiler.Close()
		requests := []compile.Request{{Variables: true}}
		for _, k := range m.Summary().Kernels {
			requests = append(requests, compile.Request{Kernel: k.Name})
		}
		slots := 0
		for _, r := range requests {
			r.Module, r.Toolchain = data, compiler.Toolchain()
			r.Target = e.Device().Target().Narrow(compiler.LLVMMajor())
			im, err := e.Compile(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			slots += len(im.Globals)
			stored := im.Marshal()
			// Any variable lies near: the low bits are left out.
			if page := binary.LittleEndian.AppendUint64(nil, address)[2:6]; bytes.Contains(stored, page) {
				t.Errorf("%s, %q: the stored image holds the address %#x", path, r.Kernel, address)
			}
			checkSymbols(t, im)
		}
		if slots == 0 {
			t.Errorf("%s: no image uses a variable", path)
		}
	}
}

// checkSymbols: what an image uses is undefined in its object, what it holds is
// defined, and the sections are at no address.
func checkSymbols(t *testing.T, im *image.Image) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(im.Payload))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Sections {
		if s.Addr != 0 {
			t.Errorf("section %s has address %#x", s.Name, s.Addr)
		}
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	for _, s := range symbols {
		defined[s.Name] = s.Section != elf.SHN_UNDEF
	}
	for want, slots := range map[bool][]image.Slot{false: im.Globals, true: im.Variables} {
		for _, s := range slots {
			if is, ok := defined[s.Symbol()]; !ok || is != want {
				t.Errorf("%q: symbol %s of variable %q: there %v, defined %v, want %v", im.Kernel, s.Symbol(), s.Name, ok, is, want)
			}
		}
	}
}
