package compile

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

// The tests of this file are named after public reports of other systems whose
// keys were wrong.

// NVIDIA/numba-cuda PR#800: two packages make the code, one's version was in the
// key. All that names a version is in it, and is shown.
func TestVersionsNumbaCUDA800(t *testing.T) {
	base := sampleRequest()
	for name, change := range map[string]func(*Request){
		"build id": func(r *Request) { r.Toolchain.BuildID += "0" },
		"version":  func(r *Request) { r.Toolchain.Version = "22.2" },
	} {
		r := sampleRequest()
		change(r)
		if r.Digest() == base.Digest() {
			t.Errorf("the key does not depend on LLVM's %s", name)
		}
	}
	var text bytes.Buffer
	if err := base.Describe(&text); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("\nrevision:        %d\n", Revision); !strings.Contains(text.String(), want) {
		t.Errorf("no engine revision in\n%s", text.String())
	}
	before := SummaryDigest(base.ModuleDigest, base.Toolchain)
	base.Toolchain.BuildID += "0"
	if SummaryDigest(base.ModuleDigest, base.Toolchain) == before {
		t.Error("the key of a summary does not depend on LLVM's build id")
	}
}

// NVIDIA/cccl#3103 and sirius-db/sirius#1863: what was compiled was not what was
// hashed. Every byte of the module that LLVM is handed counts.
func TestEveryByteOfTheModuleCCCL3103(t *testing.T) {
	module := []byte(hostHeader + "define i32 @f(i32 %x) {\n  %y = add i32 %x, 41\n  ret i32 %y\n}\n")
	r := Request{Module: module, Kernel: "f"}
	seen := map[[32]byte]int{r.Digest(): -1}
	for i := range module {
		changed := bytes.Clone(module)
		changed[i] ^= 1
		r := Request{Module: changed, Kernel: "f"}
		if j, twice := seen[r.Digest()]; twice {
			t.Fatalf("changing byte %d gives the key of byte %d", i, j)
		}
		seen[r.Digest()] = i
	}
}

// cupy/cupy#7391 and PR#7345: names in the output were random, so that each
// process made files of its own. The same request gives the same bytes.
func TestSameBytesCupy7391(t *testing.T) {
	module := []byte(hostHeader + `
@table = private constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
define internal i32 @g(i32 %x) noinline {
  %p = getelementptr [4 x i32], ptr @table, i32 0, i32 %x
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @f(i32 %x) {
  %y = call i32 @g(i32 %x)
  ret i32 %y
}
`)
	var first []byte
	for i := range 4 {
		c := newCompiler(t, Config{})
		r := Request{Module: module, Kernel: "f", Target: native(t, c), Toolchain: c.Toolchain()}
		im, err := c.Compile(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = im.Marshal()
		}
		if !bytes.Equal(first, im.Marshal()) {
			t.Errorf("compile %d gives other bytes", i)
		}
	}
}

// Olympus-HPC/proteus#308: hashing the kernel took longer than the look-up saved.
// Where the module's digest is known, a key costs a few allocations however
// large the module is.
func TestKeyIsCheapProteus308(t *testing.T) {
	r := sampleRequest()
	allocs := func(size int) float64 {
		r.Module = make([]byte, size)
		return testing.AllocsPerRun(100, func() { r.Digest() })
	}
	small, large := allocs(1<<10), allocs(64<<20)
	if small != large {
		t.Errorf("%v allocations a key of 1 KiB, %v of 64 MiB: want the same", small, large)
	}
	// The race detector keeps the compiler from putting some of them on the stack.
	if large > 4 && !raceEnabled {
		t.Errorf("%v allocations a key, want 4 at most", large)
	}
}

func BenchmarkKeyProteus308(b *testing.B) {
	r := sampleRequest()
	b.ReportAllocs()
	for b.Loop() {
		r.Digest()
	}
}
