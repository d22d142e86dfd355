package fsx_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kilnjit/kiln/internal/fsx"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for _, size := range []int{0, 1, 4095, 4096, 4097, 10_240, 1 << 20} {
		want := bytes.Repeat([]byte{'k', 1, 2}, size/3+1)[:size]
		path := dir + "/f"
		if err := os.WriteFile(path, want, 0o640); err != nil {
			t.Fatal(err)
		}
		got, err := fsx.ReadFile(path, int64(size))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
		head, stat, err := fsx.OS{}.ReadHead(path, 100)
		if err != nil || !bytes.Equal(head, want[:min(size, 100)]) || stat.Size != int64(size) {
			t.Errorf("head of %d bytes: got %d, size %d, %v", size, len(head), stat.Size, err)
		}
		info, err := os.Stat(path)
		if err != nil || !stat.ModTime.Equal(info.ModTime()) || stat.Mode != 0o640 || stat.UID != os.Geteuid() {
			t.Errorf("stat %+v, want %v of mode %v", stat, info.ModTime(), info.Mode())
		}
		if size > 0 {
			if got, err := fsx.ReadFile(path, int64(size-1)); got != nil || !errors.Is(err, fsx.ErrTooLarge) {
				t.Errorf("one byte too large: got %d, %v", len(got), err)
			}
		}
	}
}

// The kernel says that such files are empty.
func TestReadFileOfUnknownSize(t *testing.T) {
	const path = "/proc/self/status"
	got, err := fsx.ReadFile(path, 1<<20)
	if err != nil || !strings.HasPrefix(string(got), "Name:") || !strings.Contains(string(got), "nonvoluntary") {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := fsx.ReadFile(path, 10); got != nil || !errors.Is(err, fsx.ErrTooLarge) {
		t.Errorf("with a limit of 10 bytes: %d bytes, %v", len(got), err)
	}
}

func TestReadFileErrors(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(dir+"/file", []byte("x"), 0o600))
	must(os.Symlink("file", dir+"/link"))
	must(syscall.Mkfifo(dir+"/pipe", 0o600))
	for path, want := range map[string]error{
		"/absent":  fs.ErrNotExist,
		"/file/x":  syscall.ENOTDIR,
		"/link":    fsx.ErrNotRegular,
		"/pipe":    fsx.ErrNotRegular,
		"":         fsx.ErrNotRegular,
		"/nul\x00": syscall.EINVAL,
	} {
		got, err := fsx.ReadFile(dir+path, 100)
		var pathErr *fs.PathError
		if got != nil || !errors.Is(err, want) || !errors.As(err, &pathErr) || pathErr.Path != dir+path {
			t.Errorf("%q: %q, %v; want %v", path, got, err, want)
		}
	}
	if _, err := fsx.ReadFile("/dev/zero", 100); !errors.Is(err, fsx.ErrNotRegular) {
		t.Errorf("/dev/zero: %v", err)
	}
}

func TestReadFileLeavesNothingOpen(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/f", make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() int {
		names, err := fsx.OS{}.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	before := open()
	for range 50 {
		for _, max := range []int64{100, 10} {
			_, _ = fsx.ReadFile(dir+"/f", max)
			_, _ = fsx.ReadFile(dir, max)
		}
	}
	if after := open(); after != before {
		t.Errorf("%d files open, %d before", after, before)
	}
}

func TestChanges(t *testing.T) {
	dir := t.TempDir()
	var osfs fsx.OS
	f, err := osfs.Create(dir+"/a", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("hello")); n != 5 || err != nil {
		t.Error(n, err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Error(err)
	}
	if f, err := osfs.Create(dir+"/a", 0o600); f != nil || !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second Create: %v, %v", f, err)
	}
	if err := osfs.Rename(dir+"/a", dir+"/b"); err != nil {
		t.Error(err)
	}
	if err := osfs.Rename(dir+"/a", dir+"/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("renaming what is gone: %v", err)
	}
	if err := osfs.Mkdir(dir+"/d", 0o700); err != nil {
		t.Error(err)
	}
	if err := osfs.Rename(dir+"/b", dir+"/d"); !errors.Is(err, syscall.EISDIR) && !errors.Is(err, fs.ErrExist) {
		t.Errorf("renaming a file over a folder: %v", err)
	}
	at := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := osfs.Touch(dir+"/b", at); err != nil {
		t.Error(err)
	}
	if stat, err := osfs.Lstat(dir + "/b"); err != nil || stat.Size != 5 || !stat.ModTime.Equal(at) || !stat.Mode.IsRegular() {
		t.Errorf("Lstat: %+v, %v", stat, err)
	}
	if stat, err := osfs.Stat(dir + "/d"); err != nil || !stat.Mode.IsDir() {
		t.Errorf("Stat: %+v, %v", stat, err)
	}
	names, err := osfs.ReadDir(dir)
	slices.Sort(names)
	if err != nil || !slices.Equal(names, []string{"b", "d"}) {
		t.Errorf("ReadDir: %v, %v", names, err)
	}
	if err := errors.Join(osfs.Remove(dir+"/b"), osfs.Remove(dir+"/d")); err != nil {
		t.Error(err)
	}
}

func TestMkdirAll(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := fsx.MkdirAll(fsx.OS{}, dir+"/a/b/c", 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(dir + "/a/b/c"); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.WriteFile(dir+"/f", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := fsx.MkdirAll(fsx.OS{}, dir+"/f/a/b", 0o700); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("below a file: %v", err)
	}
}

func BenchmarkReadFile10KB(b *testing.B) {
	path := b.TempDir() + "/f"
	if err := os.WriteFile(path, make([]byte, 10_240), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("fsx", func(b *testing.B) {
		for b.Loop() {
			if _, err := fsx.ReadFile(path, 1<<20); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("os", func(b *testing.B) {
		for b.Loop() {
			if _, err := os.ReadFile(path); err != nil {
				b.Fatal(err)
			}
		}
	})
}
