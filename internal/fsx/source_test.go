package fsx_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/internal/fsx"
)

func TestReadSource(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		if b, err := fsx.ReadSource(path, 5); err != nil || string(b) != "hello" {
			t.Errorf("%s: %q, %v", path, b, err)
		}
		if b, err := fsx.ReadSource(path, 4); b != nil || !errors.Is(err, fsx.ErrTooLarge) {
			t.Errorf("%s, up to 4 bytes: %q, %v", path, b, err)
		}
	}
	if b, err := fsx.ReadSource("/dev/zero", 1<<16); b != nil || !errors.Is(err, fsx.ErrTooLarge) || !strings.Contains(err.Error(), "/dev/zero") {
		t.Errorf("a device without end: %d bytes, %v", len(b), err)
	}
	if b, err := fsx.ReadSource("/dev/null", 1); len(b) != 0 || err != nil {
		t.Errorf("an empty device: %d bytes, %v", len(b), err)
	}
	if _, err := fsx.ReadSource(filepath.Join(dir, "none"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := fsx.ReadSource(dir, 1); err == nil {
		t.Error("a folder is read without an error")
	}
}

func TestReadAll(t *testing.T) {
	if b, err := fsx.ReadAll(strings.NewReader("abc"), 3); string(b) != "abc" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := fsx.ReadAll(strings.NewReader("abcd"), 3); b != nil || !errors.Is(err, fsx.ErrTooLarge) {
		t.Errorf("%q, %v", b, err)
	}
}
