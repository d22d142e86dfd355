package cpu

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the committed objects and what they were made from")

const compiler = "clang-22"

// nativeFlags make objects that say nothing of the machine they were made on.
var nativeFlags = []string{
	"--target=x86_64-unknown-linux-gnu", "-march=x86-64", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror",
	"-fno-ident", "-fno-stack-protector", "-fcf-protection=none",
}

// TestNativeObjects holds the committed objects to their sources. An object
// made by the recorded compiler must have the same bytes; another one's may
// differ, but the sources must be those that were recorded.
func TestNativeObjects(t *testing.T) {
	version, err := exec.Command(compiler, "--version").Output()
	if err != nil {
		t.Fatalf("%s: %v (install it)", compiler, err)
	}
	first, _, _ := strings.Cut(string(version), "\n")
	record := first + "\n" + sourceDigest(t) + "\n"

	objects := map[string][]string{
		"runtime": {"-std=gnu11", "-fno-asynchronous-unwind-tables", "runtime.c"},
		"barrier": {"-std=c++17", "barrier.cpp"},
	}
	built := map[string][]byte{}
	for name, args := range objects {
		path := filepath.Join(t.TempDir(), name+".o")
		cmd := exec.Command(compiler, slices.Concat(nativeFlags, []string{"-c", "-o", path}, args)...)
		cmd.Dir = "native"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
		if built[name], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	const recordPath = "native/objects.txt"
	if *update {
		for name, object := range built {
			if err := os.WriteFile("native/"+name+"_amd64.o", object, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(recordPath, []byte(record), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded, err := os.ReadFile(recordPath)
	if err != nil {
		t.Fatal(err)
	}
	compilerWas, digestWas, _ := strings.Cut(strings.TrimSpace(string(recorded)), "\n")
	if digestWas != sourceDigest(t) {
		t.Errorf("sources have changed since the objects were made: run go generate in device/cpu")
	}
	if compilerWas != first {
		t.Logf("objects were made by %s, not compared with those of %s", compilerWas, first)
		return
	}
	for name, object := range built {
		committed, err := os.ReadFile("native/" + name + "_amd64.o")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(committed, object) {
			t.Errorf("%s_amd64.o is not what its sources compile to: run go generate in device/cpu", name)
		}
	}
}

func sourceDigest(t *testing.T) string {
	t.Helper()
	h := sha256.New()
	fmt.Fprintln(h, nativeFlags)
	entries, err := os.ReadDir("native")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if !slices.Contains([]string{".h", ".c", ".cpp"}, filepath.Ext(name)) {
			continue
		}
		content, err := os.ReadFile(filepath.Join("native", name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(content), content)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
