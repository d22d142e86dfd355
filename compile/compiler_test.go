package compile

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
	if diff := cmp.Diff([]string{`variable "counter" is shared by the module's kernels`}, im.Remarks); diff != "" {
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

func TestNoLLVM(t *testing.T) {
	_, err := New(Config{LLVM: filepath.Join(t.TempDir(), "libLLVM.so.22.1")})
	if !errors.Is(err, ErrNoLLVM) || !strings.Contains(err.Error(), "install") {
		t.Errorf("New = %v, want ErrNoLLVM and what to install", err)
	}
}
