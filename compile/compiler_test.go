package compile

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/llvmtest"
	"github.com/kilnjit/kiln/specialize"
)

// The oldest LLVM that kiln works with passes every test too.
func TestOnLLVM19(t *testing.T) { llvmtest.Again(t, llvm.OldestMajor, ".") }

func TestImage(t *testing.T) {
	c := newCompiler(t, Config{})
	r := Request{
		Module: hostModule(t, c), Kernel: "waves", Target: native(t, c), Toolchain: c.Toolchain(),
		Spec: specialize.Spec{Constants: []specialize.Constant{{Index: 0, Bytes: little(t, 1.0)}}},
	}
	im, err := c.Compile(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := &image.Image{
		Format: image.Object, Target: r.Target, Kernel: "waves", Entry: "kiln.entry.waves", Convention: image.Host,
		ParamBytes: 16, StackBytes: im.StackBytes, Payload: im.Payload,
	}
	if diff := cmp.Diff(want, im); diff != "" {
		t.Errorf("image with everything folded (-want +got):\n%s", diff)
	}
	again, err := c.Compile(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(im.Payload, again.Payload) {
		t.Error("the same request gives other bytes the second time")
	}
	r.Spec = specialize.Spec{}
	if im, err = c.Compile(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"exp", "sin"}, im.Undefined); diff != "" {
		t.Errorf("undefined symbols (-want +got):\n%s", diff)
	}
}

// What a loader and a worker's stack must be told.
func TestStackAndRemarks(t *testing.T) {
	c := newCompiler(t, Config{})
	module := hostModule(t, c)
	im := compile(t, c, Request{Module: module, Kernel: "frame"})
	if im.StackBytes < 65000 || im.StackBytes > 66000 {
		t.Errorf("StackBytes of a frame with 64 KiB = %d", im.StackBytes)
	}
	if im := compile(t, c, Request{Module: module, Kernel: "prime"}); im.StackBytes > 64 {
		t.Errorf("StackBytes of a leaf = %d", im.StackBytes)
	}
	im = compile(t, c, Request{Module: module, Kernel: "count"})
	if diff := cmp.Diff([]string{`variable "counter" of the module is this image's own copy`}, im.Remarks); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
	// A large frame is probed page by page: the guard page cannot be missed.
	if !probes(t, compile(t, c, Request{Module: module, Kernel: "frame"})) {
		t.Error("no stack probe in a frame of 64 KiB")
	}
}

// probes looks for "movq $0, (%rsp)", which touches a page.
func probes(t *testing.T, im *image.Image) bool {
	return bytes.Contains(section(t, im, ".text"), []byte{0x48, 0xc7, 0x04, 0x24, 0, 0, 0, 0})
}

// section returns a section's bytes, nil where the object has none of the name.
func section(t *testing.T, im *image.Image, name string) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(im.Payload))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Sections {
		if s.Name == name {
			b, err := s.Data()
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
	}
	return nil
}

// Options reach the code: levels change its size, debug keeps its lines.
func TestOptions(t *testing.T) {
	c := newCompiler(t, Config{})
	module := hostModule(t, c)
	size := func(o Options) int {
		return len(section(t, compile(t, c, Request{Module: module, Kernel: "polynomial_all", Options: o}), ".text"))
	}
	o0, o3, oz := size(Options{Opt: O0, Codegen: CodegenNone}), size(Options{}), size(Options{Opt: Oz})
	if oz >= o3 || o0 == o3 {
		t.Errorf("bytes of code: O0 %d, O3 %d, Oz %d; want Oz to be less than O3", o0, o3, oz)
	}
	if c.LLVMMajor() < 22 {
		return
	}
	module = testdata(t, "host.22.O0.bc")
	for _, debug := range []bool{false, true} {
		im := compile(t, c, Request{Module: module, Kernel: "polynomial", Options: Options{Debug: debug}})
		if got := section(t, im, ".debug_line") != nil; got != debug {
			t.Errorf("Debug %v: debug lines in the object: %v", debug, got)
		}
	}
}

// Bitcode of clang -O0 marks its functions optnone; a request for -O3 gets it.
func TestUnoptimisedInput(t *testing.T) {
	if llvm.Current().Major < 22 {
		t.Skip("the module is LLVM 22's")
	}
	optimised := func(opt OptLevel) string {
		folder := t.TempDir()
		c := newCompiler(t, Config{DumpDir: folder})
		compile(t, c, Request{Module: testdata(t, "host.22.O0.bc"), Kernel: "polynomial", Options: Options{Opt: opt}})
		files, err := filepath.Glob(filepath.Join(folder, "*", "05-optimise.ll"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		b, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for opt, want := range map[OptLevel]bool{O3: false, O0: true} {
		ir := optimised(opt)
		if strings.Contains(ir, "alloca") != want || strings.Contains(ir, "optnone") != want {
			t.Errorf("%s: variables in memory and optnone: want %v\n%s", opt, want, ir)
		}
	}
}

// The module's own processor gives way: code for a bare x86-64 has no AVX, and
// none of the request's features is lost to what the module says.
func TestProcessor(t *testing.T) {
	c := newCompiler(t, Config{})
	module := hostModule(t, c)
	plain := native(t, c)
	plain.Processor, plain.Features = "x86-64", ""
	wide := plain
	wide.Processor = "x86-64-v4"
	a := compile(t, c, Request{Module: module, Kernel: "saxpy", Target: plain})
	b := compile(t, c, Request{Module: module, Kernel: "saxpy", Target: wide})
	if bytes.Equal(a.Payload, b.Payload) {
		t.Error("two processors, the same code")
	}
	vfmadd := []byte{0xc4, 0xe2}
	evex := []byte{0x62, 0xf2}
	has := func(im *image.Image) bool {
		code := section(t, im, ".text")
		return bytes.Contains(code, vfmadd) || bytes.Contains(code, evex)
	}
	if has(a) || !has(b) {
		t.Errorf("fused multiply-add: x86-64 %v, x86-64-v4 %v; want only the latter", has(a), has(b))
	}
}

// Any number of parameters, and names that no assembler would take.
func TestManyParameters(t *testing.T) {
	c := newCompiler(t, Config{})
	for _, n := range []int{0, 1, 6, 7, 16, 33, 64, 256, 300} {
		var params, body strings.Builder
		want := int64(0)
		var block []byte
		var constants []specialize.Constant
		for i := range n {
			fmt.Fprintf(&params, "i64 %%p%d, ", i)
			fmt.Fprintf(&body, "  %%m%d = mul i64 %%p%d, %d\n  %%s%d = add i64 %%s%d, %%m%d\n", i, i, i+1, i+1, i, i)
			block = append(block, little(t, int64(i*i))...)
			want += int64(i*i) * int64(i+1)
			if i%3 == 0 {
				constants = append(constants, specialize.Constant{Index: i, Bytes: little(t, int64(i*i))})
			}
		}
		name := `my.kernel$1 @ü"`
		module := fmt.Appendf(nil, "%sdefine i64 @\"my.kernel$1 @\\C3\\BC\\22\"(%s) {\n  %%s0 = add i64 0, 0\n%s  ret i64 %%s%d\n}\n",
			hostHeader, strings.TrimSuffix(params.String(), ", "), body.String(), n)
		for _, spec := range []specialize.Spec{{}, {Constants: constants}} {
			im := compile(t, c, Request{Module: module, Kernel: name, Spec: spec})
			params := append(bytes.Clone(block), make([]byte, 8)...)
			if code := call(t, im, params, once, once); code != 0 {
				t.Fatalf("entry returned %d", code)
			}
			if got := params[len(block):]; !bytes.Equal(got, little(t, want)) {
				t.Errorf("%d parameters, %d fixed: % x, want % x", n, len(spec.Constants), got, little(t, want))
			}
		}
	}
}

func TestDumps(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "dumps")
	c := newCompiler(t, Config{DumpDir: folder})
	r := Request{Module: hostModule(t, c), Kernel: "prime"}
	dumped := compile(t, c, r)
	if plain := compile(t, newCompiler(t, Config{}), r); !bytes.Equal(dumped.Payload, plain.Payload) {
		t.Error("dumping changes the image")
	}
	compile(t, c, r)
	r.Target, r.Toolchain = native(t, c), c.Toolchain()
	digest := r.Digest()
	first := fmt.Sprintf("prime-%x", digest[:4])
	var got []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(folder, path)
			got = append(got, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, f := range []string{first, first + ".2"} {
		for _, stage := range []string{"01-parse.ll", "02-extract.ll", "03-specialise.ll", "04-wrap.ll", "05-optimise.ll", "06-generate.o", "06-generate.s"} {
			want = append(want, filepath.Join(f, stage))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	for file, mark := range map[string]string{"01-parse.ll": "@fibonacci", "04-wrap.ll": "@kiln.entry.prime", "06-generate.s": "kiln.entry.prime:"} {
		b, err := os.ReadFile(filepath.Join(folder, first, file))
		if err != nil || !bytes.Contains(b, []byte(mark)) {
			t.Errorf("%s: %v, want %q in it", file, err, mark)
		}
	}
	object, err := os.ReadFile(filepath.Join(folder, first, "06-generate.o"))
	if err != nil || !bytes.Equal(object, dumped.Payload) {
		t.Errorf("06-generate.o: %v, want the payload", err)
	}
}

// A dump that cannot be written is a warning, and the compile goes on.
func TestDumpFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var warnings []error
	c := newCompiler(t, Config{DumpDir: file, Observe: func(e Event) {
		if e.Warning != nil {
			warnings = append(warnings, e.Warning)
		}
	}})
	compile(t, c, Request{Module: hostModule(t, c), Kernel: "prime"})
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), file) {
		t.Errorf("warnings %v, want one that names %s", warnings, file)
	}
}

func TestFileName(t *testing.T) {
	for kernel, want := range map[string]string{
		"saxpy": "saxpy", "": "_", "../../etc": "_.._etc", "..": "_", "a/b c": "a_b_c", "_Z3fooPf": "_Z3fooPf",
		strings.Repeat("x", 300): strings.Repeat("x", 64),
	} {
		if got := fileName(kernel); got != want {
			t.Errorf("fileName(%q) = %q, want %q", kernel, got, want)
		}
	}
}

func TestEvents(t *testing.T) {
	var stages []string
	var failed []error
	c := newCompiler(t, Config{Observe: func(e Event) {
		stages = append(stages, string(e.Stage)+" "+e.Kernel)
		if e.Err != nil {
			failed = append(failed, e.Err)
		} else if e.Duration <= 0 {
			t.Errorf("%s took %v", e.Stage, e.Duration)
		}
	}})
	module := hostModule(t, c)
	compile(t, c, Request{Module: module, Kernel: "prime"})
	want := []string{"check prime", "parse prime", "extract prime", "specialise prime", "wrap prime", "optimise prime", "generate prime", "image prime"}
	if diff := cmp.Diff(want, stages); diff != "" {
		t.Errorf("stages of a compile (-want +got):\n%s", diff)
	}
	stages = nil
	failure(t, c, Request{Module: module, Kernel: "prim"})
	if diff := cmp.Diff([]string{"check prim", "parse prim", "extract prim"}, stages); diff != "" {
		t.Errorf("stages of a failure (-want +got):\n%s", diff)
	}
	if len(failed) != 1 || !errors.Is(failed[0], ErrNoKernel) {
		t.Errorf("errors reported: %v, want one of ErrNoKernel", failed)
	}
}

// A context that ends stops the compile between stages, wherever it is.
func TestCancellation(t *testing.T) {
	for _, at := range []Stage{StageCheck, StageParse, StageExtract, StageSpecialise, StageWrap, StageOptimise, StageGenerate} {
		ctx, cancel := context.WithCancel(context.Background())
		var last Stage
		c := newCompiler(t, Config{Observe: func(e Event) {
			last = e.Stage
			if e.Stage == at {
				cancel()
			}
		}})
		r := Request{Module: hostModule(t, c), Kernel: "prime", Target: native(t, c), Toolchain: c.Toolchain()}
		im, err := c.Compile(ctx, r)
		if im != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %s: %v, %v", at, im, err)
		}
		if e, ok := errors.AsType[*Error](err); !ok || last == at || e.Stage != last {
			t.Errorf("ended after %s: %v, last stage reported is %s; want the next one", at, err, last)
		}
		cancel()
	}
}

// Compiles side by side give what they give alone, and leave nothing open.
func TestConcurrent(t *testing.T) {
	c := newCompiler(t, Config{})
	module, machine := hostModule(t, c), native(t, c)
	kernels := []string{"polynomial", "mixed", "box_sum", "prime", "scale", "fibonacci", "no_such"}
	want := map[string][]byte{}
	for _, k := range kernels[:6] {
		want[k] = compile(t, c, Request{Module: module, Kernel: k, Target: machine}).Payload
	}
	var group sync.WaitGroup
	for i := range 28 {
		group.Go(func() {
			kernel := kernels[i%len(kernels)]
			im, err := c.Compile(context.Background(), Request{Module: module, Kernel: kernel, Target: machine, Toolchain: c.Toolchain()})
			if kernel == "no_such" {
				if !errors.Is(err, ErrNoKernel) {
					t.Errorf("error %v, want ErrNoKernel", err)
				}
				return
			}
			if err != nil || !bytes.Equal(im.Payload, want[kernel]) {
				t.Errorf("%s: %v, or other bytes than alone", kernel, err)
			}
		})
	}
	group.Wait()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if open := llvm.Live(); len(open) > 0 {
		t.Errorf("%d handles are open: %v", len(open), open)
	}
}

// Compiles leave nothing behind: no handle, and no memory beyond what LLVM
// keeps once for the process.
func TestNothingIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("200 compiles")
	}
	c := newCompiler(t, Config{})
	r := Request{Module: hostModule(t, c), Kernel: "polynomial", Target: native(t, c)}
	round := func(n, from int) {
		for i := range n {
			r.Spec.Constants = []specialize.Constant{{Index: 1, Bytes: little(t, int32(from+i)%64)}}
			compile(t, c, r)
			if i%10 == 0 {
				_, err := c.Summarise(context.Background(), r.Module)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if open := llvm.Live(); len(open) > 1 || open[0].Kind != "target machine" {
			t.Fatalf("%d handles are open, want one target machine: %v", len(open), open)
		}
		runtime.GC()
	}
	round(50, 0)
	before := resident(t)
	round(200, 50)
	if grown := resident(t) - before; grown > 200*16<<10 {
		t.Errorf("%d KiB grown over 200 compiles", grown>>10)
	}
}

// resident returns the process's resident memory in bytes.
func resident(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// What a machine compiled before leaves no trace in what it compiles next.
func TestMachineIsReused(t *testing.T) {
	c := newCompiler(t, Config{})
	fast := []byte(hostHeader + `
define float @f(float %x, float %y) #0 {
  %p = fmul float %x, %y
  %s = fadd float %p, %x
  %q = fdiv float %s, %y
  %m = call float @llvm.minnum.f32(float %q, float %p)
  ret float %m
}
declare float @llvm.minnum.f32(float, float)
attributes #0 = { "no-nans-fp-math"="true" "no-infs-fp-math"="true" "no-signed-zeros-fp-math"="true" "unsafe-fp-math"="true" "frame-pointer"="all" }
`)
	exact := bytes.Replace(fast, []byte(" #0 {"), []byte(" {"), 1)
	alone := func(module []byte) []byte {
		other := newCompiler(t, Config{})
		defer other.Close()
		return compile(t, other, Request{Module: module, Kernel: "f"}).Payload
	}
	wantFast, wantExact := alone(fast), alone(exact)
	if bytes.Equal(wantFast, wantExact) {
		t.Fatal("the attributes make no difference: the test shows nothing")
	}
	for range 3 {
		if got := compile(t, c, Request{Module: fast, Kernel: "f"}).Payload; !bytes.Equal(got, wantFast) {
			t.Error("fast: other bytes than from a new machine")
		}
		if got := compile(t, c, Request{Module: exact, Kernel: "f"}).Payload; !bytes.Equal(got, wantExact) {
			t.Error("exact: other bytes than from a new machine")
		}
	}
	if n := len(llvm.Live()); n != 1 {
		t.Errorf("%d handles are open, want the one machine", n)
	}
	// As many as compile at once, but no more than a few stay.
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			r := Request{Module: exact, Kernel: "f", Options: Options{Codegen: CodegenLevel(i % 4)}, Target: native(t, c), Toolchain: c.Toolchain()}
			if _, err := c.Compile(context.Background(), r); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := len(llvm.Live()); n < 1 || n > mostIdle {
		t.Errorf("%d machines are kept, want 1 to %d", n, mostIdle)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := compile(t, c, Request{Module: exact, Kernel: "f"}).Payload; !bytes.Equal(got, wantExact) {
		t.Error("a closed compiler makes other bytes")
	}
	if n := len(llvm.Live()); n != 0 {
		t.Errorf("%d handles are open after Close", n)
	}
}

func TestNoLLVM(t *testing.T) {
	_, err := New(Config{LLVM: filepath.Join(t.TempDir(), "libLLVM.so.22.1")})
	if !errors.Is(err, ErrNoLLVM) || !strings.Contains(err.Error(), "install") {
		t.Errorf("New = %v, want ErrNoLLVM and what to install", err)
	}
}
