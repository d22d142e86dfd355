package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// damage flips a byte in the middle of one entry below a folder: damage DIR.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	var entry string
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".kiln") {
			entry = path
		}
		return err
	}))
	data, err := os.ReadFile(entry)
	ts.Check(err)
	data[len(data)/2] ^= 1
	ts.Check(os.WriteFile(entry, data, 0o600))
}
