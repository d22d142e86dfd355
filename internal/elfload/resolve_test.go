package elfload

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fakeLibrary has the symbols it was made with.
type fakeLibrary map[string]uintptr

func (l fakeLibrary) Lookup(name string) (uintptr, error) {
	if addr, ok := l[name]; ok {
		return addr, nil
	}
	return 0, errors.New("no such symbol")
}

func fakeResolver(opened *[]string) *resolver {
	libraries := map[string]fakeLibrary{
		libMath:       {"sin": 10, "__signbitf": 11},
		libGCC:        {"__divti3": 20, "_Unwind_Resume": 21},
		libCxx:        {"_ZTVN10__cxxabiv117__class_type_infoE": 30, "__cxa_throw": 31, "__gxx_personality_v0": 32, "__dynamic_cast": 33, "_ZGVfake": 34},
		libVectorMath: {"_ZGVbN2v_exp": 40},
	}
	return &resolver{
		process: func(name string) (uintptr, bool) { return 1, name == "memcpy" },
		open: func(soname string) (library, error) {
			*opened = append(*opened, soname)
			if l, ok := libraries[soname]; ok {
				return l, nil
			}
			return nil, fmt.Errorf("%s: cannot open", soname)
		},
	}
}

func TestResolverOpensOnlyWhatIsNeeded(t *testing.T) {
	for _, c := range []struct {
		name   string
		want   uintptr
		opened []string
	}{
		{"memcpy", 1, nil},
		{"sin", 10, []string{libMath}},
		{"__signbitf", 11, []string{libGCC, libMath}},
		{"__divti3", 20, []string{libGCC}},
		{"_Unwind_Resume", 21, []string{libGCC}},
		{"_ZTVN10__cxxabiv117__class_type_infoE", 30, []string{libCxx}},
		{"__cxa_throw", 31, []string{libCxx}},
		{"__gxx_personality_v0", 32, []string{libCxx}},
		{"__dynamic_cast", 33, []string{libCxx}},
		{"_ZGVfake", 34, []string{libVectorMath, libCxx}},
		{"_ZGVbN2v_exp", 40, []string{libVectorMath}},
		{"nowhere", 0, []string{libMath, libGCC}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var opened []string
			r := fakeResolver(&opened)
			for range 2 {
				addr, ok, err := r.resolve(c.name)
				if addr != c.want || ok != (c.want != 0) || err != nil {
					t.Errorf("%#x, %v, %v; want %#x", addr, ok, err, c.want)
				}
			}
			if diff := cmp.Diff(c.opened, opened); diff != "" {
				t.Errorf("opened (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMissingLibrary checks that an error names symbol and library, and that
// a weak symbol does without.
func TestMissingLibrary(t *testing.T) {
	var opened []string
	r := fakeResolver(&opened)
	open := r.open
	r.open = func(soname string) (library, error) {
		if soname == libCxx {
			return nil, errors.New("opening library libstdc++.so.6: cannot open shared object file")
		}
		return open(soname)
	}
	load := func(symbols ...asmSymbol) error {
		o, err := Parse(assemble([]asmSection{text(nil)}, symbols))
		if err != nil {
			t.Fatal(err)
		}
		im, err := o.load(Options{}, r, &arenas{})
		if err == nil {
			im.Close()
		}
		return err
	}
	err := load(asmSymbol{name: "__cxa_throw", bind: 1}, asmSymbol{name: "absent", bind: 1})
	want := "elfload: undefined symbols: __cxa_throw, absent; __cxa_throw: opening library libstdc++.so.6: cannot open shared object file"
	if !errors.Is(err, ErrUndefined) || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if err := load(asmSymbol{name: "__cxa_throw", bind: bindWeak}); err != nil {
		t.Error(err)
	}

	// Without libgcc_s an object with handlers cannot be unwound through.
	r = &resolver{process: defaultResolver.process, open: func(soname string) (library, error) {
		if soname == libGCC {
			return nil, errors.New("opening library libgcc_s.so.1: cannot open shared object file")
		}
		return defaultResolver.open(soname)
	}}
	o, err := Parse(readPrebuilt(t, "exceptions.o"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = o.load(Options{Resolve: func(name string) (uintptr, bool) { return 1, strings.HasPrefix(name, "_Unwind") }}, r, &arenas{})
	if !errors.Is(err, ErrUndefined) || !strings.Contains(err.Error(), "__register_frame") || !strings.Contains(err.Error(), libGCC) {
		t.Errorf("error %v", err)
	}
}

func TestResolverConcurrently(t *testing.T) {
	r := &resolver{process: defaultResolver.process, open: defaultResolver.open}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for _, name := range []string{"sin", "memcpy", "__divti3", "kiln_nowhere"} {
				if _, ok, err := r.resolve(name); err != nil || ok != (name != "kiln_nowhere") {
					t.Errorf("%s: %v, %v", name, ok, err)
				}
			}
		})
	}
	wait.Wait()
}

// TestFunctions checks what may be reached by a jump in its place.
func TestFunctions(t *testing.T) {
	r := &resolver{process: defaultResolver.process, open: defaultResolver.open}
	for _, c := range []struct {
		name string
		want bool
	}{
		{"malloc", true},
		{"strlen", true}, // chosen by an indirect function
		{"sin", true},
		{"__gxx_personality_v0", true},
		{"stderr", false},
		{"in6addr_loopback", false},
		{"_ZTIi", false},
	} {
		addr, ok, err := r.resolve(c.name)
		if !ok {
			t.Fatalf("%s: not found: %v", c.name, err)
		}
		if got := r.function(c.name, uint64(addr)); got != c.want {
			t.Errorf("%s: function is %v", c.name, got)
		}
		if r.function(c.name, uint64(addr)+1) {
			t.Errorf("%s: function at another address", c.name)
		}
	}
	if r.function("kiln_never_resolved", 0) {
		t.Error("a name that was never found is a function")
	}
}
