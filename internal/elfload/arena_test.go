package elfload

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/internal/ffi"
)

// resident returns the process's resident bytes, without Go's free memory.
func resident(t testing.TB) int {
	t.Helper()
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(b), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

func buildSource(t testing.TB, name, source string, flags ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	out := path + ".o"
	if err := (model{name, "clang-22", flags, false}).build(path, out); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// saxpy is a kernel of about 3 KB of code, with constants and a libm call.
const saxpy = `
float expf(float);
static const float table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int kernel(void *p) {
	struct { float *out; const float *a; int n; } *k = p;
	for (int i = 0; i < k->n; i++) k->out[i] += table[i & 7] * k->a[i];
	for (int i = 0; i < k->n; i++) k->out[i] = k->out[i] * 3 + expf(k->a[i]);
	return 0;
}
int test(void *p) { return p ? 7 : (int)table[1]; }`

// TestManyKernels keeps 10,000 images: they must stay far below the limit for
// mappings, 65,530, and take little memory each.
func TestManyKernels(t *testing.T) {
	const count = 10000
	o, err := Parse(buildSource(t, "kernel.c", saxpy, "-fPIC", "-O3"))
	if err != nil {
		t.Fatal(err)
	}
	a := &arenas{}
	load := func() *Image {
		im, err := o.load(Options{}, &defaultResolver, a)
		if err != nil {
			t.Fatal(err)
		}
		return im
	}
	load() // opens libm
	mapped, before := len(mappings(t)), resident(t)
	images := make([]*Image, count)
	for i := range images {
		images[i] = load()
	}
	perImage := (resident(t) - before) / count
	grown := len(mappings(t)) - mapped
	t.Logf("%d images: %d bytes each, %d more mappings", count, perImage, grown)
	if !raceEnabled && perImage > 12<<10 {
		t.Errorf("%d bytes for each image, over 12 KiB", perImage)
	}
	if grown > 100 {
		t.Errorf("%d images made %d mappings", count, grown)
	}
	for _, i := range []int{0, 4095, 4096, count - 1} {
		test, _ := images[i].Symbol("test")
		if got := int32(ffi.Call(test, 0)); got != 2 {
			t.Errorf("image %d: %d", i, got)
		}
	}
	for _, im := range images {
		if err := im.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if left := resident(t) - before; !raceEnabled && left > 4<<20 {
		t.Errorf("%d bytes left of %d images", left, count)
	}
	if grown := len(mappings(t)) - mapped; grown > 40 {
		t.Errorf("%d mappings left", grown)
	}
	if len(a.regions) > 2 {
		t.Errorf("%d regions left", len(a.regions))
	}
}

// TestChurn loads and closes at random from several goroutines: images never
// overlap, memory is used again, and at no moment is a page writable and
// executable.
func TestChurn(t *testing.T) {
	var objects []*Object
	for _, name := range []string{"kernel.o", "arrays.o", "exceptions.o", "globals.o"} {
		o, err := Parse(readPrebuilt(t, name))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	a := &arenas{}
	var mu sync.Mutex
	taken := map[uintptr]bool{} // pages
	var wait sync.WaitGroup
	var watch sync.WaitGroup
	done := make(chan struct{})
	watch.Go(func() {
		for looks := 0; ; looks++ {
			for _, m := range mappings(t) {
				if strings.Contains(m.perms, "w") && strings.Contains(m.perms, "x") {
					t.Errorf("mapping %#x is %s", m.lo, m.perms)
					return
				}
			}
			select {
			case <-done:
				if looks < 10 {
					t.Errorf("only %d looks at the mappings", looks)
				}
				return
			default:
			}
		}
	})
	for g := range 4 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(3, uint64(g)))
			var live []*Image
			closeOne := func(i int) {
				im := live[i]
				live = append(live[:i], live[i+1:]...)
				mu.Lock()
				pages(im, func(p uintptr) { delete(taken, p) })
				mu.Unlock()
				if err := im.Close(); err != nil {
					t.Error(err)
				}
			}
			for range 1500 {
				if len(live) > 0 && random.IntN(10) < 5 {
					closeOne(random.IntN(len(live)))
					continue
				}
				im, err := objects[random.IntN(len(objects))].load(Options{Frames: random.IntN(2) == 0}, &defaultResolver, a)
				if err != nil {
					t.Error(err)
					return
				}
				live = append(live, im)
				mu.Lock()
				pages(im, func(p uintptr) {
					if taken[p] {
						t.Errorf("page %#x belongs to two images", p)
					}
					taken[p] = true
				})
				mu.Unlock()
				test, _ := im.Symbol("test")
				if line := int32(ffi.Call(test, 0)); line != 0 {
					t.Errorf("check in line %d is wrong", line)
				}
			}
			for len(live) > 0 {
				closeOne(0)
			}
		})
	}
	wait.Wait()
	close(done)
	watch.Wait()
	if len(a.regions) > 2 { // one below 2 GiB
		t.Errorf("%d regions are left", len(a.regions))
	}
	for _, r := range a.regions {
		for c := classText; c < classes; c++ {
			if len(r.free[c]) != 1 || r.free[c][0].hi-r.free[c][0].lo < regionZone-uintptr(pageSize) {
				t.Errorf("free in zone %d: %v", c, r.free[c])
			}
		}
	}
}

func pages(im *Image, yield func(uintptr)) {
	for _, zone := range im.memory.zones {
		for at := 0; at < len(zone); at += int(pageSize) {
			yield(addressOf(zone) + uintptr(at))
		}
	}
}

// TestReusedPagesAreZeroed loads where an image with other contents lay.
func TestReusedPagesAreZeroed(t *testing.T) {
	a := &arenas{}
	load := func(source string) *Image {
		o, err := Parse(buildSource(t, "z.c", source, "-fPIC"))
		if err != nil {
			t.Fatal(err)
		}
		im, err := o.load(Options{}, &defaultResolver, a)
		if err != nil {
			t.Fatal(err)
		}
		return im
	}
	keep := load("int test(void) { return 0; }")
	defer keep.Close()
	var at [2]uintptr
	for i, source := range []string{
		"unsigned char b[5000]; int test(void) { for (int i = 0; i < 5000; i++) b[i] = 1; return b[17]; }",
		"unsigned char b[5000]; int test(void) { int n = 0; for (int i = 0; i < 5000; i++) n += b[i]; return n; }",
	} {
		im := load(source)
		at[i], _ = im.Symbol("b")
		test, _ := im.Symbol("test")
		if got, want := int32(ffi.Call(test)), int32(1-i); got != want {
			t.Errorf("%d, want %d", got, want)
		}
		im.Close()
	}
	if at[0]/4096 != at[1]/4096 {
		t.Errorf("b lay at %#x, then at %#x: the pages were not used again", at[0], at[1])
	}
}

// TestColours: small images one after the other do not begin at the same place
// of their pages, and those that fill their pages do.
func TestColours(t *testing.T) {
	a := &arenas{}
	for text, want := range map[uint64]int{100: 63, 2048: 33, 4096: 1, 5000: 50} {
		places := map[uintptr]bool{}
		for range 200 {
			p, err := a.take(need{zones: [classes]zone{classText: {size: text, align: 16}}})
			if err != nil {
				t.Fatal(err)
			}
			zone := p.zones[classText]
			if uint64(len(zone)) < text || (addressOf(zone)+uintptr(len(zone)))%4096 != 0 || addressOf(zone)%cacheLine != 0 {
				t.Fatalf("%d bytes at %#x for text of %d", len(zone), addressOf(zone), text)
			}
			if pages := p.pages(classText); uint64(len(pages)) != alignUp(text, pageSize) || addressOf(pages)%4096 != 0 {
				t.Fatalf("%d bytes of pages at %#x for text of %d", len(pages), addressOf(pages), text)
			}
			places[addressOf(zone)%4096] = true
			if err := a.give(&p); err != nil {
				t.Fatal(err)
			}
		}
		if len(places) != want {
			t.Errorf("text of %d bytes began at %d places of its pages, want %d", text, len(places), want)
		}
	}
}

// TestFar runs every committed object where no library is within 2 GiB.
func TestFar(t *testing.T) {
	const hint = 0x10_0000_0000
	a := &arenas{hint: hint}
	memcpy, _ := ffi.Symbol("memcpy")
	if memcpy-hint < 1<<33 {
		t.Fatalf("memcpy is at %#x, too near", memcpy)
	}
	stubs := 0
	for _, p := range prebuilt {
		if p.name == "tls.o" || p.name == "globals.o" { // the one refused, the other low
			continue
		}
		o, err := Parse(readPrebuilt(t, p.name))
		if err != nil {
			t.Fatal(err)
		}
		im, err := o.load(Options{}, &defaultResolver, a)
		if err != nil {
			t.Fatal(err)
		}
		lo, _ := im.TextRange()
		if lo-hint > 1<<30 {
			t.Errorf("%s lies at %#x", p.name, lo)
		}
		stubs += o.stubs
		test, _ := im.Symbol("test")
		if line := int32(ffi.Call(test, scratch(t, 4096).base())); line != 0 {
			t.Errorf("%s: check in line %d is wrong", p.name, line)
		}
		im.Close()
	}
	if stubs < 5 {
		t.Errorf("%d stubs: nothing was far", stubs)
	}
}

// TestLargeImage checks images that get a region of their own, and that they
// take it with them.
func TestLargeImage(t *testing.T) {
	a := &arenas{}
	for _, align := range []int{16, 1 << 21} {
		source := fmt.Sprintf(`static char big[20 << 20] __attribute__((aligned(%d)));
			long test(void) { big[sizeof big - 1] = 5; return (long)big; }`, align)
		o, err := Parse(buildSource(t, "large.c", source, "-fPIC"))
		if err != nil {
			t.Fatal(err)
		}
		before := len(mappings(t))
		im, err := o.load(Options{}, &defaultResolver, a)
		if err != nil {
			t.Fatal(err)
		}
		if im.Bytes() < 20<<20 || im.Bytes() > 21<<20 {
			t.Errorf("%d bytes", im.Bytes())
		}
		test, _ := im.Symbol("test")
		if at := ffi.Call(test); at == 0 || at%uintptr(align) != 0 {
			t.Errorf("big lies at %#x, not aligned to %d", at, align)
		}
		if err := im.Close(); err != nil {
			t.Error(err)
		}
		if after := len(mappings(t)); after > before+2 || len(a.regions) != 0 {
			t.Errorf("%d mappings, %d before; %d shared regions", after, before, len(a.regions))
		}
	}
}

// TestUnseenAddresses throws from a function that would lie where libgcc's
// unwinder overlooks it, in a shared region and in one of its own.
func TestUnseenAddresses(t *testing.T) {
	source := `
		struct E { int n; };
		__attribute__((noinline)) static int thrower(int n) { if (n) throw E{n}; return 0; }
		extern "C" int test(int n) { try { return thrower(n); } catch (const E &e) { return e.n * 2; } }`
	for i, source := range []string{source, source + "char large[20 << 20];"} {
		a := &arenas{hint: uintptr(0x40+i) << 32}
		o, err := Parse(buildSource(t, "unseen.cpp", source, "-fPIC"))
		if err != nil {
			t.Fatal(err)
		}
		im, err := o.load(Options{}, &defaultResolver, a)
		if err != nil {
			t.Fatal(err)
		}
		if lo, _ := im.TextRange(); uint64(lo) != uint64(a.hint)+pageSize {
			t.Errorf("text at %#x, want the page after %#x", lo, a.hint)
		}
		test, _ := im.Symbol("test")
		if got := int32(ffi.Call(test, 21)); got != 42 {
			t.Errorf("%d", got)
		}
		im.Close()
	}
	r := &region{shared: true}
	r.free[classText] = spans{{1<<32 - 8192, 1<<32 + 8192}}
	r.leaveOut(1 << 32)
	if diff := cmp.Diff(spans{{1<<32 - 8192, 1 << 32}, {1<<32 + uintptr(pageSize), 1<<32 + 8192}}, r.free[classText], cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("free (-want +got):\n%s", diff)
	}
}
