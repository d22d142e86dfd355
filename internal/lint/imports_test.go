package lint

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// order is who may import whom: folder → what its tree may import, folders
// below the root and third-party modules alike.
type order map[string][]string

var backquoted = regexp.MustCompile("`([^`]+)`")

// parseOrder reads the table between the import marks of CONTRIBUTING.md.
func parseOrder(text string) (order, error) {
	_, text, found := strings.Cut(text, "<!-- imports -->")
	text, _, closed := strings.Cut(text, "<!-- /imports -->")
	if !found || !closed {
		return nil, fmt.Errorf("the import marks are not there")
	}
	rows := order{}
	for line := range strings.Lines(text) {
		names := backquoted.FindAllStringSubmatch(line, -1)
		if len(names) == 0 {
			continue
		}
		folder := names[0][1]
		if _, twice := rows[folder]; twice {
			return nil, fmt.Errorf("%s has two rows", folder)
		}
		rows[folder] = []string{}
		for _, name := range names[1:] {
			rows[folder] = append(rows[folder], name[1])
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("the import table is empty")
	}
	return rows, nil
}

// row returns the folder of the table that dir belongs to: its own row or the
// one of the nearest folder above. The root's row is the root's alone.
func (o order) row(dir string) (string, bool) {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, ok := o[dir]; ok {
			return dir, true
		}
	}
	return "", false
}

// faults returns what is wrong with a file's imports.
func (o order) faults(f *file) []string {
	if !f.isGo() || f.isTest() {
		return nil
	}
	row, ok := ".", f.dir() == "."
	if !ok {
		if row, ok = o.row(f.dir()); !ok {
			return []string{fmt.Sprintf("%s: folder %s has no row in CONTRIBUTING.md's import table", f.path, f.dir())}
		}
	}
	var faults []string
	for _, spec := range f.syntax.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		if !o.allows(row, name) {
			faults = append(faults, fmt.Sprintf("%s: %s may not import %s (see the table in CONTRIBUTING.md)", f.position(spec.Pos()), f.dir(), name))
		}
	}
	return faults
}

func (o order) allows(row, name string) bool {
	first, _, _ := strings.Cut(name, "/")
	own := name == module || strings.HasPrefix(name, module+"/")
	switch {
	case !own && !strings.Contains(first, "."):
		return true // the standard library
	case name == module:
		name = "."
	case own:
		name = strings.TrimPrefix(name, module+"/")
		if target, ok := o.row(name); !ok || target == row {
			return ok
		}
	}
	for _, allowed := range o[row] {
		if name == allowed || allowed != "." && strings.HasPrefix(name, allowed+"/") {
			return true
		}
	}
	return false
}

// cyclic returns a folder that can reach itself, empty where there is none.
func (o order) cyclic() string {
	state := map[string]int{}
	var visit func(string) bool
	visit = func(folder string) bool {
		if state[folder] == 1 {
			return true
		}
		if state[folder] == 2 {
			return false
		}
		state[folder] = 1
		for _, next := range o[folder] {
			if visit(next) {
				return true
			}
		}
		state[folder] = 2
		return false
	}
	for folder := range o {
		if visit(folder) {
			return folder
		}
	}
	return ""
}

func TestImportOrder(t *testing.T) {
	text, err := os.ReadFile(root + "/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := parseOrder(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if folder := rows.cyclic(); folder != "" {
		t.Errorf("the import table of CONTRIBUTING.md has a cycle through %s", folder)
	}
	check(t, rows.faults)
}

func TestImportOrderRule(t *testing.T) {
	rows, err := parseOrder("<!-- imports -->\n| package | may import |\n|---|---|\n" +
		"| `.` | `cache` `golang.org/x/sync` |\n| `cache` | `internal/fsx` |\n| `internal/fsx` | |\n<!-- /imports -->")
	if err != nil {
		t.Fatal(err)
	}
	own := func(names ...string) string {
		text := "package p\n"
		for _, name := range names {
			text += "import _ \"" + name + "\"\n"
		}
		return text
	}
	try(t, rows.faults, []sample{
		{"a.go", own(module+"/cache", module+"/cache/disk", "golang.org/x/sync/errgroup", "net/http"), 0},
		{"a.go", own(module+"/internal/fsx", "golang.org/x/sys/unix"), 2},
		{"cache/disk/a.go", own(module+"/cache", module+"/internal/fsx"), 0},
		{"cache/disk/a.go", own(module, module+"/cachet", "golang.org/x/syncer"), 3},
		{"cache/disk/a_test.go", own(module), 0},
		{"elsewhere/a.go", own(), 1},
	})
	if folder := rows.cyclic(); folder != "" {
		t.Errorf("a cycle through %s where there is none", folder)
	}
	rows["internal/fsx"] = []string{"."}
	if rows.cyclic() == "" {
		t.Error("a cycle is not found")
	}
}
