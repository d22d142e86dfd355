package spmd_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd"
)

var featureImages = []string{"features.sm_80.O0", "features.sm_80.raw", "features.sm_80.O2", "features.gfx90a.raw", "features.gfx90a.O2"}

// eachFeature runs f with the kernel of each image in each form.
func eachFeature(t *testing.T, kernel string, params []image.Param, block [3]uint32, f func(t *testing.T, c *compiled)) {
	for _, from := range featureImages {
		forms := map[string]spmd.Options{"lanes": {}, "fixed": {Block: block}, "items": {Lanes: 1}}
		if strings.HasSuffix(from, ".O0") {
			delete(forms, "fixed")
		}
		for name, options := range forms {
			t.Run(from+"/"+name, func(t *testing.T) { f(t, compile(t, source(t, from), kernel, params, options)) })
		}
	}
}

func scalar(typ string, size uint32) image.Param {
	return image.Param{Type: typ, Size: size, Align: size}
}

func want[T comparable](t *testing.T, got []T, expect func(i int) T) {
	t.Helper()
	for i, v := range got {
		if w := expect(i); v != w {
			t.Fatalf("[%d] = %v, want %v", i, v, w)
		}
	}
}

func TestIDs(t *testing.T) {
	grid, block := [3]uint32{3, 2, 2}, [3]uint32{16, 2, 3}
	size := block[0] * block[1] * block[2]
	eachFeature(t, "f_ids", pointers(1), block, func(t *testing.T, c *compiled) {
		out := make([]uint32, 12*size)
		c.launch(t, grid, block, out)
		want(t, out, func(i int) uint32 { return uint32(i)/size*1000 + uint32(i)%size })
		// A range of groups writes its own part alone.
		clear(out)
		c.run(t, grid, block, 5, 9, out)
		want(t, out, func(i int) uint32 {
			if g := uint32(i) / size; g < 5 || g >= 9 {
				return 0
			}
			return uint32(i)/size*1000 + uint32(i)%size
		})
		c.run(t, grid, block, 7, 7, out)
	})
}

func TestStructByValue(t *testing.T) {
	params := []image.Param{{Kind: image.Aggregate, Type: "ptr", Size: 48, Align: 8}}
	eachFeature(t, "f_byval", params, [3]uint32{32, 1, 1}, func(t *testing.T, c *compiled) {
		out := make([]float32, 32)
		p := make(structBytes, 48)
		for i := range 8 {
			binary.LittleEndian.PutUint32(p[4*i:], math.Float32bits(float32(i)-2.5))
		}
		binary.LittleEndian.PutUint32(p[32:], 3)
		binary.LittleEndian.PutUint64(p[40:], address(out))
		c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, p)
		want(t, out, func(i int) float32 {
			v := float32(0)
			for k := range 4 {
				v = v*float32(i) + (float32(k) - 2.5)
			}
			return v
		})
	})
}

func TestGlobals(t *testing.T) {
	block := [3]uint32{16, 1, 1}
	eachFeature(t, "f_devglobal", pointers(1), block, func(t *testing.T, c *compiled) {
		out := make([]int32, 16)
		c.launch(t, [3]uint32{1, 1, 1}, block, out)
		want(t, out, func(int) int32 { return 7 })
	})
	eachFeature(t, "f_const", pointers(1), block, func(t *testing.T, c *compiled) {
		out := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
		c.launch(t, [3]uint32{1, 1, 1}, block, out)
		want(t, out, func(int) float32 { return 0 })
	})
}

func TestMath(t *testing.T) {
	block := [3]uint32{32, 1, 1}
	eachFeature(t, "f_math", pointers(2), block, func(t *testing.T, c *compiled) {
		out, wide := make([]float32, 32), make([]float64, 32)
		c.launch(t, [3]uint32{1, 1, 1}, block, out, wide)
		for i := range out {
			x := float64(float32(i) * 0.1)
			w := math.Sin(x) + math.Exp(-x) + math.Pow(x, 1.5) + x*x + 1 + 1/math.Sqrt(x+1)
			if math.Abs(float64(out[i])-w) > 1e-5*w {
				t.Errorf("[%d] = %v, want %v", i, out[i], w)
			}
			if math.Abs(wide[i]-math.Sin(x)) > 1e-12 {
				t.Errorf("sin(%v) = %v, want %v", x, wide[i], math.Sin(x))
			}
		}
	})
}

func TestBits(t *testing.T) {
	block := [3]uint32{64, 1, 1}
	eachFeature(t, "f_bits", []image.Param{pointers(1)[0], scalar("i32", 4)}, block, func(t *testing.T, c *compiled) {
		out := make([]uint32, 64)
		c.launch(t, [3]uint32{1, 1, 1}, block, out, int32(-7))
		want(t, out, func(i int) uint32 {
			x := uint32(i) - 7
			return uint32(bits.OnesCount32(x)+bits.LeadingZeros32(x|1)+bits.TrailingZeros32(x|256)) + bits.Reverse32(x)%7
		})
	})
}

func TestHalf(t *testing.T) {
	block := [3]uint32{16, 1, 1}
	eachFeature(t, "f_half", pointers(2), block, func(t *testing.T, c *compiled) {
		in, out := make([]uint16, 16), make([]uint16, 16)
		for i := range in {
			in[i] = 0x3c00 + uint16(i)<<10 // 2^i as far as it goes
		}
		c.launch(t, [3]uint32{1, 1, 1}, block, out, in)
		for i, w := range []uint16{0x4200, 0x4500, 0x4880, 0x4c40} { // 3 5 9 17
			if out[i] != w {
				t.Errorf("[%d] = %#x, want %#x", i, out[i], w)
			}
		}
	})
}

func TestCalls(t *testing.T) {
	block := [3]uint32{16, 1, 1}
	eachFeature(t, "f_recurse", pointers(1), block, func(t *testing.T, c *compiled) {
		out := make([]int32, 16)
		c.launch(t, [3]uint32{1, 1, 1}, block, out)
		fib := []int32{0, 1}
		for len(fib) < 16 {
			fib = append(fib, fib[len(fib)-1]+fib[len(fib)-2])
		}
		want(t, out, func(i int) int32 { return fib[i] })
	})
	for which := range int32(2) {
		eachFeature(t, "f_fnptr", []image.Param{pointers(1)[0], scalar("i32", 4)}, block, func(t *testing.T, c *compiled) {
			out := make([]float32, 16)
			c.launch(t, [3]uint32{1, 1, 1}, block, out, which)
			want(t, out, func(i int) float32 {
				if which == 1 {
					return float32(i) + 3
				}
				return float32(i) * 3
			})
		})
	}
}

func TestMemoryOrder(t *testing.T) {
	block := [3]uint32{32, 1, 1}
	eachFeature(t, "f_volatile_poll", pointers(2), block, func(t *testing.T, c *compiled) {
		flag, out := make([]int32, 1), make([]int32, 64)
		c.launch(t, [3]uint32{2, 1, 1}, block, flag, out)
		want(t, out, func(int) int32 { return 1 })
	})
	eachFeature(t, "f_spinlock", pointers(2), block, func(t *testing.T, c *compiled) {
		lock, count := make([]int32, 1), make([]int32, 1)
		c.launch(t, [3]uint32{9, 1, 1}, block, lock, count)
		if count[0] != 9 || lock[0] != 0 {
			t.Errorf("count %d, lock %d, want 9 and 0", count[0], lock[0])
		}
		if !strings.Contains(strings.Join(c.result.Remarks, "\n"), "items: one after the other, for") {
			t.Errorf("remarks %q: a lock was taken side by side", c.result.Remarks)
		}
	})
	eachFeature(t, "f_clock", pointers(1), block, func(t *testing.T, c *compiled) {
		out := make([]int64, 32)
		c.launch(t, [3]uint32{1, 1, 1}, block, out)
		want(t, out, func(i int) int64 { return max(out[i], 1) })
	})
}

func TestAssertPasses(t *testing.T) {
	for _, from := range featureImages[:3] {
		c := compile(t, source(t, from), "f_assert", []image.Param{scalar("i32", 4)}, spmd.Options{})
		c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, int32(31))
		if !strings.Contains(c.text, "@llvm.trap") {
			t.Error("a failed assert does not trap")
		}
	}
}

// TestRefused wants one error that names all that is not lowered.
func TestRefused(t *testing.T) {
	const kernel = `target triple = "nvptx64-nvidia-cuda"
@text = internal addrspace(4) constant [3 x i8] c"@x\00"
@far = external addrspace(1) global i32
define ptx_kernel void @k(ptr %p) {
  %a = call i32 @vprintf(ptr addrspacecast (ptr addrspace(4) @text to ptr), ptr null)
  %b = call ptr @malloc(i64 4)
  %c = call float @__nv_unheard_of(float 1.0)
  %d = call i32 @__nv_clz(float 1.0)
  call void asm sideeffect "membar.weird;", ""()
  %e = load i32, ptr addrspace(1) @far
  call void @helper()
  ret void
}
define void @helper() {
  call void @helper()
  call void @llvm.nvvm.strange.thing()
  ret void
}
define void @unreached() {
  call void @never()
  ret void
}
declare i32 @vprintf(ptr, ptr)
declare ptr @malloc(i64)
declare float @__nv_unheard_of(float)
declare i32 @__nv_clz(float)
declare void @llvm.nvvm.strange.thing()
declare void @never()
`
	_, err := compileError(t, []byte(kernel), "k", pointers(1), spmd.Options{})
	if !errors.Is(err, spmd.ErrUnsupported) {
		t.Fatalf("error %v", err)
	}
	for _, part := range []string{"kernel k: ", "vprintf", "malloc", "__nv_unheard_of", "__nv_clz", "membar.weird", "undefined (", "far",
		"kiln.nvvm.strange.thing"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want %q in it", err, part)
		}
	}
	if strings.Contains(err.Error(), "never") {
		t.Errorf("error %v names what the kernel does not reach", err)
	}
}
