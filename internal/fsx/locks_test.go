package fsx_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/kilnjit/kiln/internal/fsx"
	"github.com/kilnjit/kiln/internal/fsx/fsxtest"
)

// Both file systems lock alike.
func TestLocks(t *testing.T) {
	for name, fsys := range map[string]fsx.FS{"os": fsx.OS{}, "mem": fsxtest.NewMem()} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if name == "mem" {
				dir = ""
			}
			path := dir + "/locks"
			openLocks := func() fsx.Locks {
				l, err := fsys.OpenLocks(path, 0o600)
				if err != nil {
					t.Fatal(err)
				}
				return l
			}
			a, b := openLocks(), openLocks()
			defer b.Close()
			try := func(l fsx.Locks, n int64, want bool) {
				t.Helper()
				if got, err := l.Try(n); got != want || err != nil {
					t.Errorf("Try(%d) = %t, %v; want %t", n, got, err, want)
				}
			}
			const big = 1<<62 - 1
			try(a, 0, true)
			try(a, big, true)
			try(a, 0, false)
			try(b, 0, false)
			try(b, 1, true)
			try(a, 1, false)
			if err := a.Unlock(0); err != nil {
				t.Error(err)
			}
			try(b, 0, true)
			try(b, big, false)
			if err := a.Close(); err != nil {
				t.Error(err)
			}
			try(b, big, true)
			if _, err := fsys.OpenLocks(dir+"/nosuch/locks", 0o600); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("in no folder: %v", err)
			}
		})
	}
}

// Closing another descriptor of the file gives up nothing, and what is closed
// locks nothing.
func TestLocksStandAlone(t *testing.T) {
	path := t.TempDir() + "/locks"
	a, err := fsx.OS{}.OpenLocks(path, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Try(5); !got || err != nil {
		t.Fatal(got, err)
	}
	if f, err := os.OpenFile(path, os.O_RDWR, 0); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	b, err := fsx.OS{}.OpenLocks(path, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := b.Try(5); got || err != nil {
		t.Errorf("Try = %t, %v after another descriptor was closed", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 || info.Size() != 0 {
		t.Errorf("%v, %v", info, err)
	}
	a.Close()
	if got, err := a.Try(6); got || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: Try = %t, %v", got, err)
	}
	if err := a.Unlock(5); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: Unlock = %v", err)
	}
	b.Close()
}
