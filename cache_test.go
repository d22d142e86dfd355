package kiln_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/manifest"
)

// Whatever is done to the cache's files, launches give the right result
// (triton-lang/triton PR#8923, Genesis-Embodied-AI/quadrants PR#239: each run
// failed until somebody removed the cache by hand).
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

// A cache that an administrator has filled serves every user: it is read only,
// and a hit in it does not fill the user's folder as well.
func TestSystemCache(t *testing.T) {
	system, user := t.TempDir(), filepath.Join(t.TempDir(), "user")
	run := func(o kiln.CacheOptions) kiln.Stats {
		t.Helper()
		e, err := kiln.Open(kiln.Options{Cache: o, Events: kiln.Events{Warning: func(err error) { t.Error(err) }}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if err := horner(e); err != nil {
			t.Fatal(err)
		}
		return e.Stats()
	}
	if s := run(kiln.CacheOptions{Dir: system, NoSystem: true}); s.Compiles != 1 {
		t.Fatalf("%d compiles", s.Compiles)
	}
	before := listing(t, system)
	if s := run(kiln.CacheOptions{Dir: user, System: system}); s.Compiles != 0 || s.Summaries != 0 || s.CacheHits != 1 || len(s.Tiers) != 3 || s.Tiers[2].Hits != 2 || s.Tiers[1].Puts != 0 {
		t.Errorf("with the system's cache: %+v", s)
	}
	if after := listing(t, system); after != before {
		t.Errorf("the system's folder has changed from\n%s\nto\n%s", before, after)
	}
	if text := listing(t, user); strings.Contains(text, ".kiln") {
		t.Errorf("the user's folder was filled:\n%s", text)
	}
	if s := run(kiln.CacheOptions{Dir: user, System: system, NoSystem: true}); s.Compiles != 1 {
		t.Errorf("without it: %d compiles, want 1", s.Compiles)
	}

	var warnings []error
	e := open(t, kiln.Options{
		Cache:  kiln.CacheOptions{Dir: user, System: "/nosuch/folder"},
		Events: kiln.Events{Warning: func(err error) { warnings = append(warnings, err) }},
	})
	if err := horner(e); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "/nosuch/folder") {
		t.Errorf("%v, warnings %v", err, warnings)
	}
}

// listing returns the files below a folder with their sizes and times.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What a run records names the kernels it launched, whether they were compiled
// or found in the cache, and a folder that cannot be had is one warning.
func TestRecord(t *testing.T) {
	dir, record := t.TempDir(), filepath.Join(t.TempDir(), "record")
	for range 2 {
		e := open(t, kiln.Options{Cache: kiln.CacheOptions{Dir: dir}, Record: record})
		if err := horner(e); err != nil {
			t.Fatal(err)
		}
		kernels, err := manifest.Read(record)
		if err != nil || len(kernels) != 1 || kernels[0].Kernel != "horner" {
			t.Errorf("recorded %v, %v", kernels, err)
		}
		if err := os.RemoveAll(record); err != nil {
			t.Fatal(err)
		}
	}
	var warnings []error
	e := open(t, kiln.Options{
		Cache: kiln.CacheOptions{Dir: dir}, Record: "/dev/null/record",
		Events: kiln.Events{Warning: func(err error) { warnings = append(warnings, err) }},
	})
	if err := horner(e); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "/dev/null/record") {
		t.Errorf("%v, warnings %v", err, warnings)
	}
}
