package ffi_test

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kilnjit/kiln/internal/ffi"
)

func libm(t testing.TB) *ffi.Library {
	t.Helper()
	l, err := ffi.Open("libm.so.6")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func symbol(t testing.TB, name string) uintptr {
	t.Helper()
	address, ok := ffi.Symbol(name)
	if !ok {
		t.Fatalf("the process has no %s", name)
	}
	return address
}

func TestLookup(t *testing.T) {
	l := libm(t)
	address, err := l.Lookup("cosf")
	if err != nil || address == 0 {
		t.Errorf("cosf is at %#x, %v", address, err)
	}
	if _, err := l.Lookup("no_such_symbol"); err == nil || err.Error() != "looking up no_such_symbol: no such symbol in libm.so.6" {
		t.Errorf("error is %v", err)
	}
	if _, err := ffi.Open("/no/such/library.so"); err == nil || !strings.Contains(err.Error(), "opening library /no/such/library.so: ") ||
		!strings.Contains(err.Error(), "No such file or directory") {
		t.Errorf("error is %v", err)
	}
	if address, ok := ffi.Symbol("no_such_symbol"); ok || address != 0 {
		t.Errorf("no_such_symbol is at %#x", address)
	}
}

func TestBind(t *testing.T) {
	address, err := libm(t).Lookup("ldexp")
	if err != nil {
		t.Fatal(err)
	}
	var ldexp func(x float64, exp int32) float64
	ffi.Bind(&ldexp, address)
	if got := ldexp(-0.75, 10); got != -768 {
		t.Errorf("ldexp(-0.75, 10) = %v", got)
	}
	if got := ldexp(1, -1074); got != math.SmallestNonzeroFloat64 {
		t.Errorf("ldexp(1, -1074) = %v", got)
	}
}

var sum12 = sync.OnceValue(func() uintptr {
	return ffi.Callback(func(a, b, c, d, e, f, g, h, i, j, k, l uintptr) uintptr {
		return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g + 8*h + 9*i + 10*j + 11*k + 12*l
	})
})

// TestManyArguments: arguments beyond the registers arrive in order.
func TestManyArguments(t *testing.T) {
	words := []uintptr{1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11}
	if got := ffi.Call(sum12(), words...); got != sum(words) {
		t.Errorf("sum is %d, want %d", got, sum(words))
	}
}

func sum(words []uintptr) (n uintptr) {
	for i, w := range words {
		n += uintptr(i+1) * w
	}
	return n
}

func TestFrame(t *testing.T) {
	strlen, memcpy, memcmp := symbol(t, "strlen"), symbol(t, "memcpy"), symbol(t, "memcmp")
	for _, n := range []int{0, 1, 100, 254, 255, 256, 257, 5000} {
		f := ffi.Enter(strlen)
		f.Text(strings.Repeat("x", n))
		if got := f.Call(); got != uintptr(n) {
			t.Errorf("C sees %d bytes of %d", got, n)
		}
	}
	f := ffi.Enter(memcmp)
	f.Text("the first text")
	f.Text("the first text, and a second")
	f.Word(14)
	if got := int32(f.Call()); got != 0 {
		t.Errorf("two texts in one frame: memcmp is %d", got)
	}
	var out uint64
	in := []uint32{0x01020304, 0x05060708}
	f = ffi.Enter(memcpy)
	ffi.Pointer(f, &out)
	ffi.Elements(f, in)
	f.Word(8)
	f.Call()
	if out != 0x0506070801020304 {
		t.Errorf("copied %#x", out)
	}
	f = ffi.Enter(symbol(t, "strnlen"))
	f.TextAndLength("counted")
	if got := ffi.Call(sum12(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1); got != 12 {
		t.Errorf("a call while another frame is open: %d", got)
	}
	if got := f.Call(); got != 7 {
		t.Errorf("text and length: strnlen is %d", got)
	}
}

// TestCallAllocatesNothing holds without the race detector, which drops pooled
// frames on purpose.
func TestCallAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops pooled frames")
	}
	strlen, abs := symbol(t, "strlen"), symbol(t, "abs")
	n := testing.AllocsPerRun(100, func() {
		f := ffi.Enter(strlen)
		f.Text("some name")
		f.Call()
		ffi.Call(abs, 7)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestGoString reads strings that end at the last byte before unmapped memory.
func TestGoString(t *testing.T) {
	const page = 4096
	mapped, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mapped)
	if err := unix.Mprotect(mapped[2*page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 31, 32, page - 1, page, page + 1, 2*page - 1} {
		text := bytes.Repeat([]byte{'a'}, n)
		start := 2*page - 1 - n
		copy(mapped[start:], text)
		mapped[2*page-1] = 0
		if got := ffi.GoString(address(mapped[start:])); got != string(text) {
			t.Errorf("%d bytes: got %d", n, len(got))
		}
	}
	if got := ffi.GoString(0); got != "" {
		t.Errorf("null is %q", got)
	}
	copy(mapped, "\x01\x00\x00\x00\x02\x00\x00\x00")
	if got := ffi.Copy[uint32](address(mapped), 2); len(got) != 2 || got[0] != 1 || got[1] != 2 {
		t.Errorf("copied %v", got)
	}
	if got := ffi.Bytes(address(mapped), 5); !bytes.Equal(got, []byte{1, 0, 0, 0, 2}) {
		t.Errorf("copied % x", got)
	}
	text := ffi.NewText("kept")
	if got := ffi.GoString(text.Address()); got != "kept" || text.String() != "kept" {
		t.Errorf("text is %q and %q", got, text)
	}
}

func BenchmarkCall(b *testing.B) {
	abs := symbol(b, "abs")
	b.ReportAllocs()
	for b.Loop() {
		ffi.Call(abs, 7)
	}
}

func BenchmarkSymbol(b *testing.B) {
	for b.Loop() {
		ffi.Symbol("strlen")
	}
}
