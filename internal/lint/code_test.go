package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unsafeFaults: unsafe only where the file's name says so, cgo only below abi.
func unsafeFaults(f *file) []string {
	if !f.isGo() {
		return nil
	}
	var faults []string
	for _, spec := range f.syntax.Imports {
		switch name, _ := strconv.Unquote(spec.Path.Value); name {
		case "unsafe":
			if !strings.HasSuffix(f.path, "_unsafe.go") && !strings.HasSuffix(f.path, "_unsafe_test.go") {
				faults = append(faults, f.position(spec.Pos())+": unsafe is imported only in files named *_unsafe.go")
			}
		case "C":
			if !strings.HasPrefix(f.path, "abi/") {
				faults = append(faults, f.position(spec.Pos())+": cgo is used only below abi")
			}
		}
	}
	return faults
}

func TestUnsafe(t *testing.T) {
	check(t, unsafeFaults)
	try(t, unsafeFaults, []sample{
		{"a.go", "package p\nimport \"unsafe\"\n", 1},
		{"a_test.go", "package p\nimport \"unsafe\"\n", 1},
		{"a_unsafe.go", "package p\nimport \"unsafe\"\n", 0},
		{"a_unsafe_test.go", "package p\nimport \"unsafe\"\n", 0},
		{"a_unsafe.go", "package p\nimport \"C\"\n", 1},
		{"abi/omptarget/a.go", "package main\nimport \"C\"\n", 0},
	})
}

// environmentReaders are the functions that look at the environment on purpose.
var environmentReaders = map[string][]string{
	"os":      {"Getenv", "LookupEnv", "Environ", "ExpandEnv", "UserCacheDir", "UserConfigDir", "UserHomeDir"},
	"syscall": {"Getenv", "Environ"},
	"unix":    {"Getenv", "Environ"},
}

// environmentFaults: the environment is read in one package.
func environmentFaults(f *file) []string {
	if !f.isGo() || f.isTest() || f.dir() == "internal/envconf" {
		return nil
	}
	var faults []string
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if pkg, ok := selector.X.(*ast.Ident); ok && slices.Contains(environmentReaders[pkg.Name], selector.Sel.Name) {
			faults = append(faults, fmt.Sprintf("%s: %s.%s: the environment is read only in internal/envconf", f.position(n.Pos()), pkg.Name, selector.Sel.Name))
		}
		return true
	})
	return faults
}

func TestEnvironment(t *testing.T) {
	check(t, environmentFaults)
	body := "package p\nimport \"os\"\nvar x, y = os.Getenv(\"HOME\"), os.Environ()\n"
	try(t, environmentFaults, []sample{
		{"cache/disk/a.go", body, 2},
		{"cache/disk/a_test.go", body, 0},
		{"internal/envconf/a.go", body, 0},
	})
}

// documentFaults: a comment on each package and each exported name.
func documentFaults(f *file) []string {
	if !f.isGo() || f.isTest() || f.isGenerated() || f.syntax.Name.Name == "main" {
		return nil
	}
	var faults []string
	missing := func(name *ast.Ident, what string, docs ...*ast.CommentGroup) {
		if !name.IsExported() {
			return
		}
		for _, doc := range docs {
			if strings.TrimSpace(doc.Text()) != "" {
				return
			}
		}
		faults = append(faults, fmt.Sprintf("%s: %s %s has no comment", f.position(name.Pos()), what, name.Name))
	}
	for _, decl := range f.syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			// Methods of standard interfaces explain themselves.
			known := []string{"Error", "Unwrap", "String", "Format", "Len", "Less", "Swap"}
			if decl.Recv == nil || exportedReceiver(decl.Recv) && !slices.Contains(known, decl.Name.Name) {
				missing(decl.Name, "function", decl.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					missing(spec.Name, "type", spec.Doc, typeDoc(decl))
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						missing(name, decl.Tok.String(), spec.Doc, spec.Comment, decl.Doc)
					}
				}
			}
		}
	}
	return faults
}

// typeDoc is the comment of a type declared by itself.
func typeDoc(decl *ast.GenDecl) *ast.CommentGroup {
	if decl.Lparen != token.NoPos {
		return nil
	}
	return decl.Doc
}

func exportedReceiver(list *ast.FieldList) bool {
	for t := list.List[0].Type; ; {
		switch typed := t.(type) {
		case *ast.StarExpr:
			t = typed.X
		case *ast.IndexExpr:
			t = typed.X
		case *ast.IndexListExpr:
			t = typed.X
		case *ast.Ident:
			return typed.IsExported()
		default:
			return false
		}
	}
}

func TestDocumented(t *testing.T) {
	check(t, documentFaults)
	try(t, documentFaults, []sample{
		{"a.go", "package p\nfunc F() {}\ntype T struct{}\nfunc (*T) M() {}\nfunc (T) Error() string { return \"\" }\nvar V, w int\nconst (\n\tA = 1\n)\n", 5},
		{"a.go", "package p\n\n// F does.\nfunc F() {}\n\n// T is.\ntype T[X any] struct{}\n\n// M does.\nfunc (*T[X]) M() {}\n\n// The two.\nconst (\n\tA = 1\n\tB = 2\n)\n\nvar V int // what V is\n", 0},
		{"a.go", "package p\nfunc f() {}\ntype t struct{}\nfunc (t) M() {}\n", 0},
		{"a_test.go", "package p\nfunc F() {}\n", 0},
	})
}

// formatFaults: gofmt.
func formatFaults(f *file) []string {
	if !f.isGo() {
		return nil
	}
	formatted, err := format.Source(f.text)
	if err != nil || !bytes.Equal(formatted, f.text) {
		return []string{f.path + ": not formatted by gofmt"}
	}
	return nil
}

func TestFormatted(t *testing.T) {
	check(t, formatFaults)
	try(t, formatFaults, []sample{
		{"a.go", "package p\n", 0},
		{"a.go", "package p\nvar  x int\n", 1},
	})
}

// TestPackagesDocumented: one package comment for each package.
func TestPackagesDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, f := range tree(t) {
		if f.isGo() && !f.isTest() {
			documented[f.dir()] = documented[f.dir()] || f.syntax.Doc != nil
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no package comment", dir)
		}
	}
}
