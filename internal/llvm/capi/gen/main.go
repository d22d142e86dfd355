// Command gen writes package capi's zz_*.go from the C headers of LLVM: one
// typed Go function for each C function, the types and constants that they
// use, and the table that says which LLVM has which symbol.
//
//	go run ./internal/llvm/capi/gen [-out folder] [-include /usr/include]
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", ".", "folder that the Go files are written to")
	include := flag.String("include", "/usr/include", "folder that holds llvm-c-19 and llvm-c-22")
	flag.Parse()
	if err := run(*include, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(include, out string) error {
	files, err := generate(include)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the generated files by name.
func generate(include string) (map[string][]byte, error) {
	var apis []*api
	for _, version := range versions {
		a, err := parseHeaders(filepath.Join(include, fmt.Sprintf("llvm-c-%d", version), "llvm-c"))
		if err != nil {
			return nil, fmt.Errorf("LLVM %d: %w", version, err)
		}
		addTargets(a)
		apis = append(apis, a)
	}
	merged, err := merge(apis)
	if err != nil {
		return nil, err
	}
	return emit(merged)
}
