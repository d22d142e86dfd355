package elfload

import (
	"bytes"
	"debug/elf"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/internal/ffi"
)

func TestFunctionNames(t *testing.T) {
	obj := buildSource(t, "names.c", `
		__attribute__((noinline)) static int inner(int x) { return x * 3; }
		int alias(int x) __attribute__((alias("outer")));
		int outer(int x) { return inner(x + 1); }
		__asm__(".text\n.globl bare\n.type bare, @function\nbare: nop\nnop\nret\n");
		int data = 4;
		int test(void) { return outer(4) + data; }`, "-fPIC", "-ffunction-sections", "-fno-optimize-sibling-calls")
	o, err := Parse(obj)
	if err != nil {
		t.Fatal(err)
	}
	im := mustLoad(t, obj, Options{})
	defer im.Close()
	var names []string
	lo, hi := im.TextRange()
	last := lo
	for _, f := range o.Functions(im) {
		names = append(names, f.Name)
		if f.Address < last || f.Address+uintptr(len(f.Code)) > hi || len(f.Code) == 0 {
			t.Errorf("%s is [%#x, +%d), text [%#x, %#x), the one before ends at %#x", f.Name, f.Address, len(f.Code), lo, hi, last)
		}
		last = f.Address + uintptr(len(f.Code))
		if addr, ok := im.Symbol(f.Name); ok && addr != f.Address {
			t.Errorf("%s at %#x, exported at %#x", f.Name, f.Address, addr)
		}
		if !bytes.Equal(f.Code, ffi.Bytes(f.Address, len(f.Code))) {
			t.Errorf("code of %s", f.Name)
		}
		if f.Name == "bare" && (f.Code[0] != 0x90 || f.Code[2] != 0xc3) {
			t.Errorf("code of bare: %x", f.Code)
		}
	}
	if diff := cmp.Diff([]string{"bare", "outer", "inner", "test"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}

	located, err := elf.NewFile(bytes.NewReader(o.Located(im)))
	if err != nil {
		t.Fatal(err)
	}
	test, _ := im.Symbol("test")
	data, _ := im.Symbol("data")
	for name, want := range map[string]uintptr{".text.test": test, ".data": data, ".symtab": 0, ".comment": 0} {
		if got := located.Section(name).Addr; got != uint64(want) {
			t.Errorf("section %s at %#x, want %#x", name, got, want)
		}
	}
	if o.sections[0].typ != 0 || bytes.Equal(o.raw, o.Located(im)) {
		t.Error("the object itself was changed")
	}
}
