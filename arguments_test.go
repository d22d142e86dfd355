package kiln_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/device"
)

// countIR is a module with a host function and a GPU kernel of n arguments of
// mixed types, which add up (i+1) times each argument.
func countIR(n int, grid bool) string {
	types := []string{"i32", "double", "i8", "float", "i64"}
	var params, body []string
	sum := "0.0"
	for i := range n {
		typ := types[i%len(types)]
		params = append(params, fmt.Sprintf("%s %%a%d", typ, i))
		value := fmt.Sprintf("%%a%d", i)
		switch {
		case strings.HasPrefix(typ, "i"):
			body = append(body, fmt.Sprintf("  %%f%d = sitofp %s %%a%d to double", i, typ, i))
			value = fmt.Sprintf("%%f%d", i)
		case typ == "float":
			body = append(body, fmt.Sprintf("  %%f%d = fpext float %%a%d to double", i, i))
			value = fmt.Sprintf("%%f%d", i)
		}
		body = append(body, fmt.Sprintf("  %%m%d = fmul double %s, %d.0", i, value, i+1))
		body = append(body, fmt.Sprintf("  %%s%d = fadd double %s, %%m%d", i, sum, i))
		sum = fmt.Sprintf("%%s%d", i)
	}
	lines := strings.Join(body, "\n")
	if grid {
		params = append([]string{"ptr %out"}, params...)
		return fmt.Sprintf("target triple = \"nvptx64-nvidia-cuda\"\ntarget datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"+
			"define ptx_kernel void @f(%s) {\n%s\n  store double %s, ptr %%out\n  ret void\n}\n", strings.Join(params, ", "), lines, sum)
	}
	return fmt.Sprintf("target triple = \"x86_64-unknown-linux-gnu\"\ndefine double @f(%s) {\n%s\n  ret double %s\n}\n",
		strings.Join(params, ", "), lines, sum)
}

func countArgument(i int, constant bool) kiln.LaunchArg {
	v := i%100 - 50
	give := func(plain, folded kiln.LaunchArg) kiln.LaunchArg {
		if constant {
			return folded
		}
		return plain
	}
	switch i % 5 {
	case 0:
		return give(kiln.Arg(int32(v)), kiln.Const(int32(v)))
	case 1:
		return give(kiln.Arg(float64(v)), kiln.Const(float64(v)))
	case 2:
		return give(kiln.Arg(int8(v)), kiln.Const(int8(v)))
	case 3:
		return give(kiln.Arg(float32(v)), kiln.Const(float32(v)))
	default:
		return give(kiln.Arg(int64(v)), kiln.Const(int64(v)))
	}
}

// llvm/llvm-project#56389 and triton-lang/triton#760: any number of arguments,
// none, some or all of them specialised away, and a wrong number refused.
func TestArgumentCounts(t *testing.T) {
	e := open(t, kiln.Options{})
	for _, n := range []int{0, 1, 15, 16, 17, 31, 32, 33, 64, 256} {
		want := 0.0
		for i := range n {
			want += float64((i + 1) * (i%100 - 50))
		}
		for _, grid := range []bool{false, true} {
			m, err := e.Load(t.Context(), kiln.Bytes("count.ll", []byte(countIR(n, grid))))
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("f")
			if err != nil {
				t.Fatal(err)
			}
			for name, constant := range map[string]func(int) bool{
				"none": func(int) bool { return false },
				"some": func(i int) bool { return i%3 == 1 },
				"most": func(i int) bool { return i%17 != 5 },
				"all":  func(int) bool { return true },
			} {
				got := []float64{math.NaN()}
				var args []kiln.LaunchArg
				if grid {
					args = append(args, kiln.Arg(got))
				} else {
					args = append(args, kiln.Result(&got[0]))
				}
				for i := range n {
					args = append(args, countArgument(i, constant(i)))
				}
				if err := k.Launch(t.Context(), args...); err != nil {
					t.Fatalf("%d arguments, %s constant, grid %v: %+v", n, name, grid, err)
				}
				if got[0] != want {
					t.Errorf("%d arguments, %s constant, grid %v: %v, want %v", n, name, grid, got[0], want)
				}
				if err := k.Launch(t.Context(), append(args, kiln.Arg(int32(1)))...); !errors.Is(err, kiln.ErrArgument) {
					t.Errorf("%d arguments and one more: %v", n, err)
				}
				if n > 0 {
					if err := k.Launch(t.Context(), args[:len(args)-1]...); !errors.Is(err, kiln.ErrArgument) {
						t.Errorf("%d arguments less one: %v", n, err)
					}
				}
			}
		}
	}
}

// llvm/llvm-project#128756, #194333 and #205224, jax-ml/jax#39640: parameters
// lie in the block as the members of a C struct do, padding and over-aligned
// structs included, and nothing beside them is touched.
func TestLayoutsAgainstC(t *testing.T) {
	program := filepath.Join(t.TempDir(), "layout")
	if out, err := exec.Command("clang-22", "-o", program, "testdata/layout/layout.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	type member struct{ inBlock, inStruct, size, align uint32 }
	var members []member
	for line := range strings.Lines(string(out)) {
		var m member
		if _, err := fmt.Sscan(line, &m.inBlock, &m.inStruct, &m.size, &m.align); err != nil {
			t.Fatal(err)
		}
		members = append(members, m)
	}
	whole := members[len(members)-1]
	members = members[:len(members)-1]

	type (
		plain struct {
			c int8
			i struct{ a, b int32 }
		}
		wide struct {
			v int32
			_ [28]byte
		}
		big struct {
			d    [5]float64
			last int8
		}
	)
	e := plain{c: 7}
	e.i.a, e.i.b = -3, 1<<30
	g := wide{v: 0x7f010203}
	h := big{d: [5]float64{1, -2, 3, math.Pi, 5}, last: 'z'}
	values := []any{
		int8(-5), int64(1) << 60, float32(2.5), [4]float32{1, 2, 3, 4},
		[3]int32{7, -3, 1 << 30}, int16(-300), int32(0x7f010203), h.d, true,
	}
	give := func(constant bool) []kiln.LaunchArg {
		if constant {
			return []kiln.LaunchArg{kiln.Const(int8(-5)), kiln.Const(int64(1) << 60), kiln.Const(float32(2.5)), kiln.Const([4]float32{1, 2, 3, 4}),
				kiln.Const(e), kiln.Const(int16(-300)), kiln.Const(g), kiln.Const(h), kiln.Const(true)}
		}
		return []kiln.LaunchArg{kiln.Arg(int8(-5)), kiln.Arg(int64(1) << 60), kiln.Arg(float32(2.5)), kiln.Arg([4]float32{1, 2, 3, 4}),
			kiln.Arg(e), kiln.Arg(int16(-300)), kiln.Arg(g), kiln.Arg(h), kiln.Arg(true)}
	}
	for _, path := range []string{"testdata/layout/layout.sm_80.bc", "testdata/layout/layout.gfx90a.bc"} {
		engine := open(t, kiln.Options{})
		m := loadFile(t, engine, path)
		k, err := m.Kernel("store")
		if err != nil {
			t.Fatal(err)
		}
		info := k.Info()
		var got []member
		for i, p := range info.Params[1:] {
			got = append(got, member{p.Offset, members[i].inStruct, p.Size, p.Align})
		}
		if diff := cmp.Diff(members, got, cmp.AllowUnexported(member{})); diff != "" {
			t.Errorf("%s: parameters (-C +kiln):\n%s", path, diff)
		}
		if info.ParamBytes != whole.inBlock || info.ParamAlign != whole.align {
			t.Errorf("%s: a block of %d bytes, aligned to %d; C has %d and %d", path, info.ParamBytes, info.ParamAlign, whole.inBlock, whole.align)
		}
		for _, constant := range []bool{false, true} {
			const guard = 64
			buffer, err := kiln.NewBuffer[byte](engine, guard+int(whole.inStruct)+guard)
			if err != nil {
				t.Fatal(err)
			}
			memory := buffer.Host()
			for i := range memory {
				memory[i] = 0xa5
			}
			inner, err := buffer.Slice(guard, guard+int(whole.inStruct))
			if err != nil {
				t.Fatal(err)
			}
			if err := k.Launch(t.Context(), append([]kiln.LaunchArg{kiln.Arg(inner)}, give(constant)...)...); err != nil {
				t.Fatalf("%s: %+v", path, err)
			}
			for i, v := range values {
				var want bytes.Buffer
				if err := binary.Write(&want, binary.LittleEndian, v); err != nil {
					t.Fatal(err)
				}
				b := want.Bytes()
				if i == 4 { // c, three bytes of padding, i
					if memory[guard+members[i].inStruct] != 7 {
						t.Errorf("%s: e.c is %d", path, memory[guard+members[i].inStruct])
					}
					b = b[4:]
					memory := memory[guard+members[i].inStruct+4:][:len(b)]
					if !bytes.Equal(memory, b) {
						t.Errorf("%s: e.i is % x, want % x", path, memory, b)
					}
					continue
				}
				if got := memory[guard+members[i].inStruct:][:len(b)]; !bytes.Equal(got, b) {
					t.Errorf("%s, constant %v: member %d is % x, want % x", path, constant, i, got, b)
				}
			}
			if last := memory[guard+members[7].inStruct+40]; last != 'z' {
				t.Errorf("%s: h.last is %q", path, last)
			}
			rim := append(bytes.Clone(memory[:guard]), memory[len(memory)-guard:]...)
			if !bytes.Equal(rim, bytes.Repeat([]byte{0xa5}, 2*guard)) {
				t.Errorf("%s: bytes beside the struct were written to", path)
			}
		}
	}
}

const fillIR = `
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @fill(ptr %p, i32 %v) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %q = getelementptr i32, ptr %p, i32 %i
  %old = load i32, ptr %q
  %new = add i32 %old, %v
  store i32 %new, ptr %q
  ret void
}
`

func fillKernel(t *testing.T, e *kiln.Engine) *kiln.Kernel {
	t.Helper()
	m, err := e.Load(t.Context(), kiln.Bytes("fill.ll", []byte(fillIR)))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("fill")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// iree-org/iree#18834 and #18835, triton-lang/triton-ascend#984: a zero extent
// is a success, before the kernel is compiled and after: no compile, no launch.
func TestZeroExtents(t *testing.T) {
	e := open(t, kiln.Options{})
	k := fillKernel(t, e)
	s, err := e.Stream()
	if err != nil {
		t.Fatal(err)
	}
	p := []int32{5, 5, 5}
	zeros := [][]kiln.LaunchArg{
		{kiln.Grid(0)}, {kiln.Grid(3, 0)}, {kiln.Grid(3, 1, 0)}, {kiln.Grid(3), kiln.Block(0)},
		{kiln.Grid(3), kiln.Block(1, 0)}, {kiln.Grid(3), kiln.Block(1, 1, 0)}, {kiln.Grid(0), kiln.Block(0)},
		{kiln.ConstGrid(0)}, {kiln.ConstBlock(0)},
	}
	all := func(state string, compiles int64) {
		t.Helper()
		for i, shape := range zeros {
			args := append(shape, kiln.Arg(p), kiln.Arg(int32(1)))
			if err := k.Launch(t.Context(), args...); err != nil {
				t.Errorf("%s, shape %d: %v", state, i, err)
			}
			if err := k.LaunchOn(t.Context(), s, args...); err != nil {
				t.Errorf("%s, shape %d in a stream: %v", state, i, err)
			}
		}
		if err := s.Synchronize(t.Context()); err != nil {
			t.Errorf("%s: the stream: %v", state, err)
		}
		if got := e.Stats().Compiles; got != compiles {
			t.Errorf("%s: %d compiles, want %d", state, got, compiles)
		}
	}
	all("cold", 0)
	if diff := cmp.Diff([]int32{5, 5, 5}, p); diff != "" {
		t.Errorf("no launch was to be done (-want +got):\n%s", diff)
	}
	if err := k.Launch(t.Context(), kiln.Grid(3), kiln.Arg(p), kiln.Arg(int32(1))); err != nil {
		t.Fatal(err)
	}
	all("warm", 1)
	if diff := cmp.Diff([]int32{6, 6, 6}, p); diff != "" {
		t.Errorf("one launch was to be done (-want +got):\n%s", diff)
	}
}

// triton-lang/triton#3299, #580 and #7260, iree-org/iree#21527,
// fla-org/flash-linear-attention#172: what is over a limit is refused by name,
// cold and warm, and nothing is compiled for it.
func TestLimits(t *testing.T) {
	e := open(t, kiln.Options{})
	k := fillKernel(t, e)
	limits := e.Device().Limits()
	minusOne := int32(-1)
	p := make([]int32, 8)
	refused := func() {
		t.Helper()
		for _, tt := range []struct {
			what  string
			shape []kiln.LaunchArg
		}{
			{"grid.x", []kiln.LaunchArg{kiln.Grid(limits.MaxGrid.X + 1)}},
			{"grid.y", []kiln.LaunchArg{kiln.Grid(1, limits.MaxGrid.Y+1)}},
			{"grid.z", []kiln.LaunchArg{kiln.Grid(1, 1, limits.MaxGrid.Z+1)}},
			{"grid.x", []kiln.LaunchArg{kiln.Grid(uint32(minusOne))}},
			{"grid.z", []kiln.LaunchArg{kiln.ConstGrid(1, 1, uint32(minusOne))}},
			{"number of groups", []kiln.LaunchArg{kiln.Grid(limits.MaxGrid.X, limits.MaxGrid.Y, limits.MaxGrid.Z)}},
			{"block.x", []kiln.LaunchArg{kiln.Block(limits.MaxBlock.X + 1)}},
			{"block.y", []kiln.LaunchArg{kiln.Block(1, limits.MaxBlock.Y+1)}},
			{"block.z", []kiln.LaunchArg{kiln.Block(1, 1, uint32(minusOne))}},
			{"work-items of a block", []kiln.LaunchArg{kiln.Block(limits.MaxBlock.X, 2)}},
			{"shared memory of a group", []kiln.LaunchArg{kiln.Shared(limits.MaxSharedBytes + 1)}},
		} {
			err := k.Launch(t.Context(), append(tt.shape, kiln.Arg(p), kiln.Arg(int32(1)))...)
			var launch *device.LaunchError
			if !errors.Is(err, kiln.ErrLaunch) || !errors.As(err, &launch) || launch.What != tt.what || !strings.Contains(err.Error(), tt.what) {
				t.Errorf("%s: %v", tt.what, err)
			}
		}
	}
	refused()
	if got := e.Stats().Compiles; got != 0 {
		t.Errorf("%d compiles for launches that are refused", got)
	}
	args := []kiln.LaunchArg{kiln.Arg(p), kiln.Arg(int32(1))}
	for _, shape := range []kiln.LaunchArg{kiln.Block(limits.MaxBlock.X), kiln.Block(1, limits.MaxBlock.Y), kiln.Block(1, 1, limits.MaxBlock.Z), kiln.Shared(limits.MaxSharedBytes)} {
		if err := k.Launch(t.Context(), append(args, shape)...); err != nil {
			t.Errorf("at a limit: %v", err)
		}
	}
	refused()
}
