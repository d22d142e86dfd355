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

// deep writes a module with a type so deep that LLVM's parser crashes of it, and
// a kernel: deep FILE.
func deep(ts *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 1 {
		ts.Fatalf("usage: deep FILE")
	}
	const n = 400_000
	ir := "@g = external global " + strings.Repeat("[1 x ", n) + "i8" + strings.Repeat("]", n) + "\ndefine void @k(ptr %p) {\n  ret void\n}\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ir), 0o600))
}
