package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := readNamed(file, 5); string(b) != "hello" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	for _, path := range []string{file, "/dev/zero"} {
		if b, err := readNamed(path, 4); b != nil || !errors.Is(err, errTooLarge) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s, up to 4 bytes: %q, %v", path, b, err)
		}
	}
	if _, err := readNamed(filepath.Join(dir, "none"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if b, err := readBounded(strings.NewReader("abcd"), 3); b != nil || !errors.Is(err, errTooLarge) {
		t.Errorf("%q, %v", b, err)
	}
}
