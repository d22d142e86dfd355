package kiln_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
)

// Whatever is done to the cache's files, launches give the right result.
func TestDamagedCacheIsAMiss(t *testing.T) {
	dir := t.TempDir()
	run := func(t *testing.T) kiln.Stats {
		t.Helper()
		e, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Dir: dir}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		var y float32
		if err := kernel(t, e, "horner").Launch(t.Context(), kiln.Arg(float32(2)), kiln.Const(float32(3)), kiln.Arg(float32(4)), kiln.Arg(float32(5)), kiln.Result(&y)); err != nil {
			t.Fatal(err)
		}
		if y != 25 {
			t.Fatalf("y = %g, want 25", y)
		}
		return e.Stats()
	}
	run(t)
	damage := map[string]func(path string, data []byte) error{
		"truncated":  func(p string, d []byte) error { return os.WriteFile(p, d[:len(d)/2], 0o600) },
		"empty":      func(p string, d []byte) error { return os.WriteFile(p, nil, 0o600) },
		"bit flip":   func(p string, d []byte) error { d[len(d)*3/4] ^= 4; return os.WriteFile(p, d, 0o600) },
		"zeros":      func(p string, d []byte) error { return os.WriteFile(p, make([]byte, len(d)), 0o600) },
		"a folder":   func(p string, d []byte) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) },
		"other file": func(p string, d []byte) error { return os.WriteFile(p, []byte("not an entry"), 0o600) },
	}
	for name, harm := range damage {
		t.Run(name, func(t *testing.T) {
			if s := run(t); s.Compiles != 0 {
				t.Fatalf("%d compiles with a whole cache, want 0", s.Compiles)
			}
			n := 0
			err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "README") {
					return err
				}
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				if len(data) == 0 {
					return nil // the store's own time stamp
				}
				n++
				return harm(path, data)
			})
			if err != nil {
				t.Fatal(err)
			}
			if n < 2 {
				t.Fatalf("%d entries, want the summary and the image", n)
			}
			if s := run(t); s.Compiles != 1 || s.Summaries != 1 {
				t.Errorf("%d compiles and %d summaries after the damage, want 1 and 1", s.Compiles, s.Summaries)
			}
		})
	}
}

func TestUnusableCacheFolderIsAWarning(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var warnings []error
	e := open(t, kiln.Options{
		Cache:  kiln.CacheOptions{Dir: filepath.Join(file, "cache")},
		Events: kiln.Events{Warning: func(err error) { warnings = append(warnings, err) }},
	})
	for range 3 {
		var y float32
		if err := kernel(t, e, "horner").Launch(t.Context(), kiln.Arg(float32(2)), kiln.Arg(float32(3)), kiln.Arg(float32(4)), kiln.Arg(float32(5)), kiln.Result(&y)); err != nil || y != 25 {
			t.Fatalf("y = %g, error %v", y, err)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), file) {
		t.Errorf("warnings %v, want one that names %s", warnings, file)
	}
}

// Other bytes of libLLVM, told by the build id in the file, are another key.
func TestOtherLLVMIsAMiss(t *testing.T) {
	const installed = "/usr/lib/x86_64-linux-gnu/libLLVM.so.22.1"
	data, err := os.ReadFile(installed)
	if err != nil {
		t.Fatal(err)
	}
	key := func(path string) [32]byte {
		c, err := compile.New(compile.Config{LLVM: path})
		if err != nil {
			t.Fatal(err)
		}
		r := compile.Request{Module: []byte(polyIR), Kernel: "horner", Toolchain: c.Toolchain()}
		return r.Digest()
	}
	before := key(installed)
	i := strings.Index(string(data), "GNU\x00")
	if i < 0 {
		t.Fatal("no build id in the library")
	}
	data[i+4] ^= 1
	changed := filepath.Join(t.TempDir(), "libLLVM.so.22.1")
	if err := os.WriteFile(changed, data, 0o700); err != nil {
		t.Fatal(err)
	}
	if after := key(changed); after == before {
		t.Errorf("the key %x did not change with the library", after)
	}
}
