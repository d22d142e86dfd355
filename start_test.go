package kiln_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Packages whose initialisers or sheer size every program would pay for at its
// start, needed or not.
var heavy = []string{
	"compress/flate", "debug/dwarf", "debug/elf", "encoding/gob", "github.com/klauspost/compress", "go/ast",
	"html/template", "math/big", "net", "net/http", "regexp", "testing", "text/template",
}

// What the library links stays light.
func TestLinksNothingHeavy(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := strings.Fields(string(out))
	if !slices.Contains(linked, "github.com/kilnjit/kiln/compile/worker") {
		t.Fatalf("the packages linked: %v", linked)
	}
	for _, name := range linked {
		for _, h := range heavy {
			if name == h || strings.HasPrefix(name, h+"/") {
				t.Errorf("the library links %s", name)
			}
		}
	}
}

// A program that launches a kernel out of the cache starts with little more to
// initialise than Go's own packages have. Allocations say how much, the same on
// every run.
func TestInitialisersDoLittle(t *testing.T) {
	program := filepath.Join(t.TempDir(), "first")
	if out, err := exec.Command("go", "build", "-o", program, "./bench/process/first").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := exec.Command(program, t.TempDir(), "testdata/spmd/bench.sm_80.raw.bc")
	command.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const most = 4 << 10 // bytes of one package of kiln's
	total, packages := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`).FindAllStringSubmatch(string(out), -1) {
		bytes, _ := strconv.Atoi(m[2])
		packages++
		total += bytes
		if strings.HasPrefix(m[1], "github.com/kilnjit/kiln") && bytes > most {
			t.Errorf("initialising %s takes %d bytes, more than %d", m[1], bytes, most)
		}
	}
	// purego takes 4 KiB, Go's own packages as much.
	if total > 20<<10 || packages < 10 {
		t.Errorf("the initialisers of %d packages take %d bytes:\n%s", packages, total, out)
	}
}
