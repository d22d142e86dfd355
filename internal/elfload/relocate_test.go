package elfload

import (
	"debug/elf"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// relocated builds one relocation at offset 8 of a 24-byte text section and
// returns the bytes of its field. The image lies at base; its layout is
//
//	0x0000 .text (24 bytes), stub at 0x20 if any
//	0x1000 global offset table, one slot if any
//	0x1000 .data (64 bytes); at 0x2000 if there is a slot
//
// and the symbol is, by where: "in" at .data+16 with size 48, "out" at far,
// "abs" at 0x1234, "table", "none" (symbol 0).
func relocated(t *testing.T, typ uint32, where string, addend int64, base, far uint64, function bool) ([]byte, *Object, *contents, error) {
	t.Helper()
	symbol := asmSymbol{name: "s", bind: 1}
	index := uint32(1)
	switch where {
	case "in":
		symbol.shndx, symbol.value, symbol.size = 2, 16, 48
	case "abs":
		symbol.shndx, symbol.value = shnAbs, 0x1234
	case "table":
		symbol.name = "_GLOBAL_OFFSET_TABLE_"
	case "none":
		index = 0
	}
	obj := assemble([]asmSection{
		text(make([]byte, 24), asmReloc{8, typ, index, addend}),
		data(make([]byte, 64)),
	}, []asmSymbol{symbol})
	o, err := Parse(obj)
	if err != nil {
		return nil, nil, nil, err
	}
	mem, b := bound(o, base)
	b.function = func(string, uint64) bool { return function }
	if where == "out" {
		b.addrs[1] = far
	}
	err = o.build(mem, b)
	return mem[classText][8:16], o, mem, err
}

func TestRelocationValues(t *testing.T) {
	const (
		base  = 0x7f0000000000
		place = base + 8
		slot  = base + 0x1000
		table = base + 0x1000
		in    = base + 0x1000 + 16 // an empty table takes no page
		far   = 0x123456789abc
	)
	for _, c := range []struct {
		typ    uint32
		name   string
		where  string
		addend int64
		width  int
		want   int64
	}{
		{0, "R_X86_64_NONE", "in", 5, 8, 0},
		{1, "R_X86_64_64", "out", -3, 8, far - 3},
		{2, "R_X86_64_PC32", "in", -4, 4, in - 4 - place},
		{3, "R_X86_64_GOT32", "out", 2, 4, 2},
		{4, "R_X86_64_PLT32", "in", -4, 4, in - 4 - place},
		{4, "R_X86_64_PLT32", "out", -4, 4, base + 0x20 - 4 - place},
		{9, "R_X86_64_GOTPCREL", "out", -4, 4, slot - 4 - place},
		{10, "R_X86_64_32", "abs", 4, 4, 0x1238},
		{11, "R_X86_64_32S", "abs", -0x1235, 4, -1},
		{12, "R_X86_64_16", "abs", 0, 2, 0x1234},
		{13, "R_X86_64_PC16", "in", -0x3000, 2, in - 0x3000 - place},
		{14, "R_X86_64_8", "abs", -0x1180, 1, 0xb4},
		{15, "R_X86_64_PC8", "in", -0x1000, 1, in - 0x1000 - place},
		{24, "R_X86_64_PC64", "out", 1, 8, far + 1 - place},
		{25, "R_X86_64_GOTOFF64", "out", 1, 8, far + 1 - table},
		{26, "R_X86_64_GOTPC32", "table", 6, 4, table + 6 - place},
		{27, "R_X86_64_GOT64", "out", 7, 8, 7},
		{28, "R_X86_64_GOTPCREL64", "out", 7, 8, slot + 7 - place},
		{29, "R_X86_64_GOTPC64", "table", 6, 8, table + 6 - place},
		{30, "R_X86_64_GOTPLT64", "out", 7, 8, 7},
		{31, "R_X86_64_PLTOFF64", "out", 9, 8, far + 9 - table},
		{32, "R_X86_64_SIZE32", "in", 1, 4, 49},
		{33, "R_X86_64_SIZE64", "in", -1, 8, 47},
		{41, "R_X86_64_GOTPCRELX", "out", -4, 4, slot - 4 - place},
		{42, "R_X86_64_REX_GOTPCRELX", "out", -4, 4, slot - 4 - place},
		{43, "R_X86_64_CODE_4_GOTPCRELX", "out", -4, 4, slot - 4 - place},
		{1, "R_X86_64_64", "none", 0x55, 8, 0x55},
	} {
		t.Run(c.name+" "+c.where, func(t *testing.T) {
			if got := x8664.relocs[c.typ].name; got != c.name {
				t.Fatalf("relocation %d is called %s", c.typ, got)
			}
			field, o, mem, err := relocated(t, c.typ, c.where, c.addend, base, far, false)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]byte, 8)
			le.PutUint64(want, uint64(c.want))
			clear(want[c.width:])
			if diff := cmp.Diff(want, field); diff != "" {
				t.Errorf("field (-want +got):\n%s", diff)
			}
			if slotted := o.arch.reloc(c.typ).form.slotted(); slotted {
				if got := le.Uint64(mem[classConst]); got != far {
					t.Errorf("slot holds %#x, want %#x", got, uint64(far))
				}
			}
		})
	}
}

// TestStub checks the code of a call stub and that a near call goes without.
func TestStub(t *testing.T) {
	const base, far, near = 0x7f0000000000, 0x100000, 0x7f0000100000
	_, _, mem, err := relocated(t, 4, "out", -4, base, far, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0xd6, 0x0f, 0, 0, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc}
	if diff := cmp.Diff(want, mem[classText][0x20:0x30]); diff != "" {
		t.Errorf("stub (-want +got):\n%s", diff)
	}
	if got := le.Uint64(mem[classConst]); got != far {
		t.Errorf("slot holds %#x", got)
	}
	field, _, _, err := relocated(t, 4, "out", -4, base, near, false)
	if got, want := le.Uint32(field), uint32(near-4-base-8); err != nil || got != want {
		t.Errorf("near call: %#x, want %#x (%v)", got, want, err)
	}
}

// TestOutOfRange checks both sides of every range, and that only functions
// get a stub in place of an address.
func TestOutOfRange(t *testing.T) {
	const base = 0x7f0000000000
	for _, c := range []struct {
		typ      uint32
		where    string
		addend   int64
		far      uint64
		function bool
		ok       bool
	}{
		{2, "out", 0, base + 8 + 1<<31 - 1, false, true},
		{2, "out", 0, base + 8 + 1<<31, false, false},
		{2, "out", 0, base + 8 - 1<<31, false, true},
		{2, "out", 0, base + 8 - 1<<31 - 1, false, false},
		{2, "out", 0, 1 << 20, true, true},
		{10, "out", 0, 1<<32 - 1, false, true},
		{10, "out", 0, 1 << 32, false, false},
		{10, "out", -1, 0, false, false},
		{11, "out", 0, 1<<31 - 1, false, true},
		{11, "out", 0, 1 << 31, false, false},
		{11, "out", -1 << 31, 0, false, true},
		{11, "out", -1<<31 - 1, 0, false, false},
		{12, "abs", 1<<16 - 1 - 0x1234, 0, false, true},
		{12, "abs", 1<<16 - 0x1234, 0, false, false},
		{12, "abs", -1<<15 - 0x1234, 0, false, true},
		{12, "abs", -1<<15 - 1 - 0x1234, 0, false, false},
		{14, "abs", 255 - 0x1234, 0, false, true},
		{14, "abs", 256 - 0x1234, 0, false, false},
		{32, "in", 1<<32 - 49, 0, false, true},
		{32, "in", 1<<32 - 48, 0, false, false},
		{4, "out", 0, 1 << 20, false, true},
		{9, "out", 1 << 31, 1 << 20, false, false},
	} {
		name := fmt.Sprintf("%s %s %#x %#x %v", x8664.relocs[c.typ].name, c.where, c.addend, c.far, c.function)
		_, _, _, err := relocated(t, c.typ, c.where, c.addend, base, c.far, c.function)
		if c.ok {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var e *Error
		if !errors.Is(err, ErrRange) || !errors.As(err, &e) {
			t.Errorf("%s: error %v, want ErrRange", name, err)
			continue
		}
		if e.Reloc != x8664.relocs[c.typ].name || e.Symbol != "s" || e.Section != ".text" {
			t.Errorf("%s: error names %q, %q, %q", name, e.Reloc, e.Symbol, e.Section)
		}
		if advice := strings.Contains(err.Error(), "-fPIC"); advice != (c.where == "out") {
			t.Errorf("%s: advice in %q: %v", name, err, advice)
		}
	}
}

func TestRefusedRelocations(t *testing.T) {
	for _, c := range []struct {
		typ   uint32
		where string
		text  string
	}{
		{23, "in", `unsupported object: R_X86_64_TPOFF32 against "s" in section .text: thread-local storage: compile with -femulated-tls`},
		{5, "in", `R_X86_64_COPY against "s" in section .text: belongs into linked files only`},
		{37, "in", "R_X86_64_IRELATIVE"},
		{32, "out", "R_X86_64_SIZE32 against \"s\" in section .text: the size of an undefined symbol is not known"},
		{39, "in", "relocation type 39 against"},
		{1 << 20, "in", "relocation type 1048576 against"},
	} {
		_, _, _, err := relocated(t, c.typ, c.where, 0, 0, 0, false)
		if !errors.Is(err, ErrUnsupported) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%d: error %v, want ErrUnsupported: ... %s", c.typ, err, c.text)
		}
	}
}

// TestRelocationNames compares the table with the standard library's names.
func TestRelocationNames(t *testing.T) {
	known := 0
	for n := range 43 {
		want := elf.R_X86_64(n).String()
		if !strings.HasPrefix(want, "R_X86_64_") || strings.HasSuffix(want, "_BND") || want == "R_X86_64_RELATIVE64" || want == "R_X86_64_JMP_SLOT" {
			continue
		}
		known++
		if got := x8664.reloc(uint32(n)).name; got != want {
			t.Errorf("%d is called %q, want %q", n, got, want)
		}
	}
	if known != 39 {
		t.Errorf("compared %d names", known)
	}
}
