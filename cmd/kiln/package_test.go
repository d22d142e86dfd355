package main

import (
	"bytes"
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// execute runs a program in the repository's root and returns what it printed.
func execute(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = "../.."
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "SOURCE_DATE_EPOCH=1700000000")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

// built returns the path of a kiln that was built for packages.
func built(t *testing.T) string {
	program := filepath.Join(t.TempDir(), "kiln")
	execute(t, "go", "build", "-trimpath", "-buildvcs=false", "-buildmode=pie", "-ldflags=-s -w -bindnow", "-o", program, "./cmd/kiln")
	return program
}

// TestInstall: make install puts the program, a page for each command and the
// completions below PREFIX, and make uninstall takes all of it away.
func TestInstall(t *testing.T) {
	if raceEnabled {
		t.Skip("programs of the Go command's own build have no race detector")
	}
	program, root := built(t), t.TempDir()
	execute(t, "make", "place", "KILN="+program, "DESTDIR="+root, "PREFIX=/opt/kiln")
	for _, path := range []string{
		"bin/kiln", "share/man/man1/kiln.1", "share/man/man1/kiln-run.1", "share/doc/kiln/LICENSE",
		"share/bash-completion/completions/kiln", "share/zsh/site-functions/_kiln", "share/fish/vendor_completions.d/kiln.fish",
	} {
		if info, err := os.Stat(filepath.Join(root, "opt/kiln", path)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	if said := execute(t, filepath.Join(root, "opt/kiln/bin/kiln"), "version"); !strings.Contains(said, version) {
		t.Errorf("the installed program says %q", said)
	}
	execute(t, "make", "uninstall", "DESTDIR="+root, "PREFIX=/opt/kiln")
	if left := strings.Fields(execute(t, "find", root, "-type", "f")); len(left) > 0 {
		t.Errorf("left after uninstalling: %s", left)
	}
}

// TestDebianPackage: it holds what is installed, is the same each time, and
// lintian, where it is installed, has nothing to say.
func TestDebianPackage(t *testing.T) {
	if raceEnabled {
		t.Skip("programs of the Go command's own build have no race detector")
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("dpkg-deb is not installed")
	}
	program := built(t)
	var sums [][32]byte
	var deb string
	for range 2 {
		root, out := t.TempDir(), t.TempDir()
		execute(t, "make", "place", "KILN="+program, "DESTDIR="+root, "PREFIX=/usr")
		deb = strings.TrimSpace(execute(t, "scripts/deb", root, "0.1.0-dev", out))
		data, err := os.ReadFile(deb)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sha256.Sum256(data))
	}
	if sums[0] != sums[1] {
		t.Error("two packages of the same files differ")
	}
	if got := execute(t, "dpkg-deb", "-f", deb, "Version"); got != "0.1.0~dev\n" {
		t.Errorf("version %q", got)
	}
	listed := execute(t, "dpkg-deb", "-c", deb)
	for _, path := range []string{"./usr/bin/kiln", "./usr/share/man/man1/kiln-bench.1.gz", "./usr/share/doc/kiln/copyright", "./usr/share/zsh/vendor-completions/_kiln"} {
		if !strings.Contains(listed, path+"\n") {
			t.Errorf("%s is not in the package:\n%s", path, listed)
		}
	}
	if _, err := exec.LookPath("lintian"); err == nil {
		if said := execute(t, "lintian", "--allow-root", "--fail-on", "error,warning", deb); said != "" {
			t.Errorf("lintian: %s", said)
		}
	}
}

// TestCopyright: the package's copyright file names every module that is
// linked into the program.
func TestCopyright(t *testing.T) {
	text, err := os.ReadFile("../../packaging/debian/copyright")
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(execute(t, "go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./cmd/kiln"))
	slices.Sort(modules)
	for _, module := range slices.Compact(modules) {
		if !strings.Contains(string(text), module) {
			t.Errorf("packaging/debian/copyright does not name %s, which is part of the program", module)
		}
	}
}
