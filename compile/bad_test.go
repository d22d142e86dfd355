package compile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

const hostHeader = `target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
`

// failure compiles what must not compile and returns its error. As in
// llvm/llvm-project#145498, there is an image if and only if there is none.
func failure(t *testing.T, c *Compiler, r Request) *Error {
	t.Helper()
	if r.Toolchain == (Toolchain{}) {
		r.Toolchain = c.Toolchain()
	}
	if r.Target == (target.Target{}) {
		r.Target = native(t, c)
	}
	im, err := c.Compile(context.Background(), r)
	if err == nil || im != nil {
		t.Fatalf("Compile = %v, %v; want no image and an error", im, err)
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error is a %T: %v", err, err)
	}
	if strings.Contains(e.Error(), "\n") {
		t.Errorf("the error has more than one line: %q", e.Error())
	}
	return e
}

// A badRequest does not compile: how far it comes, what its error matches and says.
type badRequest struct {
	name    string
	request Request
	stage   Stage
	kind    error
	want    string
}

func badRequests(t *testing.T, c *Compiler) []badRequest {
	t.Helper()
	module := hostModule(t, c)
	text := func(s string) []byte { return []byte(hostHeader + s) }
	machine := native(t, c)
	with := func(change func(*target.Target)) target.Target {
		m := machine
		change(&m)
		return m
	}
	return []badRequest{
		{"empty", Request{Kernel: "f"}, StageParse, ErrBadModule, "empty"},
		{"garbage", Request{Module: []byte("\x00\x01\x02garbage"), Kernel: "f"}, StageParse, ErrBadModule, "00 01 02"},
		{"source", Request{Module: []byte("int f(void) { return 0; }\n"), Kernel: "f"}, StageParse, ErrBadModule, "not device code"},
		{"object", Request{Module: []byte("\x7fELF\x02\x01\x01"), Kernel: "f"}, StageParse, ErrBadModule, "ELF"},
		{"syntax", Request{Module: text("define void @f( {"), Kernel: "f"}, StageParse, ErrBadModule, "expected"},
		{"unverified", Request{Module: text("define i32 @f() {\n  ret void\n}"), Kernel: "f"}, StageParse, ErrBadModule, "function result type"},
		{"broken rules", Request{Module: text("define i32 @f(i32 %n) {\n  %a = add i32 %a, %n\n  ret i32 %a\n}"), Kernel: "f"},
			StageExtract, ErrBadModule, "Only PHI nodes may reference their own value"},
		{"no name", Request{Module: module}, StageExtract, ErrNoKernel, "it has polynomial,"},
		{"near name", Request{Module: module, Kernel: "fibonaci"}, StageExtract, ErrNoKernel, "it has fibonacci,"},
		{"many names", Request{Module: module, Kernel: "zzz"}, StageExtract, ErrNoKernel, " and 9 more"},
		{"no functions", Request{Module: text("@x = global i32 0"), Kernel: "f"}, StageExtract, ErrNoKernel, "it has none"},
		{"declared only", Request{Module: module, Kernel: "declared"}, StageExtract, ErrNoKernel, "only declared"},
		{"available elsewhere", Request{Module: text("define available_externally void @f() {\n  ret void\n}"), Kernel: "f"},
			StageExtract, ErrNoKernel, "only declared"},
		{"variable", Request{Module: module, Kernel: "counter"}, StageExtract, ErrNoKernel, "is a variable"},
		{"alias", Request{Module: text("@g = alias void (), ptr @f\ndefine void @f() {\n  ret void\n}"), Kernel: "g"},
			StageExtract, ErrNoKernel, `name its function, "f"`},
		{"zero byte in name", Request{Module: module, Kernel: "prime\x00x"}, StageCheck, ErrBadRequest, "zero byte"},
		{"local", Request{Module: module, Kernel: "look_up"}, StageExtract, ErrUnsupported, "local to the module"},
		{"variadic", Request{Module: module, Kernel: "variadic"}, StageExtract, ErrUnsupported, "variable number of arguments"},
		{"calling convention", Request{Module: text("define fastcc void @f() {\n  ret void\n}"), Kernel: "f"},
			StageExtract, ErrUnsupported, "number 8 of LLVM's"},
		{"thread-local", Request{Module: module, Kernel: "thread_local_sum"}, StageExtract, ErrUnsupported, `thread-local variable "local"`},
		{"ifunc", Request{Module: text("@i = internal ifunc i32 (), ptr @r\ndefine internal ptr @r() {\n  ret ptr null\n}\ndefine i32 @f() {\n  %v = call i32 @i()\n  ret i32 %v\n}"), Kernel: "f"},
			StageExtract, ErrUnsupported, `indirect function "i"`},
		{"scalable", Request{Module: text("define void @f(<vscale x 4 x i32> %v) {\n  ret void\n}"), Kernel: "f"},
			StageExtract, ErrUnsupported, "parameter 0: type <vscale x 4 x i32>"},
		{"result of a GPU kernel", Request{Module: text("define spir_kernel i32 @f() {\n  ret i32 0\n}"), Kernel: "f"},
			StageExtract, ErrUnsupported, "returns i32"},
		{"device function", Request{Module: []byte("target triple = \"nvptx64-nvidia-cuda\"\ndefine void @f() {\n  ret void\n}"), Kernel: "f"},
			StageExtract, ErrUnsupported, "not a kernel"},
		{"other processor", Request{Module: []byte("target triple = \"aarch64-unknown-linux-gnu\"\ndefine void @f() {\n  ret void\n}"), Kernel: "f"},
			StageExtract, ErrUnsupported, "code for aarch64-unknown-linux-gnu"},
		{"short pointers", Request{Module: []byte("target datalayout = \"e-p:32:32\"\ntarget triple = \"x86_64-unknown-linux-gnux32\"\ndefine void @f() {\n  ret void\n}"), Kernel: "f"},
			StageExtract, ErrUnsupported, "4-byte pointers"},
		{"inline assembly", Request{Module: text("define void @f() {\n  call void asm sideeffect \"bogus %rax\", \"\"()\n  ret void\n}"), Kernel: "f"},
			StageGenerate, ErrBadModule, "bogus"},
		{"impossible assembly", Request{Module: text("define i32 @f() {\n  %v = call i32 asm \"\", \"={nowhere}\"()\n  ret i32 %v\n}"), Kernel: "f"},
			StageGenerate, ErrBadModule, "couldn't allocate output register"},
		{"pipeline", Request{Module: module, Kernel: "prime", Options: Options{Pipeline: "no-such-pass"}},
			StageOptimise, ErrBadRequest, "no-such-pass"},
		{"pipeline syntax", Request{Module: module, Kernel: "prime", Options: Options{Pipeline: "default<O3"}},
			StageOptimise, ErrBadRequest, `"default<O3"`},
		{"entry lost", Request{Module: module, Kernel: "prime", Options: Options{Pipeline: "internalize,globaldce"}},
			StageGenerate, ErrBadRequest, "leaves no entry"},
		{"opt level", Request{Module: module, Kernel: "prime", Options: Options{Opt: 77}}, StageCheck, ErrBadRequest, "OptLevel(77)"},
		{"codegen level", Request{Module: module, Kernel: "prime", Options: Options{Codegen: 9}}, StageCheck, ErrBadRequest, "CodegenLevel(9)"},
		{"processor", Request{Module: module, Kernel: "prime", Target: with(func(m *target.Target) { m.Processor = "znver44" })},
			StageCheck, target.ErrUnknownProcessor, "znver4"},
		{"feature", Request{Module: module, Kernel: "prime", Target: with(func(m *target.Target) { m.Features = "+avx3" })},
			StageCheck, target.ErrUnknownFeature, "avx"},
		{"device", Request{Module: module, Kernel: "prime", Target: target.Target{Triple: "nvptx64-nvidia-cuda", Processor: "sm_80"}},
			StageExtract, ErrUnsupported, "the module is code for x86_64-unknown-linux-gnu, not for nvptx64-nvidia-cuda"},
		{"digest", Request{Module: module, Kernel: "prime", ModuleDigest: [32]byte{1}}, StageCheck, ErrBadRequest, "digest"},
		{"toolchain", Request{Module: module, Kernel: "prime", Toolchain: Toolchain{BuildID: "ab", Version: "21.1"}},
			StageCheck, ErrUnsupported, "LLVM 21.1 (build ab)"},
		{"constant's size", Request{Module: module, Kernel: "prime", Spec: specialize.Spec{Constants: []specialize.Constant{{Index: 0, Bytes: []byte{1}}}}},
			StageExtract, specialize.ErrInvalid, "has 1 bytes, want 4"},
		{"grid of a host function", Request{Module: module, Kernel: "prime", Spec: specialize.Spec{Grid: [3]uint32{1, 1, 1}}},
			StageExtract, ErrBadRequest, "neither grid nor block"},
		{"called GPU kernel", Request{
			Module: []byte("target triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @f(i32 %n, ptr %p) {\n  store ptr @f, ptr %p\n  ret void\n}"), Kernel: "f",
			Spec: specialize.Spec{Constants: []specialize.Constant{{Index: 0, Bytes: make([]byte, 4)}}},
		}, StageSpecialise, ErrUnsupported, "arguments cannot be fixed"},
	}
}

func TestBadRequests(t *testing.T) {
	c := newCompiler(t, Config{})
	for _, test := range badRequests(t, c) {
		t.Run(test.name, func(t *testing.T) {
			e := failure(t, c, test.request)
			if e.Stage != test.stage {
				t.Errorf("stage %q, want %q: %v", e.Stage, test.stage, e)
			}
			if !errors.Is(e, test.kind) {
				t.Errorf("%v does not match %v", e, test.kind)
			}
			if !strings.Contains(e.Error(), test.want) {
				t.Errorf("error %q, want %q in it", e, test.want)
			}
		})
	}
	if im := compile(t, c, Request{Module: hostModule(t, c), Kernel: "prime"}); len(im.Payload) == 0 {
		t.Error("nothing compiles after the faults")
	}
}

// Bitcode cut at any place is an error that says so, in both front doors.
func TestTruncated(t *testing.T) {
	c := newCompiler(t, Config{})
	module := hostModule(t, c)
	for n := 0; n < len(module)-4; n += 1 + n/40 {
		e := failure(t, c, Request{Module: module[:n], Kernel: "prime"})
		if e.Stage != StageParse || !errors.Is(e, ErrBadModule) {
			t.Fatalf("%d of %d bytes: %v", n, len(module), e)
		}
		if n > 100 && !strings.Contains(e.Error(), "LLVM"+c.Toolchain().Version) {
			t.Fatalf("%d bytes: %q does not name the producer", n, e)
		}
		s, err := c.Summarise(context.Background(), module[:n])
		if s != nil || !errors.Is(err, ErrBadModule) {
			t.Fatalf("Summarise of %d bytes = %v, %v", n, s, err)
		}
	}
}

// Bitcode that another LLVM wrote and this one cannot read: the error names both.
func TestTooNew(t *testing.T) {
	c := newCompiler(t, Config{})
	if c.LLVMMajor() < 22 {
		// Real bitcode of a newer LLVM, with a record that this one lacks.
		e := failure(t, c, Request{Module: testdata(t, "host.22.bc"), Kernel: "prime"})
		if !strings.Contains(e.Error(), "bitcode made by LLVM22.1") || !strings.Contains(e.Error(), "reader is LLVM 19.1") {
			t.Errorf("error %q does not name producer and reader", e)
		}
		return
	}
	module := hostModule(t, c)
	renamed := renameProducer(t, module)
	// As long as it can be read, it is taken.
	if im := compile(t, c, Request{Module: renamed, Kernel: "prime"}); len(im.Payload) == 0 {
		t.Error("no image")
	}
	damaged := bytes.Clone(renamed)
	for i := 2000; i < 2032; i++ {
		damaged[i] = 0xff
	}
	e := failure(t, c, Request{Module: damaged, Kernel: "prime"})
	if !errors.Is(e, ErrBadModule) || !strings.Contains(e.Error(), "bitcode made by LLVM29") || !strings.Contains(e.Error(), "reader is LLVM 22.1") {
		t.Errorf("error %q does not name producer and reader", e)
	}
}

// renameProducer makes bitcode of LLVM 22 say that LLVM 29 wrote it. The name
// is an array of 6- or 8-bit characters at any bit.
func renameProducer(t *testing.T, module []byte) []byte {
	t.Helper()
	for bit := 0; bit < 4096; bit++ {
		for _, width := range []int{8, 6} {
			if readText(module, bit, width, 6) == "LLVM22" {
				out := bytes.Clone(module)
				writeChar(out, bit+5*width, width, '9')
				return out
			}
		}
	}
	t.Fatal("no producer found in the bitcode")
	return nil
}

const char6 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"

func readText(b []byte, bit, width, n int) string {
	var s strings.Builder
	for i := range n {
		v := 0
		for k := range width {
			at := bit + i*width + k
			v |= int(b[at/8]>>(at%8)&1) << k
		}
		if width == 6 {
			v = int(char6[v])
		}
		s.WriteByte(byte(v))
	}
	return s.String()
}

func writeChar(b []byte, bit, width int, c byte) {
	v := int(c)
	if width == 6 {
		v = strings.IndexByte(char6, c)
	}
	for k := range width {
		at := bit + k
		b[at/8] = b[at/8]&^(1<<(at%8)) | byte(v>>k&1)<<(at%8)
	}
}

// A fault that LLVM does not return from is an error, and the next compile is
// none the worse. The handles of the lost compile are given up.
func TestFault(t *testing.T) {
	c := newCompiler(t, Config{})
	before := len(llvm.Live())
	module := []byte(hostHeader + `
declare void @llvm.x86.tileloadd64.internal()
define <4 x i32> @f(<4 x i32> %v) {
  %r = call <4 x i32> @llvm.aarch64.neon.sqdmulh.v4i32(<4 x i32> %v, <4 x i32> %v)
  ret <4 x i32> %r
}
declare <4 x i32> @llvm.aarch64.neon.sqdmulh.v4i32(<4 x i32>, <4 x i32>)
`)
	for range 3 {
		e := failure(t, c, Request{Module: module, Kernel: "f"})
		if e.Stage != StageGenerate || !errors.Is(e, ErrFault) || !strings.Contains(e.Log, "Cannot select") {
			t.Fatalf("error %+v", e)
		}
		if !strings.Contains(fmt.Sprintf("%+v", e), e.Log) || strings.Contains(fmt.Sprintf("%v", e), "\n") {
			t.Error("the log does not show with plus-v, or shows with v alone")
		}
	}
	compile(t, c, Request{Module: hostModule(t, c), Kernel: "prime"})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if after := len(llvm.Live()); after != before {
		t.Errorf("%d handles are open, %d were before", after, before)
	}
}
