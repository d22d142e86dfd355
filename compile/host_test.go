package compile

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/llvmtest"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

func TestMain(m *testing.M) { llvmtest.Main(m) }

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// newCompiler returns a compiler with the library that the tests run on.
func newCompiler(t testing.TB, config Config) *Compiler {
	t.Helper()
	config.LLVM = llvm.Current().Path
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func native(t testing.TB, c *Compiler) target.Target {
	t.Helper()
	n, err := target.Native()
	if err != nil {
		t.Fatal(err)
	}
	return n.Narrow(c.LLVMMajor())
}

// hostModule is the bitcode of testdata/host.c that the library in use reads.
func hostModule(t testing.TB, c *Compiler) []byte {
	t.Helper()
	if c.LLVMMajor() < 22 {
		return testdata(t, "host.19.bc")
	}
	return testdata(t, "host.22.bc")
}

// little returns the values one behind the other as they lie in memory; each
// int is padding of so many bytes.
func little(t testing.TB, values ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, v := range values {
		if n, ok := v.(int); ok {
			v = make([]byte, n)
		}
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func compile(t testing.TB, c *Compiler, r Request) *image.Image {
	t.Helper()
	r.Toolchain = c.Toolchain()
	if r.Target == (target.Target{}) {
		r.Target = native(t, c)
	}
	im, err := c.Compile(context.Background(), r)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	return im
}

var once = [3]uint32{1, 1, 1}

// A hostCase is one function of host.c, its parameter block and the block's
// tail that it must leave.
type hostCase struct {
	kernel       string
	params, want []byte
	// constants are parameters by index that are fixed to what the block
	// holds at an offset, with a size.
	constants map[int][2]int
}

func hostCases(t testing.TB) (cases []hostCase, keep []any) {
	coefficients := []float64{1, -2, 3, 0.5}
	keep = append(keep, coefficients)
	x := 1.25
	// Older compilers pass an __int128 as two halves.
	second := map[int][2]int{1: {16, 16}}
	if llvm.Current().Major < 22 {
		second = map[int][2]int{2: {16, 8}}
	}
	return []hostCase{
		{"polynomial", little(t, address(coefficients), int32(3), 4, x, math.NaN()),
			little(t, ((0.5*x+3)*x-2)*x+1), map[int][2]int{1: {8, 4}, 2: {16, 8}}},
		{"mixed", little(t, int8(-1), 1, int16(2), int32(-3), int64(4), uint8(250), true, 2, float32(0.5), 8.5, int64(-1)),
			little(t, int64(-1+20-300+4000+2500000+100000+500000+85000000)), map[int][2]int{0: {0, 1}, 4: {16, 1}, 5: {17, 1}, 6: {20, 4}}},
		{"negate", []byte{1, 9}, []byte{0}, map[int][2]int{0: {0, 1}}},
		{"negate", []byte{0, 9}, []byte{1}, map[int][2]int{0: {0, 1}}},
		{"box_sum", little(t, int32(2), 4, [4]float64{1, 2, 3, 4}, int32(3), int8(10), 3, math.NaN()),
			little(t, 10+2.*(1+2+3)), map[int][2]int{1: {8, 40}}},
		{"divide", little(t, 17.5, 5.0, 16), little(t, int64(3), 2.5), map[int][2]int{1: {8, 8}}},
		{"scale", little(t, [4]float32{1, 2, 3, 4}, float32(0.5), 12, 16), little(t, [4]float32{0.5, 1, 1.5, 2}), map[int][2]int{0: {0, 16}}},
		{"wide", little(t, uint64(1)<<63, int64(0), int64(6), int64(0), 16), little(t, uint64(1), int64(3)), second},
		{"half_sum", []byte{0x00, 0x3c, 0x00, 0x40, 9, 9}, []byte{0x00, 0x42}, map[int][2]int{0: {0, 2}}},
		{"fibonacci", little(t, int32(20), 4, int64(-1)), little(t, int64(6765)), map[int][2]int{0: {0, 4}}},
		{"prime", little(t, int32(4), int32(-1)), little(t, int32(11)), map[int][2]int{0: {0, 4}}},
		{"count", little(t, int32(-1)), little(t, int32(41)), nil},
		{"waves", little(t, 1.0, math.NaN()), little(t, math.Sin(1)+math.Exp(-1)), nil},
		{"frame", little(t, int32(77), int32(-1)), little(t, int32(77)), nil},
		{"through_pointer", little(t, int32(5), int32(-1)), little(t, int32(15)), map[int][2]int{0: {0, 4}}},
		{"nothing", nil, nil, nil},
	}, keep
}

// Each shape of host function gives C's answer, free and with arguments fixed,
// at every level.
func TestHostFunctions(t *testing.T) {
	c := newCompiler(t, Config{})
	module := hostModule(t, c)
	held := compile(t, c, Request{Module: module, Variables: true})
	cases, keep := hostCases(t)
	levels := []Options{
		{}, {Opt: O0, Codegen: CodegenNone}, {Opt: O1, Codegen: CodegenLess}, {Opt: O2, Codegen: CodegenDefault},
		{Opt: Os}, {Opt: Oz}, {Pipeline: "mem2reg,function(instcombine<no-verify-fixpoint>)"}, {Debug: true},
	}
	for _, test := range cases {
		t.Run(test.kernel, func(t *testing.T) {
			for _, o := range levels {
				check := func(spec specialize.Spec) {
					im := compile(t, c, Request{Module: module, Kernel: test.kernel, Options: o, Spec: spec})
					if int(im.ParamBytes) < len(test.params) {
						t.Fatalf("ParamBytes = %d, want at least %d", im.ParamBytes, len(test.params))
					}
					params := make([]byte, max(int(im.ParamBytes), 8))
					copy(params, test.params)
					// A fixed argument's place in the block is not looked at.
					for i := range spec.Constants {
						at := test.constants[spec.Constants[i].Index]
						copy(params[at[0]:at[0]+at[1]], bytes.Repeat([]byte{0xaa}, at[1]))
					}
					variables := loadImage(t, held)
					defer variables.Close()
					if code := call(t, im, params, once, once, variables); code != 0 {
						t.Fatalf("%+v: entry returned %d", o, code)
					}
					if got := params[len(test.params)-len(test.want):][:len(test.want)]; !bytes.Equal(got, test.want) {
						t.Errorf("%+v, %d fixed: result % x, want % x", o, len(spec.Constants), got, test.want)
					}
				}
				check(specialize.Spec{})
				if test.constants == nil {
					continue
				}
				var spec specialize.Spec
				for i, at := range test.constants {
					spec.Constants = append(spec.Constants, specialize.Constant{Index: i, Bytes: test.params[at[0] : at[0]+at[1]]})
				}
				slices.SortFunc(spec.Constants, func(a, b specialize.Constant) int { return a.Index - b.Index })
				check(spec)
			}
		})
	}
	runtime.KeepAlive(keep)
}

// TestUnusedIndirectFunction compiles a function of a module that has an
// indirect function which others use.
func TestUnusedIndirectFunction(t *testing.T) {
	c := newCompiler(t, Config{})
	module := []byte("target triple = \"x86_64-unknown-linux-gnu\"\n" +
		"@i = ifunc i32 (i32), ptr @r\n@j = internal ifunc i32 (i32), ptr @r\n" +
		"define internal ptr @r() {\n  ret ptr @g\n}\n" +
		"define internal i32 @g(i32 %x) {\n  ret i32 %x\n}\n" +
		"define i32 @other(i32 %x) {\n  %v = call i32 @i(i32 %x)\n  %w = call i32 @j(i32 %v)\n  ret i32 %w\n}\n" +
		"define i32 @f(i32 %x) {\n  %v = add i32 %x, 1\n  ret i32 %v\n}\n")
	im := compile(t, c, Request{Module: module, Kernel: "f", Target: native(t, c)})
	if im.Kernel != "f" {
		t.Errorf("kernel %q, want f", im.Kernel)
	}
}
