package manifest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                               "EOF",
		`[]`:                             "cannot unmarshal",
		`{}`:                             "names no kernel",
		`{"kernels": []}`:                "names no kernel",
		`{"kernels": [{}]}`:              "each kernel needs a module",
		`{"kernels": [{"kernel": "k"}]}`: "each kernel needs a module",
		`{"kernels": [{"module": "m"}]}`: "either a name or variables",
		`{"kernels": [{"module": "m", "kernel": "k", "variables": true}]}`:   "either a name or variables",
		`{"kernels": [{"module": "m", "kernel": "k", "optt": "O3"}]}`:        `unknown field "optt"`,
		`{"kernels": [{"module": "m", "kernel": "k", "block": [1, 2, -1]}]}`: "cannot unmarshal",
	} {
		path := filepath.Join(t.TempDir(), "m.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if kernels, err := Read(path); !errors.Is(err, ErrManifest) || kernels != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", text, kernels, err, want)
		}
	}
	if _, err := Read("/nosuch"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if _, err := Read(t.TempDir()); !errors.Is(err, ErrManifest) {
		t.Errorf("an empty folder: %v", err)
	}
}
