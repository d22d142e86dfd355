package spmd_test

import (
	"strings"
	"testing"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd"
)

// shifted copies in[shift+i] to out[shift+i] where that index, unsigned and
// free to wrap, is below n.
const shifted = `target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @shifted(ptr %out, ptr %in, i32 %shift, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add i32 %t, %shift
  %c = icmp ult i32 %i, %n
  br i1 %c, label %inside, label %outside
inside:
  %j = zext i32 %i to i64
  %p = getelementptr inbounds float, ptr %in, i64 %j
  %v = load float, ptr %p, align 4
  %q = getelementptr inbounds float, ptr %out, i64 %j
  store float %v, ptr %q, align 4
  br label %outside
outside:
  ret void
}
`

// TestRowsThatMayWrap runs accesses whose lanes lie in a row unless the index
// wraps, with indices that do and do not.
func TestRowsThatMayWrap(t *testing.T) {
	params := append(pointers(2), scalar("i32", 4), scalar("i32", 4))
	c := compile(t, []byte(shifted), "shifted", params, spmd.Options{})
	if !strings.Contains(c.result.Remarks[0], "0 in a row, 2 tested for that, 0 apart") {
		t.Errorf("remarks %q", c.result.Remarks)
	}
	for _, shift := range []int32{0, 1, 17, 40, 64, -1, -3, -16, -31, -32, -100} {
		in, out := make([]float32, 64), make([]float32, 64)
		for i := range in {
			in[i] = float32(i + 1)
		}
		c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, out, in, shift, int32(64))
		want(t, out, func(i int) float32 {
			if i < int(shift) || i >= int(shift)+32 {
				return 0
			}
			return float32(i + 1)
		})
	}
}

// TestStructWritten has a kernel that writes to its struct by value: each item
// has a copy of its own.
func TestStructWritten(t *testing.T) {
	const kernel = `target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr byval({ i32, i32 }) align 4 %s, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = load i32, ptr %s, align 4
  %w = add i32 %v, %t
  store i32 %w, ptr %s, align 4
  %x = call i32 @read(ptr %s)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %x, ptr %p, align 4
  ret void
}
define i32 @read(ptr %s) noinline {
  %q = getelementptr { i32, i32 }, ptr %s, i32 0, i32 1
  %a = load i32, ptr %s, align 4
  %b = load i32, ptr %q, align 4
  %c = mul i32 %a, %b
  ret i32 %c
}
`
	params := []image.Param{{Kind: image.Aggregate, Type: "ptr", Size: 8, Align: 4}, pointers(1)[0]}
	for _, options := range []spmd.Options{{}, {Block: [3]uint32{16, 1, 1}}, {Lanes: 1}} {
		c := compile(t, []byte(kernel), "k", params, options)
		out := make([]int32, 32)
		c.launch(t, [3]uint32{2, 1, 1}, [3]uint32{16, 1, 1}, structBytes{100, 0, 0, 0, 3, 0, 0, 0}, out)
		want(t, out[:16], func(i int) int32 { return int32(100+i) * 3 })
	}
}

// TestLargePrivateArrays has items need so much memory that side by side they
// would need too much.
func TestLargePrivateArrays(t *testing.T) {
	const kernel = `target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %out) {
  %a = alloca [4096 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %t, 17
  %p = getelementptr [4096 x i32], ptr %a, i64 0, i32 %i
  store volatile i32 %i, ptr %p, align 4
  %v = load volatile i32, ptr %p, align 4
  %q = getelementptr i32, ptr %out, i32 %t
  store i32 %v, ptr %q, align 4
  ret void
}
`
	c := compile(t, []byte(kernel), "k", pointers(1), spmd.Options{})
	if w := "its private arrays take more than 65536 bytes in 16 lanes"; !strings.Contains(c.result.Remarks[0], w) {
		t.Errorf("remarks %q, want %q", c.result.Remarks, w)
	}
	out := make([]int32, 32)
	c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, out)
	want(t, out, func(i int) int32 { return int32(i) * 17 })
}
