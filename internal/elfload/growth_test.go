package elfload

import (
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/kilnjit/kiln/internal/ffi"
)

// allocated returns the bytes that C code has allocated and not freed.
func allocated(t *testing.T) int {
	t.Helper()
	mallinfo2, ok := ffi.Symbol("mallinfo2")
	if !ok {
		t.Skip("the C library has no mallinfo2")
	}
	// A struct of ten words, whose address is the hidden first argument. The
	// sixth counts large allocations, the ninth others.
	var info [10]uintptr
	f := ffi.Enter(mallinfo2)
	ffi.Elements(f, info[:])
	f.Call()
	return int(info[5] + info[7])
}

// TestUnwinderKeepsNothing loads, throws in and closes 5,000 images, 50 at a
// time: what registering them allocates must be freed.
func TestUnwinderKeepsNothing(t *testing.T) {
	o, err := Parse(readPrebuilt(t, "exceptions.o"))
	if err != nil {
		t.Fatal(err)
	}
	round := func() {
		var images [50]*Image
		for i := range images {
			if images[i], err = o.Load(Options{}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range images {
			test, _ := images[(i*7)%len(images)].Symbol("test")
			if line := int32(ffi.Call(test, 0)); line != 0 {
				t.Fatalf("check in line %d is wrong", line)
			}
		}
		for i := range images {
			if err := images[(i*3)%len(images)].Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	round()
	before, mapped := allocated(t), len(mappings(t))
	for range 100 {
		round()
	}
	if grown := allocated(t) - before; grown > 64<<10 { // one record is 50 bytes or so
		t.Errorf("5,000 images left %d bytes in the C library's heap", grown)
	}
	if grown := len(mappings(t)) - mapped; grown > 8 {
		t.Errorf("5,000 images left %d mappings", grown)
	}
}

// TestFeelpp2484RewrittenObject: a library rewritten under one path, whose
// loader handed the old image back (feelpp/feelpp#2484).
func TestFeelpp2484RewrittenObject(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel.o")
	for i, source := range []string{
		"static int n = 40; int test(void) { return ++n; }",
		"static int n = 50; int test(void) { return ++n; }",
		"static int n = 40; int test(void) { return ++n; }",
	} {
		if err := os.WriteFile(path, buildSource(t, "a.c", source, "-fPIC"), 0o600); err != nil {
			t.Fatal(err)
		}
		im, err := loadFile(t, path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer im.Close()
		test, _ := im.Symbol("test")
		if got, want := int32(ffi.Call(test)), int32([]int{41, 51, 41}[i]); got != want {
			t.Errorf("version %d: %d, want %d", i, got, want)
		}
	}
}

// TestPurego60CallbacksFromForeignThreads: crashes in callbacks from threads
// that Go did not make (ebitengine/purego#60, #458). Four threads of C make
// 10,000 calls while the garbage collector runs.
func TestPurego60CallbacksFromForeignThreads(t *testing.T) {
	const source = `
		int pthread_create(unsigned long *, const void *, void *(*)(void *), void *);
		int pthread_join(unsigned long, void **);
		typedef long callback(long, long);
		static callback *call;
		static void *thread(void *p) {
			long sum = 0;
			for (long i = 0; i < 2500; i++) sum += call((long)p, i);
			return (void *)sum;
		}
		long test(callback *f) {
			unsigned long threads[4];
			long sum = 0;
			call = f;
			for (long i = 0; i < 4; i++)
				if (pthread_create(&threads[i], 0, thread, (void *)(i + 1))) return -1;
			for (int i = 0; i < 4; i++) {
				void *part;
				if (pthread_join(threads[i], &part)) return -2;
				sum += (long)part;
			}
			return sum;
		}`
	im := mustLoad(t, buildSource(t, "threads.c", source, "-fPIC"), Options{})
	defer im.Close()
	test, _ := im.Symbol("test")
	var calls atomic.Int64
	garbage := make([][]byte, 64)
	callback := ffi.Callback(func(thread, i uintptr) uintptr {
		n := calls.Add(1)
		kept := make([]byte, 100+i%1000)
		kept[len(kept)-1] = byte(thread)
		if thread == 1 {
			garbage[i%64] = kept
		}
		if n%200 == 0 {
			runtime.GC()
		}
		return thread*1000 + i + uintptr(kept[len(kept)-1])
	})
	want := 0
	for thread := 1; thread <= 4; thread++ {
		want += 2500*(thread*1001) + 2499*2500/2
	}
	if got := int(ffi.Call(test, callback)); got != want || calls.Load() != 10000 {
		t.Errorf("sum %d of %d calls, want %d", got, calls.Load(), want)
	}
}
