package spmd_test

import (
	"strings"
	"testing"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd"
)

// partedKernel has lanes 0 to 7 sum up under mask %m, and the others do what
// %how says: 0 nothing, 1 sum up at another place; all sum up at last.
const partedKernel = `target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
define ptx_kernel void @k(ptr %out, i32 %m) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %few = icmp ult i32 %t, 8
  br i1 %few, label %one, label %OTHER
one:
  %a = call i32 @llvm.nvvm.redux.sync.add(i32 %t, i32 %m)
  br label %end
other:
  %b = call i32 @llvm.nvvm.redux.sync.add(i32 1, i32 %m)
  br label %end
end:
  %v = phi i32 [ %a, %one ], PHI
  %w = call i32 @llvm.nvvm.redux.sync.add(i32 %v, i32 -1)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %w, ptr %p
  ret void
}
`

func parted(apart bool) []byte {
	if apart {
		return []byte(strings.NewReplacer("OTHER", "other", "PHI", "[ %b, %other ]").Replace(partedKernel))
	}
	text := strings.NewReplacer("OTHER", "end", "PHI", "[ 0, %0 ]").Replace(partedKernel)
	at, end := strings.Index(text, "other:"), strings.Index(text, "end:")
	return []byte(text[:at] + text[end:])
}

// TestPartedLanes: lanes under a condition sum up by themselves; a mask that
// names others too ends the launch where these can never come, and has lanes meet
// who sum up at two places.
func TestPartedLanes(t *testing.T) {
	run := func(apart bool, mask int32, form string, status image.Status, sum int32) {
		t.Helper()
		c := compile(t, parted(apart), "k", append(pointers(1), intParam), spmd.Options{})
		if !strings.Contains(c.result.Remarks[0], form) {
			t.Errorf("remarks %q, want %q", c.result.Remarks, form)
		}
		c.status = uint32(status)
		out := make([]int32, 32)
		c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{32, 1, 1}, out, mask)
		if status == 0 {
			want(t, out, func(int) int32 { return sum })
		}
	}
	run(false, 0xff, "regions for ", 0, 8*28)
	run(false, -1, "regions for ", spmd.StatusStuck, 0)
	run(true, -1, "lanes of a warp may meet at different places", 0, 32*(28+24))
}

// TestTrapInOneItem: numba/numba#3063: an item that fails before a barrier that
// others reach leaves a trap in the code, and none of the others without end.
func TestTrapInOneItem(t *testing.T) {
	const kernel = `target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.trap()
define ptx_kernel void @k(ptr %out, i32 %bad) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp eq i32 %t, %bad
  br i1 %is, label %fail, label %go
fail:
  call void @llvm.trap()
  unreachable
go:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p = getelementptr i32, ptr %out, i32 %t
  store i32 %t, ptr %p
  ret void
}
`
	c := compile(t, []byte(kernel), "k", append(pointers(1), intParam), spmd.Options{})
	if !strings.Contains(c.opt, "@llvm.trap") || !strings.Contains(c.result.Remarks[0], "regions for ") {
		t.Errorf("remarks %q", c.result.Remarks)
	}
	out := make([]int32, 40)
	c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{40, 1, 1}, out, int32(40))
	want(t, out, func(i int) int32 { return int32(i) })
}
