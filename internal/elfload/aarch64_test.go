package elfload

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// aarch64Base is where images lie that are built and not loaded.
const aarch64Base = 0x40_0000_0000

// aarch64Relocated applies one relocation at 8 in the text, to an instruction
// of zeroes, with S in the data at 16 ("in"), at far ("out"), or 0x1234 ("abs").
func aarch64Relocated(t *testing.T, typ uint32, where string, addend int64, far uint64, function bool) (field uint64, o *Object, mem *contents, err error) {
	t.Helper()
	symbol := asmSymbol{name: "s", bind: 1}
	switch where {
	case "in":
		symbol.shndx, symbol.value, symbol.size = 2, 16, 48
	case "text":
		symbol.shndx, symbol.value = 1, 16
	case "abs":
		symbol.shndx, symbol.value = shnAbs, 0x1234
	}
	o, err = Parse(assembleFor(machineAArch64, []asmSection{
		text(make([]byte, 24), asmReloc{8, typ, 1, addend}),
		data(make([]byte, 64)),
	}, []asmSymbol{symbol}))
	if err != nil {
		return 0, nil, nil, err
	}
	mem, b := bound(o, aarch64Base)
	b.function = func(string, uint64) bool { return function }
	if where == "out" {
		b.addrs[1] = far
	}
	err = o.build(mem, b)
	return le.Uint64(mem[classText][8:]), o, mem, err
}

// TestAArch64Values checks what no assembler writes, against the formulas of
// the psABI worked out by hand.
func TestAArch64Values(t *testing.T) {
	const (
		place = aarch64Base + 8
		table = aarch64Base + 0x1000
		in    = aarch64Base + 0x1010
		far   = 0x1234_5678_9abc
	)
	for _, c := range []struct {
		typ    uint32
		name   string
		where  string
		addend int64
		want   uint64
	}{
		{0, "R_AARCH64_NONE", "in", 5, 0},
		{256, "R_AARCH64_NULL", "in", 5, 0},
		{260, "R_AARCH64_PREL64", "out", 1, far + 1 - place},
		{262, "R_AARCH64_PREL16", "in", -0x2000, 0xf008}, // in - 0x2000 - place = -0xff8
		{293, "R_AARCH64_MOVW_PREL_G3", "out", -1 << 62, 0xc000 << 5},
		{300, "R_AARCH64_MOVW_GOTOFF_G0", "out", 0, 1 << 30},
		{301, "R_AARCH64_MOVW_GOTOFF_G0_NC", "out", 0, 0},
		{302, "R_AARCH64_MOVW_GOTOFF_G1", "out", 0, 1 << 30},
		{303, "R_AARCH64_MOVW_GOTOFF_G1_NC", "out", 0, 0},
		{304, "R_AARCH64_MOVW_GOTOFF_G2", "out", 0, 1 << 30},
		{305, "R_AARCH64_MOVW_GOTOFF_G2_NC", "out", 0, 0},
		{306, "R_AARCH64_MOVW_GOTOFF_G3", "out", 0, 0},
		{307, "R_AARCH64_GOTREL64", "out", 3, far + 3 - table},
		{308, "R_AARCH64_GOTREL32", "in", -4, in - 4 - table},
		{310, "R_AARCH64_LD64_GOTOFF_LO15", "out", 0, 0},
		{282, "R_AARCH64_JUMP26", "in", 0, (in - place) >> 2},
		// Far: to the stub at 0x20, from place 8.
		{283, "R_AARCH64_CALL26", "out", 0, 0x18 >> 2},
		{314, "R_AARCH64_PLT32", "out", 0, 0x18},
	} {
		t.Run(c.name+" "+c.where, func(t *testing.T) {
			if got := aarch64.reloc(c.typ).name; got != c.name {
				t.Fatalf("relocation %d is called %s", c.typ, got)
			}
			got, o, mem, err := aarch64Relocated(t, c.typ, c.where, c.addend, far, false)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("field holds %#x, want %#x", got, c.want)
			}
			if o.arch.reloc(c.typ).form.slotted() {
				if got := le.Uint64(mem[classConst]); got != far {
					t.Errorf("slot holds %#x, want %#x", got, uint64(far))
				}
			}
		})
	}
}

// TestAArch64Stub checks the code of a stub against an assembler's, and that
// parts of an address agree on whether a stub stands for it.
func TestAArch64Stub(t *testing.T) {
	const far = 0x1234_5678_9abc
	_, _, mem, err := aarch64Relocated(t, 283, "out", 0, far, false)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "stub.s")
	// The slot lies a page behind, at its start.
	if err := os.WriteFile(source, []byte("bti c\nadrp x16, . + 0x1000\nldr x16, [x16, #0]\nbr x16\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "clang-22", "-target", "aarch64-linux-gnu", "-march=armv8.5-a", "-c", source, "-o", source+".o")
	f, err := elf.Open(source + ".o")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	le.PutUint32(want[4:], le.Uint32(want[4:])|1<<29) // the assembler leaves the page to the linker
	if diff := cmp.Diff(want, mem[classText][0x20:0x30]); diff != "" {
		t.Errorf("stub (-want +got):\n%s", diff)
	}

	const (
		adrp, add = 275, 277
		stub      = 0x20
	)
	for _, c := range []struct {
		name      string
		typ       uint32
		addr      uint64
		function  bool
		want      uint64
		wantError bool
	}{
		{"adrp near", adrp, aarch64Base + 0x5123, true, 1<<29 | 1<<5, false},
		{"adrp far", adrp, far, true, 0, false},
		{"adrp far data", adrp, far, false, 0, true},
		{"add near", add, aarch64Base + 0x5123, true, 0x123 << 10, false},
		{"add far", add, far, true, stub << 10, false},
		{"add far data", add, far, false, 0xabc << 10, false},
		// Within ADRP's reach of one end of an image and not of the other.
		{"adrp between", adrp, aarch64Base + 3<<30, true, 0, false},
		{"add between", add, aarch64Base + 3<<30 + 4, true, stub << 10, false},
	} {
		got, _, _, err := aarch64Relocated(t, c.typ, "out", 0, c.addr, c.function)
		if c.wantError != errors.Is(err, ErrRange) || !c.wantError && (err != nil || got != c.want) {
			t.Errorf("%s: %#x, %v; want %#x", c.name, got, err, c.want)
		}
	}
}

// TestAArch64OutOfRange checks both sides of ranges, and alignment.
func TestAArch64OutOfRange(t *testing.T) {
	const place = aarch64Base + 8
	for _, c := range []struct {
		typ    uint32
		where  string
		addend int64
		far    uint64
		ok     bool
	}{
		{258, "out", 0, 1<<32 - 1, true},
		{258, "out", 0, 1 << 32, false},
		{258, "out", -1 << 31, 0, true},
		{258, "out", -1<<31 - 1, 0, false},
		{259, "out", 0, 1<<16 - 1, true},
		{259, "out", 0, 1 << 16, false},
		{263, "out", 0, 1<<16 - 1, true},
		{263, "out", 0, 1 << 16, false},
		{265, "out", 0, 1<<32 - 1, true},
		{265, "out", 0, 1 << 32, false},
		{267, "out", 0, 1<<48 - 1, true},
		{267, "out", 0, 1 << 48, false},
		{270, "out", -1 << 16, 0, true},
		{270, "out", -1<<16 - 1, 0, false},
		{270, "out", 0, 1 << 16, false},
		{272, "out", -1 << 48, 0, true},
		{272, "out", 0, 1 << 48, false},
		{273, "out", 0, place + 1<<20 - 4, true},
		{273, "out", 0, place + 1<<20, false},
		{273, "out", 0, place + 2, false},
		{274, "out", 0, place + 1<<20 - 1, true},
		{274, "out", 0, place - 1<<20, true},
		{274, "out", 0, place - 1<<20 - 1, false},
		{275, "out", 0, aarch64Base&^0xfff + 1<<32 - 1, true},
		{275, "out", 0, aarch64Base + 1<<32, false},
		{275, "out", 0, aarch64Base - 1<<32, true},
		{275, "out", 0, aarch64Base - 1<<32 - 1, false},
		{276, "out", 0, aarch64Base + 1<<40, true},
		{279, "out", 0, place + 1<<15 - 4, true},
		{279, "out", 0, place + 1<<15, false},
		{280, "out", 0, place - 1<<20, true},
		{280, "out", 0, place - 1<<20 - 4, false},
		{282, "text", 1 << 27, 0, false},
		{282, "text", 1<<27 - 12, 0, true},
		{284, "in", 1, 0, false},
		{285, "in", 2, 0, false},
		{286, "in", 4, 0, false},
		{299, "in", 8, 0, false},
		{299, "in", 0, 0, true},
	} {
		name := fmt.Sprintf("%s %s %#x %#x", aarch64.relocs[c.typ].name, c.where, c.addend, c.far)
		_, _, _, err := aarch64Relocated(t, c.typ, c.where, c.addend, c.far, false)
		var e *Error
		switch {
		case c.ok && err != nil:
			t.Errorf("%s: %v", name, err)
		case !c.ok && (!errors.Is(err, ErrRange) || !errors.As(err, &e) || e.Reloc != aarch64.relocs[c.typ].name):
			t.Errorf("%s: error %v, want ErrRange", name, err)
		}
	}
	if _, _, _, err := aarch64Relocated(t, 286, "in", 4, 0, false); !strings.Contains(fmt.Sprint(err), "at offset 8 is no multiple of 8") {
		t.Errorf("error %v", err)
	}
	if _, _, _, err := aarch64Relocated(t, 311, "out", 8, 1<<40, false); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "addend 8 to an address in the global offset table") {
		t.Errorf("error %v", err)
	}
	for typ, text := range map[uint32]string{513: "R_AARCH64_TLSGD_ADR_PAGE21", 549: "-femulated-tls", 1027: "belongs into linked files only", 580: "relocation type 580"} {
		if _, _, _, err := aarch64Relocated(t, typ, "in", 0, 0, false); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), text) {
			t.Errorf("%d: error %v", typ, err)
		}
	}
}

// TestAArch64Names compares the table with the standard library's names.
func TestAArch64Names(t *testing.T) {
	known := 0
	for n := range len(aarch64.relocs) {
		want := elf.R_AARCH64(n).String()
		if !strings.HasPrefix(want, "R_AARCH64_") || strings.Contains(want, "_P32_") || strings.ContainsAny(want, "+") {
			continue
		}
		got := aarch64.reloc(uint32(n)).name
		// The psABI calls two of them by shorter names.
		if known++; got != want && !(strings.HasPrefix(got, "R_AARCH64_TLSDESC_") && got+"_NC" == want) {
			t.Errorf("%d is called %q, want %q", n, got, want)
		}
	}
	if known != 80 {
		t.Errorf("compared %d names", known)
	}
}
