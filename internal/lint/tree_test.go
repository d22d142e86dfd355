package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/kilnjit/kiln"
)

// file is one file of the source tree.
type file struct {
	path   string // below the root, with slashes
	text   []byte
	syntax *ast.File // of a Go file
	fset   *token.FileSet
}

func (f *file) isGo() bool        { return f.syntax != nil }
func (f *file) isTest() bool      { return strings.HasSuffix(f.path, "_test.go") }
func (f *file) isGenerated() bool { return strings.HasPrefix(filepath.Base(f.path), "zz_") }

// dir is the file's folder below the root, "." for the root itself.
func (f *file) dir() string { return filepath.ToSlash(filepath.Dir(f.path)) }

func (f *file) position(p token.Pos) string {
	at := f.fset.Position(p)
	at.Filename = f.path
	return at.String()
}

// parse makes a file of text, as if it lay at path.
func parse(path string, text []byte) (*file, error) {
	f := &file{path: path, text: text}
	if !strings.HasSuffix(path, ".go") {
		return f, nil
	}
	f.fset = token.NewFileSet()
	var err error
	f.syntax, err = parser.ParseFile(f.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	return f, err
}

var readTree = sync.OnceValues(func() ([]*file, error) {
	var files []*file
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if rel == ".git" || rel == "bin" || rel == "dump" {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			text = nil // a binary: only its name is looked at
		}
		rel = filepath.ToSlash(rel)
		if strings.Contains("/"+rel, "/testdata/") {
			files = append(files, &file{path: rel, text: text})
			return nil
		}
		f, err := parse(rel, text)
		files = append(files, f)
		return err
	})
	return files, err
})

// tree returns every file of the repository.
func tree(t *testing.T) []*file {
	t.Helper()
	files, err := readTree()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 50 {
		t.Fatalf("only %d files found below %s: the walk is wrong", len(files), root)
	}
	return files
}

// check runs one rule over the tree.
func check(t *testing.T, rule func(*file) []string) {
	t.Helper()
	for _, f := range tree(t) {
		for _, fault := range rule(f) {
			t.Error(fault)
		}
	}
}

// sample is a snippet that a rule is tried on, with the number of faults it has.
type sample struct {
	path, text string
	faults     int
}

// try shows that a rule finds what it is meant to find and nothing else.
func try(t *testing.T, rule func(*file) []string, samples []sample) {
	t.Helper()
	for _, s := range samples {
		f, err := parse(s.path, []byte(s.text))
		if err != nil {
			t.Fatalf("%s: %v", s.path, err)
		}
		if got := rule(f); len(got) != s.faults {
			t.Errorf("%s: %d faults, want %d: %q\n%s", s.path, len(got), s.faults, got, s.text)
		}
	}
}
