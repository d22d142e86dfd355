package elfload

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParsePrebuilt(t *testing.T) {
	o, err := Parse(readPrebuilt(t, "globals.o"))
	if err != nil {
		t.Fatal(err)
	}
	defined := []string{"common", "common_array", "constant", "count", "hidden", "initialised", "pointer", "test", "weak_data", "weak_function"}
	if diff := cmp.Diff(defined, o.Defined()); diff != "" {
		t.Errorf("defined (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"absent_data", "absent_function"}, o.Undefined()); diff != "" {
		t.Errorf("undefined (-want +got):\n%s", diff)
	}
	if !o.low || o.unwinds || o.dsoHandle {
		t.Errorf("low %v, unwinds %v, dsoHandle %v", o.low, o.unwinds, o.dsoHandle)
	}
	if o.Size() != 0x3000 {
		t.Errorf("size %#x, layout %+v", o.Size(), o.layout)
	}

	if o, err = Parse(readPrebuilt(t, "exceptions.o")); err != nil {
		t.Fatal(err)
	}
	if o.low || !o.unwinds || len(o.frames) != 1 {
		t.Errorf("low %v, unwinds %v, frames %v", o.low, o.unwinds, o.frames)
	}
	if !slices.Contains(o.Undefined(), "__cxa_throw") {
		t.Errorf("undefined %v", o.Undefined())
	}
}

// TestClasses checks where sections of every kind go.
func TestClasses(t *testing.T) {
	section := func(name string, typ uint32, flags uint64) asmSection {
		return asmSection{name: name, typ: typ, flags: flags, data: make([]byte, 16), size: 16, align: 8}
	}
	list := []asmSection{
		section(".text", shtProgbits, shfAlloc|shfExec),
		section(".ltext", shtProgbits, shfAlloc|shfExec|0x10000000),
		section(".rodata", shtProgbits, shfAlloc),
		section(".lrodata", shtProgbits, shfAlloc|0x10000000),
		section(".data.rel.ro", shtProgbits, shfAlloc|shfWrite),
		section(".ldata.rel.ro.local", shtProgbits, shfAlloc|shfWrite),
		section(".init_array", shtInitArray, shfAlloc|shfWrite),
		section(".ctors", shtProgbits, shfAlloc|shfWrite),
		section(".data", shtProgbits, shfAlloc|shfWrite),
		section(".ldata", shtProgbits, shfAlloc|shfWrite|0x10000000),
		section(".bss", shtNobits, shfAlloc|shfWrite),
		section(".lbss", shtNobits, shfAlloc|shfWrite|0x10000000),
		section(".debug_info", shtProgbits, 0),
		section(".note.GNU-stack", shtProgbits, 0),
		section(".llvm_addrsig", 0x6fff4c03, shfExclude),
	}
	want := []class{
		classText, classText, classConst, classConst, classConst, classConst, classConst, classConst,
		classData, classData, classData, classData, classNone, classNone, classNone,
	}
	o, err := Parse(assemble(list, nil))
	if err != nil {
		t.Fatal(err)
	}
	var got []class
	for i := range list {
		s := &o.sections[i+1]
		got = append(got, s.class)
		if hi := o.layout.zones[s.class].size; s.class != classNone && s.at+s.size > hi {
			t.Errorf("%s at %#x, outside [0, %#x)", s.name, s.at, hi)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
}

func TestDamaged(t *testing.T) {
	good := func() []byte {
		return assemble([]asmSection{text(make([]byte, 8)), data(make([]byte, 8))}, []asmSymbol{{name: "f", bind: 1, shndx: 1}})
	}
	if _, err := Parse(good()); err != nil {
		t.Fatal(err)
	}
	header := func(off int, b ...byte) []byte {
		obj := good()
		copy(obj[off:], b)
		return obj
	}
	object := func(s asmSection, syms ...asmSymbol) []byte { return assemble([]asmSection{s}, syms) }
	group := func(b ...uint32) asmSection {
		var d []byte
		for _, x := range b {
			d = le.AppendUint32(d, x)
		}
		return asmSection{name: ".group", typ: shtGroup, data: d, info: 1}
	}
	f := asmSymbol{name: "f", bind: 1, shndx: 1}
	for _, c := range []struct {
		name string
		obj  []byte
		kind error
		text string
	}{
		{"empty", nil, ErrFormat, "no ELF header"},
		{"short", good()[:63], ErrFormat, "no ELF header"},
		{"magic", header(0, 0x7e), ErrFormat, "no ELF header"},
		{"32-bit", header(4, 1), ErrFormat, "ELF class 1"},
		{"big-endian", header(5, 2), ErrFormat, "data encoding 2"},
		{"executable", header(16, 2), ErrFormat, "ELF type 2"},
		{"machine", header(18, 243), ErrFormat, "ELF machine 243: want x86-64 (62) or AArch64 (183)"},
		{"cut", good()[:len(good())-1], ErrFormat, "section headers reach past the end"},
		{"far headers", header(40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), ErrFormat, "section headers reach past the end"},
		{"header size", header(58, 40), ErrFormat, "section headers of 40 bytes"},
		{"many sections", header(60, 0, 0), ErrUnsupported, "extended section numbering"},
		{"name table", header(62, 200, 0), ErrFormat, "section name table is section 200 of"},
		{"no symbols", header(60, 4, 0), ErrFormat, "no symbol table"},
		{"alignment", object(asmSection{name: ".d", typ: shtProgbits, flags: shfAlloc, align: 24}), ErrFormat, "aligned to 24 bytes"},
		{"huge alignment", object(asmSection{name: ".d", typ: shtProgbits, flags: shfAlloc, align: 1 << 22}), ErrFormat, "aligned to 4194304 bytes"},
		{"huge", object(asmSection{name: ".b", typ: shtNobits, flags: shfAlloc | shfWrite, size: 1 << 62}), ErrUnsupported, "section .b of 4611686018427387904 bytes"},
		{"huge together", assemble([]asmSection{
			{name: ".b", typ: shtNobits, flags: shfAlloc | shfWrite, size: maxImage / 2},
			{name: ".c", typ: shtNobits, flags: shfAlloc | shfWrite, size: maxImage / 2},
			text([]byte{0xc3}),
		}, nil), ErrUnsupported, "image of "},
		{"write and execute", object(asmSection{name: ".wx", typ: shtProgbits, flags: shfAlloc | shfWrite | shfExec}), ErrUnsupported, "section .wx is writable and executable"},
		{"compressed", object(asmSection{name: ".z", typ: shtProgbits, flags: shfAlloc | shfCompressed}), ErrUnsupported, "section .z is compressed"},
		{"thread-local", object(asmSection{name: ".tbss", typ: shtNobits, flags: shfAlloc | shfWrite | shfTLS}), ErrUnsupported, "thread-local section .tbss"},
		{"rel", object(asmSection{name: ".rel.text", typ: shtRel}), ErrUnsupported, "relocation section .rel.text"},
		{"crel", object(asmSection{name: ".crel.text", typ: shtCrel}), ErrUnsupported, "type 0x40000014: want SHT_RELA"},
		{"indexes", object(asmSection{name: ".symtab_shndx", typ: shtSymtabShndx}), ErrUnsupported, "extended section indexes"},
		{"extended index", object(text(nil), asmSymbol{name: "g", shndx: shnXindex}), ErrUnsupported, "extended section index of symbol g"},
		{"reserved index", object(text(nil), asmSymbol{name: "g", shndx: 0xff10}), ErrUnsupported, "symbol g in reserved section 0xff10"},
		{"symbol's section", object(text(nil), asmSymbol{name: "g", shndx: 77}), ErrFormat, "symbol g in section 77 of"},
		{"symbol's offset", object(text(make([]byte, 4)), asmSymbol{name: "g", shndx: 1, value: 5}), ErrFormat, "symbol g at 5 of the 4 bytes of section .text"},
		{"thread-local symbol", object(text(nil), asmSymbol{name: "g", typ: symTLS}), ErrUnsupported, "thread-local symbol g: compile with -femulated-tls"},
		{"ifunc", object(text(nil), asmSymbol{name: "g", typ: symIfunc, shndx: 1}), ErrUnsupported, "indirect function (IFUNC) g"},
		{"common", object(text(nil), asmSymbol{name: "g", shndx: shnCommon, value: 3}), ErrFormat, "common symbol g: 0 bytes aligned to 3"},
		{"nameless", object(text(nil), asmSymbol{}), ErrFormat, "an undefined symbol has no name"},
		{"relocation's symbol", object(text(make([]byte, 8), asmReloc{typ: 1, sym: 2}), f), ErrFormat, "relocation in section .text names symbol 2 of 2"},
		{"relocation's offset", object(text(make([]byte, 8), asmReloc{off: 5, typ: 2, sym: 1}), f), ErrFormat, `R_X86_64_PC32 against "f" at 5 of the 8 bytes of section .text`},
		{"relocation's end", object(text(make([]byte, 8), asmReloc{off: ^uint64(0), typ: 1, sym: 1}), f), ErrFormat, "against \"f\" at 18446744073709551615"},
		{"relocated zeroes", object(asmSection{name: ".bss", typ: shtNobits, flags: shfAlloc | shfWrite, size: 8, relocs: []asmReloc{{0, 1, 1, 0}}}, f), ErrFormat, "relocations against section .bss"},
		{"unloaded", assemble([]asmSection{text(make([]byte, 8), asmReloc{0, 1, 1, 0}), {name: ".debug_x", typ: shtProgbits}}, []asmSymbol{{name: "d", shndx: 2}}), ErrUnsupported, "the symbol's section .debug_x is not loaded"},
		{"constructors", object(asmSection{name: ".init_array", typ: shtInitArray, flags: shfAlloc | shfWrite, data: make([]byte, 12)}), ErrFormat, "section .init_array of 12 bytes is no array of addresses"},
		{"unwind table", object(asmSection{name: ".eh_frame", typ: shtX8664Unwind, flags: shfAlloc, data: []byte{9, 0, 0, 0, 1, 1, 1, 1}}), ErrFormat, "unwind table .eh_frame"},
		{"group", assemble([]asmSection{group(1, 99)}, []asmSymbol{f}), ErrFormat, "section group 1 holds section 99"},
		{"group size", assemble([]asmSection{group()}, []asmSymbol{f}), ErrFormat, "section group 1: 0 bytes"},
		{"group twice", assemble([]asmSection{text(nil), group(1, 1), group(1, 1)}, []asmSymbol{f}), ErrUnsupported, "COMDAT group f occurs twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := Parse(c.obj)
			var e *Error
			if o != nil || !errors.Is(err, c.kind) || !errors.As(err, &e) || !strings.Contains(fmt.Sprint(err), c.text) {
				t.Errorf("error %v, want %v: ... %s", err, c.kind, c.text)
			}
		})
	}
}

func TestOverlap(t *testing.T) {
	obj := readPrebuilt(t, "kernel.o")
	h, err := readHeader(obj)
	if err != nil {
		t.Fatal(err)
	}
	for i := range h.shnum {
		s := obj[h.shoff+uint64(i)*sectionSize:]
		le.PutUint64(s[24:], 0)
		le.PutUint64(s[32:], uint64(len(obj)))
	}
	if _, err := Parse(obj); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "sections overlap") {
		t.Errorf("error %v", err)
	}
}

// TestFunctionOrder checks constructors and destructors of both kinds, by the
// order in which their sections appear and by priority.
func TestFunctionOrder(t *testing.T) {
	const base = 0x10000
	next := byte(0)
	list := func(name string, typ uint32) asmSection {
		s := asmSection{name: name, typ: typ, flags: shfAlloc | shfWrite, data: make([]byte, 16), align: 8}
		for k := range 2 {
			next++
			s.relocs = append(s.relocs, asmReloc{uint64(8 * k), 1, 1, int64(next)})
		}
		return s
	}
	sections := []asmSection{
		text(bytes.Repeat([]byte{0xc3}, 64)),
		list(".init_array", shtInitArray),       // 1 2
		list(".init_array.200", shtInitArray),   // 3 4
		list(".init_array", shtInitArray),       // 5 6
		list(".ctors", shtProgbits),             // 7 8
		list(".ctors.65435", shtProgbits),       // 9 10: priority 100
		list(".ctors", shtProgbits),             // 11 12
		list(".preinit_array", shtPreinitArray), // 13 14
		list(".fini_array", shtFiniArray),       // 15 16
		list(".fini_array.200", shtFiniArray),   // 17 18
		list(".fini_array", shtFiniArray),       // 19 20
		list(".dtors.65435", shtProgbits),       // 21 22: priority 100
		list(".dtors.65335", shtProgbits),       // 23 24: priority 200
	}
	o, err := Parse(assemble(sections, []asmSymbol{{name: "f", bind: 1, shndx: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	mem, b := bound(o, base)
	if err := o.build(mem, b); err != nil {
		t.Fatal(err)
	}
	order := func(lists []funcList) []uint64 {
		addrs, err := o.functions(mem, b, lists)
		if err != nil {
			t.Fatal(err)
		}
		for i := range addrs {
			addrs[i] -= base
		}
		return addrs
	}
	if diff := cmp.Diff([]uint64{13, 14, 10, 9, 3, 4, 12, 11, 8, 7, 1, 2, 5, 6}, order(o.constructors)); diff != "" {
		t.Errorf("constructors (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]uint64{20, 19, 16, 15, 18, 17, 23, 24, 21, 22}, order(o.destructors)); diff != "" {
		t.Errorf("destructors (-want +got):\n%s", diff)
	}
	first := mem[classConst][o.constructors[0].at:]
	le.PutUint64(first, base+0x100000)
	if _, err := o.functions(mem, b, o.constructors); !errors.Is(err, ErrFormat) {
		t.Errorf("constructor outside the text: error %v", err)
	}
	le.PutUint64(first, ^uint64(0))
	if addrs, err := o.functions(mem, b, o.constructors); err != nil || len(addrs) != 13 {
		t.Errorf("%d constructors, %v", len(addrs), err)
	}
}

func TestFrameChain(t *testing.T) {
	for _, c := range []struct {
		b    []byte
		want bool
	}{
		{nil, true},
		{[]byte{4, 0, 0, 0, 1, 2, 3, 4}, true},
		{[]byte{4, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0}, true},
		{[]byte{4, 0, 0, 0, 1, 2, 3, 4, 1}, false},
		{[]byte{4, 0, 0, 0, 1, 2, 3}, false},
		{[]byte{3, 0, 0, 0, 1, 2, 3}, false},
		{[]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0}, false},
	} {
		if got := frameChain(c.b); got != c.want {
			t.Errorf("%v: %v", c.b, got)
		}
	}
}

// checkParse holds Parse to its promises for any bytes and, if they are an
// object, builds its image.
func checkParse(t *testing.T, obj []byte) bool {
	o, err := Parse(obj)
	if (o == nil) == (err == nil) {
		t.Fatalf("object %v, error %v", o, err)
	}
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Kind == nil || !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) {
			t.Fatalf("error %#v", err)
		}
		return false
	}
	if o.Size() <= 0 || o.Size() > maxImage || o.Size()%4096 != 0 {
		t.Fatalf("size %d", o.Size())
	}
	var stored uint64
	for i := range o.sections {
		s := &o.sections[i]
		if s.class == classNone {
			continue
		}
		if z := o.layout.zones[s.class]; s.at+s.size > z.size || s.at%s.align != 0 || z.align < s.align {
			t.Fatalf("section %s of %d bytes at %#x, aligned to %d, in a zone of %+v", s.name, s.size, s.at, s.align, z)
		}
		if s.hasContents() {
			stored += s.size
		}
	}
	if stored > uint64(len(obj)) {
		t.Fatalf("%d bytes of contents from %d", stored, len(obj))
	}
	if o.Size() > 1<<20 {
		return true
	}
	mem, b := bound(o, 1<<30)
	if err := o.build(mem, b); err != nil {
		if !errors.Is(err, ErrRange) {
			t.Fatalf("building: %v", err)
		}
		return true
	}
	for _, lists := range [][]funcList{o.constructors, o.destructors} {
		if _, err := o.functions(mem, b, lists); err != nil && !errors.Is(err, ErrFormat) {
			t.Fatalf("reading functions: %v", err)
		}
	}
	return true
}

// TestMutations damages the committed objects in 20,000 ways.
func TestMutations(t *testing.T) {
	const tries = 20000
	random := rand.New(rand.NewPCG(7, 11))
	taken := 0
	all := append(slices.Clone(prebuilt), foreign)
	for i := range tries {
		obj := bytes.Clone(readPrebuilt(t, all[i%len(all)].name))
		for range 1 + random.IntN(4) {
			switch at := random.IntN(len(obj)); random.IntN(6) {
			case 0:
				obj[at] ^= 1 << random.IntN(8)
			case 1:
				obj[at] = byte(random.Uint32())
			case 2: // the tables lie at the end
				at = len(obj) - 1 - random.IntN(min(len(obj), 2048))
				obj[at] = byte(random.Uint32())
			case 3:
				edge := []uint64{0, 1, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 63, ^uint64(0)}[random.IntN(8)]
				if at &^= 7; at+8 <= len(obj) {
					le.PutUint64(obj[at:], edge)
				}
			case 4:
				obj = obj[:1+at]
			case 5:
				from := random.IntN(len(obj))
				copy(obj[at:], bytes.Clone(obj[from:min(from+64, len(obj))]))
			}
		}
		if checkParse(t, obj) {
			taken++
		}
	}
	t.Logf("%d of %d damaged objects are still well formed", taken, tries)
	if taken == 0 || taken == tries {
		t.Errorf("%d of %d parsed: the mutations test nothing", taken, tries)
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range prebuilt {
		f.Add(readPrebuilt(f, p.name))
	}
	f.Add(readPrebuilt(f, foreign.name))
	f.Add(assemble([]asmSection{text(make([]byte, 8), asmReloc{0, 2, 1, 0}), data(make([]byte, 8))}, []asmSymbol{{name: "f", bind: 1}}))
	f.Fuzz(func(t *testing.T, obj []byte) { checkParse(t, obj) })
}
