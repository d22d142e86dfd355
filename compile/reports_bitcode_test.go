package compile

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/image"
)

// corpus are the files of testdata/bitcode by name, and which LLVM wrote each.
func corpus(t *testing.T) (files map[string][]byte, major map[string]int) {
	t.Helper()
	paths, err := filepath.Glob("../testdata/bitcode/*.bc")
	if err != nil || len(paths) != 16 {
		t.Fatalf("%d files of bitcode, want 4 by each of 4 versions: %v", len(paths), err)
	}
	files, major = map[string][]byte{}, map[string]int{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		_, version, _ := strings.Cut(strings.TrimSuffix(name, ".bc"), ".clang")
		if major[name], err = strconv.Atoi(version); err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	return files, major
}

// mull-project/mull#708, llvm/llvm-project#58628, #57817, #176634, #85075,
// aya-rs/bpf-linker PR#321: bitcode of another version than the reader's was a
// crash or an error about some record. Older bitcode works, by its numbers;
// newer bitcode, on the older library, is an error that names both.
func TestReport57817BitcodeOfOtherVersions(t *testing.T) {
	c := newCompiler(t, Config{})
	files, major := corpus(t)
	for name, module := range files {
		t.Run(name, func(t *testing.T) {
			s, err := c.Summarise(t.Context(), module)
			if major[name] > c.LLVMMajor() {
				kernel := map[bool]string{true: "choose", false: "reverse"}[strings.HasPrefix(name, "host")]
				for _, err := range []error{err, failure(t, c, Request{Module: module, Kernel: kernel})} {
					if s != nil || !errors.Is(err, ErrBadModule) || !strings.Contains(err.Error(), "bitcode made by LLVM"+strconv.Itoa(major[name])+".") ||
						!strings.Contains(err.Error(), "reader is LLVM "+c.Toolchain().Version+": ") {
						t.Errorf("summary %v, error %q; want one that names producer and reader", s, err)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for i := range s.Kernels {
				names = append(names, s.Kernels[i].Name)
			}
			slices.Sort(names)
			if !strings.HasPrefix(s.Producer, "LLVM"+strconv.Itoa(major[name])+".") {
				t.Errorf("producer %q, want LLVM %d", s.Producer, major[name])
			}
			if strings.HasPrefix(name, "host") {
				if diff := cmp.Diff([]string{"choose", "total"}, names); diff != "" {
					t.Errorf("functions (-want +got):\n%s", diff)
				}
				checkHostCorpus(t, c, module)
				return
			}
			if diff := cmp.Diff([]string{"reverse"}, names); diff != "" || s.Kernels[0].SharedBytes != 256 {
				t.Errorf("%d bytes of shared memory, want 256; kernels (-want +got):\n%s", s.Kernels[0].SharedBytes, diff)
			}
			checkReverse(t, c, module)
		})
	}
}

func checkHostCorpus(t *testing.T, c *Compiler, module []byte) {
	t.Helper()
	for _, o := range []Options{{}, {Debug: true}} {
		im := compile(t, c, Request{Module: module, Kernel: "choose", Options: o})
		for _, test := range [][3]int32{{0, 21, 42}, {1, 5, -5}, {7, 0xff, 8}, {3, -9, 81}} {
			params := little(t, test[0], test[1], int32(-1), 4)
			if code := call(t, im, params, once, once); code != 0 || !slices.Equal(params[8:12], little(t, test[2])) {
				t.Errorf("choose(%d, %d): code %d, result % x, want %d", test[0], test[1], code, params[8:12], test[2])
			}
		}
	}
	pairs := []float64{2, math.Float64frombits(3), 10, math.Float64frombits(1)}
	params := little(t, address(pairs), int32(2), 4, math.NaN())
	im := compile(t, c, Request{Module: module, Kernel: "total"})
	if code := call(t, im, params, once, once); code != 0 || !slices.Equal(params[16:], little(t, 2.*3+1+10*1-2)) {
		t.Errorf("total: code %d, result % x, want 15", code, params[16:])
	}
	runtime.KeepAlive(pairs)
}

func checkReverse(t *testing.T, c *Compiler, module []byte) {
	t.Helper()
	out, in, want := make([]float32, 128), make([]float32, 128), make([]float32, 128)
	for i := range in {
		in[i] = float32(i)
		want[i&^63+63-i&63] = 2.5 * float32(i)
	}
	im := compile(t, c, Request{Module: module, Kernel: "reverse"})
	if im.Convention != image.Grid {
		t.Fatalf("convention %v", im.Convention)
	}
	params := little(t, address(out), address(in), float32(2.5), 4)
	if code := call(t, im, params, [3]uint32{2, 1, 1}, [3]uint32{64, 1, 1}); code != 0 {
		t.Fatalf("entry returned %d", code)
	}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("out (-want +got):\n%s", diff)
	}
	runtime.KeepAlive(in)
}
