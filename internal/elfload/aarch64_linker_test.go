package elfload

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The symbols that relocations.s leaves open, for an image at aarch64Base.
var aarch64Symbols = map[string]uint64{
	"near":     aarch64Base + 100<<20,
	"far":      aarch64Base - 3<<30 + 0x7f8,
	"wide":     0xfedcba9876543210,
	"small":    0x89abcdef,
	"tiny":     0xabcd,
	"negative": ^uint64(0x1234),
}

func run(t testing.TB, name string, args ...string) []byte {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errs.Bytes())
	}
	return out
}

// aarch64Object returns the object of relocations.s and its path.
func aarch64Object(t testing.TB) ([]byte, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "relocations.o")
	run(t, "clang-22", "-target", "aarch64-linux-gnu", "-c", "testdata/aarch64/relocations.s", "-o", path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b, path
}

// TestAArch64LikeLinker relocates one use of everything and compares each byte
// with what ld.lld makes of it at the same addresses.
func TestAArch64LikeLinker(t *testing.T) {
	obj, path := aarch64Object(t)
	merged := path + ".merged"
	run(t, "ld.lld-22", "-r", path, "-o", merged)
	for _, path := range []string{path, merged} {
		obj, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		compareWithLinker(t, obj, path)
	}

	// What llvm-objdump lists is all there is, under the names of our table.
	listed := map[string]int{}
	for line := range strings.Lines(string(run(t, "llvm-objdump-22", "-r", path))) {
		if f := strings.Fields(line); len(f) == 3 && strings.HasPrefix(f[1], "R_AARCH64_") {
			listed[f[1]]++
		}
	}
	o, err := Parse(obj)
	if err != nil {
		t.Fatal(err)
	}
	applied := map[string]int{}
	for _, table := range o.tables {
		for k := range table.count {
			applied[o.arch.reloc(o.entry(table, k).typ).name]++
		}
	}
	if diff := cmp.Diff(listed, applied); diff != "" {
		t.Errorf("relocations (-listed +applied):\n%s", diff)
	}
	if len(listed) != 43 {
		t.Errorf("%d kinds of relocations", len(listed))
	}
}

func compareWithLinker(t *testing.T, obj []byte, path string) {
	t.Helper()
	o, err := Parse(obj)
	if err != nil {
		t.Fatal(err)
	}
	mem, b := bound(o, aarch64Base)
	for i := range o.symbols {
		if s := &o.symbols[i]; s.place == placeUndefined {
			addr, ok := aarch64Symbols[o.name(s)]
			if !ok {
				t.Fatalf("no address for %s", o.name(s))
			}
			b.addrs[i] = addr
		}
	}
	var script strings.Builder
	for name, addr := range aarch64Symbols {
		fmt.Fprintf(&script, "%s = %#x;\n", name, addr)
	}
	fmt.Fprintf(&script, "SECTIONS {\n.text %#x : { *(.text .text.*) }\n.got %#x : { *(.got) }\n.data %#x : { *(.data) }\n}\n",
		b.base[classText], b.table(o), b.base[classData])
	scriptPath := path + ".lds"
	if err := os.WriteFile(scriptPath, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	linked := path + ".exe"
	run(t, "ld.lld-22", "-static", "--no-relax", "-T", scriptPath, path, "-o", linked)
	f, err := elf.Open(linked)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	// The order of slots in the table is the linker's own: ours takes it over,
	// with those of stubs behind.
	table, err := f.Section(".got").Data()
	if err != nil {
		t.Fatal(err)
	}
	slots := map[uint64]int32{}
	for k := range len(table) / 8 {
		slots[le.Uint64(table[8*k:])] = int32(k)
	}
	next := int32(len(slots))
	o.bind(b)
	for i := range o.symbols {
		s := &o.symbols[i]
		if s.slot < 0 {
			continue
		}
		slot, ok := slots[b.addrs[i]]
		if !ok {
			if slot = next; s.stub < 0 {
				t.Errorf("%s has no slot in the linker's table", o.name(s))
			}
			next++
		}
		s.slot = slot
	}
	if int(next) != o.slots {
		t.Fatalf("%d slots, ours are %d", next, o.slots)
	}
	if err := o.build(mem, b); err != nil {
		t.Fatal(err)
	}
	for c, name := range map[class]string{classText: ".text", classConst: ".got", classData: ".data"} {
		want, err := f.Section(name).Data()
		if err != nil {
			t.Fatal(err)
		}
		got := mem[c][:min(len(want), len(mem[c]))]
		for i := 0; i+4 <= len(want); i += 4 {
			if i+4 > len(got) || !bytes.Equal(got[i:i+4], want[i:i+4]) {
				t.Errorf("%s: %s+%#x: %x, the linker wrote %x", filepath.Base(path), name, i, got[min(i, len(got)):min(i+4, len(got))], want[i:i+4])
			}
		}
	}
}
