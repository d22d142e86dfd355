package spmd_test

import (
	"testing"

	"github.com/kilnjit/kiln/spmd"
)

// forms are the ways in which tests run a kernel whose items do not meet.
var forms = []spmd.Options{{}, {Block: [3]uint32{32, 1, 1}}, {Block: [3]uint32{32, 1, 1}, Lanes: 8}, {Lanes: 1}, {Form: spmd.Coroutine}}

// inEveryForm runs a kernel on 64 numbers and wants of each what f makes of it.
func inEveryForm(t *testing.T, kernel string, f func(uint32) uint32) {
	t.Helper()
	in := make([]int32, 64)
	for i := range in {
		in[i] = int32(uint32(i) * 2654435761)
	}
	for _, options := range forms {
		c := compile(t, []byte(kernel), "k", pointers(2), options)
		out := make([]int32, 64)
		c.launch(t, [3]uint32{2, 1, 1}, [3]uint32{32, 1, 1}, out, in)
		want(t, out, func(i int) int32 { return int32(f(uint32(in[i]))) })
	}
}

// onEach makes a kernel that writes out[i] = f(in[i]) around IR that has f.
func onEach(device string) string {
	return `target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @k(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %s = shl i32 %b, 5
  %i = add i32 %s, %t
  %p = getelementptr i32, ptr %in, i32 %i
  %q = getelementptr i32, ptr %out, i32 %i
  %x = load i32, ptr %p
  %y = call i32 @f(i32 %x)
  store i32 %y, ptr %q
  ret void
}
` + device
}

// TestArrayOfACallee has a function with an array of its own, of whose life
// inlining says when it begins and ends.
func TestArrayOfACallee(t *testing.T) {
	inEveryForm(t, onEach(`define internal i32 @f(i32 %x) alwaysinline {
  %a = alloca [4 x i32]
  %i = and i32 %x, 3
  %p = getelementptr [4 x i32], ptr %a, i32 0, i32 %i
  %q = getelementptr [4 x i32], ptr %a, i32 0, i32 2
  store i32 5, ptr %q
  store volatile i32 %x, ptr %p
  %v = load volatile i32, ptr %q
  %c = icmp eq i32 %i, 2
  %r = select i1 %c, i32 %v, i32 %i
  ret i32 %r
}
`), func(x uint32) uint32 {
		if x&3 == 2 {
			return x
		}
		return x & 3
	})
}

// TestLoopOfThreeEntries has three blocks that lead to each other and are all
// entered from outside.
func TestLoopOfThreeEntries(t *testing.T) {
	inEveryForm(t, onEach(`define internal i32 @f(i32 %x) {
  %m = urem i32 %x, 3
  switch i32 %m, label %c [i32 0, label %a
    i32 1, label %b]
a:
  %xa = phi i32 [%x, %0], [%xb1, %b1], [%xc1, %c1]
  %na = phi i32 [0, %0], [%nb1, %b1], [%nc1, %c1]
  %ma = mul i32 %xa, 3
  %xa1 = add i32 %ma, 1
  %na1 = add i32 %na, 1
  %ea = icmp ugt i32 %na1, 30
  br i1 %ea, label %d, label %a1
a1:
  %ka = and i32 %xa1, 8
  %ja = icmp eq i32 %ka, 0
  br i1 %ja, label %b, label %c
b:
  %xb = phi i32 [%x, %0], [%xa1, %a1], [%xc1, %c1]
  %nb = phi i32 [0, %0], [%na1, %a1], [%nc1, %c1]
  %sb = lshr i32 %xb, 2
  %xb1 = xor i32 %sb, -1640531527
  %nb1 = add i32 %nb, 1
  %eb = icmp ugt i32 %nb1, 31
  br i1 %eb, label %d, label %b1
b1:
  %kb = and i32 %xb1, 16
  %jb = icmp eq i32 %kb, 0
  br i1 %jb, label %c, label %a
c:
  %xc = phi i32 [%x, %0], [%xa1, %a1], [%xb1, %b1]
  %nc = phi i32 [0, %0], [%na1, %a1], [%nb1, %b1]
  %nc1 = add i32 %nc, 1
  %xc1 = add i32 %xc, %nc1
  %ec = icmp ugt i32 %nc1, 29
  br i1 %ec, label %d, label %c1
c1:
  %kc = and i32 %xc1, 32
  %jc = icmp eq i32 %kc, 0
  br i1 %jc, label %a, label %b
d:
  %xd = phi i32 [%xa1, %a], [%xb1, %b], [%xc1, %c]
  ret i32 %xd
}
`), threeEntries)
}

func threeEntries(x uint32) uint32 {
	n, state := uint32(0), x%3
	for {
		n++
		switch state {
		case 0:
			if x = x*3 + 1; n > 30 {
				return x
			}
			if state = 2; x&8 == 0 {
				state = 1
			}
		case 1:
			if x = x>>2 ^ 0x9e3779b9; n > 31 {
				return x
			}
			if state = 0; x&16 == 0 {
				state = 2
			}
		default:
			if x += n; n > 29 {
				return x
			}
			if state = 1; x&32 == 0 {
				state = 0
			}
		}
	}
}

// TestTableOfFunctions calls a function by its place in a table, as virtual
// functions are called.
func TestTableOfFunctions(t *testing.T) {
	inEveryForm(t, onEach(`@table = internal constant { [4 x ptr] } { [4 x ptr] [ptr null, ptr null, ptr @twice, ptr @less] }
define internal i32 @twice(i32 %x) noinline { 
  %r = mul i32 %x, 2
  ret i32 %r
}
define internal i32 @less(i32 %x) noinline {
  %r = sub i32 %x, 1
  ret i32 %r
}
define internal i32 @f(i32 %x) {
  %o = alloca ptr
  store volatile ptr getelementptr inbounds nuw inrange(-16, 16) (i8, ptr @table, i64 16), ptr %o
  %v = load volatile ptr, ptr %o
  %i = and i32 %x, 1
  %p = getelementptr ptr, ptr %v, i32 %i
  %g = load ptr, ptr %p
  %r = call i32 %g(i32 %x)
  ret i32 %r
}
`), func(x uint32) uint32 {
		if x&1 == 0 {
			return x * 2
		}
		return x - 1
	})
}
