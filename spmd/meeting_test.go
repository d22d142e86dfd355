package spmd_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/spmd"
)

// sideBySide reports an error for a kernel that does not run as regions.
func (c *compiled) sideBySide(t *testing.T) *compiled {
	t.Helper()
	if !strings.Contains(c.result.Remarks[0], "regions for ") {
		t.Errorf("remarks %q", c.result.Remarks)
	}
	return c
}

// TestMeetingSums runs the benchmark kernels whose work-items meet.
func TestMeetingSums(t *testing.T) {
	benchmarks, sums := manifest(t, "small"), expected(t, "small")
	for _, from := range images {
		for _, kernel := range []string{"matmul_tiled", "reduce_block", "scan_block", "nbody_tiled", "histogram"} {
			b := benchmarks[kernel]
			for name, options := range map[string]spmd.Options{
				"run time": {}, "fixed": {Block: b.Block}, "likely": {MaxBlock: 256},
			} {
				if name == "likely" && !strings.HasSuffix(from, ".raw") {
					continue
				}
				t.Run(from+"/"+kernel+"/"+name, func(t *testing.T) {
					t.Parallel()
					args, params, out := b.values(t)
					c := compile(t, source(t, from), kernel, params, options)
					if !strings.Contains(c.result.Remarks[0], "regions for ") {
						t.Errorf("remarks %q", c.result.Remarks)
					}
					// Two halves, as two workers run them.
					groups := uint64(b.Grid[0] * b.Grid[1] * b.Grid[2])
					c.run(t, b.Grid, b.Block, groups/2, groups, args...)
					c.run(t, b.Grid, b.Block, 0, groups/2, args...)
					checkSum(t, kernel, sum(t, args[out]), sums[kernel])
				})
			}
		}
	}
}

// TestReduceWarp sums within warps by shuffles and over them in shared memory.
func TestReduceWarp(t *testing.T) {
	for _, from := range []string{"bench.sm_80.raw", "bench.sm_80.O2", "bench.gfx90a.raw", "bench.gfx90a.O2"} {
		in, out := make([]float32, 1000), make([]float32, 4)
		want := make([]float32, 4)
		for i := range in {
			in[i] = float32(i % 17)
			want[i/256] += in[i]
		}
		c := compile(t, source(t, from), "reduce_warp", append(pointers(2), intParam), spmd.Options{}).sideBySide(t)
		c.launch(t, [3]uint32{4, 1, 1}, [3]uint32{256, 1, 1}, out, in, int32(len(in)))
		if d := cmp.Diff(want, out); d != "" {
			t.Errorf("%s: %s", from, d)
		}
	}
}

// TestWarpFeatures runs the kernels of features_gpu.inc that work across lanes.
func TestWarpFeatures(t *testing.T) {
	lane := func(v, warp int) int { return v % warp }
	for _, from := range []string{"features.sm_80.raw", "features.sm_80.O2", "features.gfx90a.raw", "features.gfx90a.O2"} {
		warp := 32
		if strings.Contains(from, "gfx") {
			warp = 64
		}
		for _, f := range []struct {
			kernel string
			block  int
			cells  int // of out for each item
			want   func(t int) []int32
		}{
			{"f_shfl", 128, 4, func(t int) []int32 {
				first := t - lane(t, warp)
				up, down := t-2, t+5
				if up < first {
					up = t
				}
				if down >= first+warp {
					down = t
				}
				return []int32{int32(first + 3), int32(t ^ 1), int32(up), int32(down)}
			}},
			{"f_syncvote", 96, 1, func(int) []int32 { return []int32{48 + 1000 + 2000} }},
			{"f_syncwarp", 64, 1, func(t int) []int32 { return []int32{int32(t^1) + 1} }},
			{"f_redux", warp, 1, func(int) []int32 { return []int32{int32(warp * (warp - 1) / 2)} }},
			{"f_amd", 128, 1, func(t int) []int32 {
				first := t - lane(t, warp)
				shifted := t - 1
				if t%16 == 0 {
					shifted = 0
				}
				return []int32{int32(first + 3 + first + 7 + (t ^ 16) + shifted)}
			}},
		} {
			if f.kernel == "f_amd" && warp == 32 {
				continue
			}
			t.Run(from+"/"+f.kernel, func(t *testing.T) {
				var want []int32
				for i := range f.block {
					want = append(want, f.want(i)...)
				}
				out := make([]int32, len(want))
				c := compile(t, source(t, from), f.kernel, pointers(1), spmd.Options{}).sideBySide(t)
				c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{uint32(f.block), 1, 1}, out)
				if d := cmp.Diff(want, out); d != "" {
					t.Error(d)
				}
			})
		}
		t.Run(from+"/f_vote", func(t *testing.T) {
			out := make([]uint32, 4*64)
			c := compile(t, source(t, from), "f_vote", pointers(1), spmd.Options{}).sideBySide(t)
			c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, out)
			for i := range 64 {
				first := i - lane(i, warp)
				want := []uint32{0xaaaaaaaa, 0, 1, 0}
				if first == 0 {
					want[1] = 1
				}
				if i%3 == 0 {
					// The mask's low 32 lanes.
					for j := range 32 {
						if (first+j)%3 == 0 {
							want[3] |= 1 << j
						}
					}
				}
				if got := out[4*i : 4*i+4]; !cmp.Equal(got, want) {
					t.Errorf("item %d: %#x, want %#x", i, got, want)
				}
			}
		})
	}
}

// TestDynamicShared runs kernels whose shared memory the launch sizes.
func TestDynamicShared(t *testing.T) {
	for _, from := range []string{"features.sm_80.raw", "features.sm_80.O2", "features.gfx90a.raw", "features.gfx90a.O2"} {
		in, out := make([]float32, 64), make([]float32, 64)
		for i := range in {
			in[i] = float32(i*i) / 4
		}
		run := func(kernel string, want func(t int) float32, params []image.Param, args ...any) {
			t.Run(from+"/"+kernel, func(t *testing.T) {
				clear(out)
				c := compile(t, source(t, from), kernel, params, spmd.Options{}).sideBySide(t)
				c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, args...)
				for i := range out {
					if out[i] != want(i) {
						t.Errorf("item %d: %g, want %g", i, out[i], want(i))
					}
				}
			})
		}
		run("f_dynshared", func(i int) float32 { return in[63-i] }, pointers(2), out, in)
		run("f_two_dyn", func(i int) float32 { return 3 * float32(63-i) }, append(pointers(1), intParam), out, int32(64))
		sum := float32(0)
		for _, v := range in {
			sum += v
		}
		run("f_bar_in_callee", func(int) float32 { return sum }, pointers(2), out, in)
	}
}

const stuckKernel = `
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
define ptx_kernel void @k(ptr %out, i32 %how) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %one, label %rest
one:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
rest:
  switch i32 %how, label %end [ i32 1, label %other
                                i32 2, label %warp ]
other:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  br label %end
warp:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br label %end
end:
  %at = getelementptr i32, ptr %out, i32 %t
  store i32 %t, ptr %at
  ret void
}
`

// TestStuck: a barrier that only some live items reach ends the launch, one
// that only returned items miss does not.
func TestStuck(t *testing.T) {
	for how, status := range []uint32{0, uint32(spmd.StatusStuck), uint32(spmd.StatusStuck)} {
		t.Run(fmt.Sprint(how), func(t *testing.T) {
			c := compile(t, []byte(stuckKernel), "k", append(pointers(1), intParam), spmd.Options{})
			out := make([]int32, 64)
			c.status = status
			c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, out, int32(how))
			if status == 0 && out[63] != 63 {
				t.Errorf("item 63 wrote %d", out[63])
			}
		})
	}
}

// TestBlockTooLarge: a block of more items than there is context memory for
// ends the launch; where the size is known there is memory for it.
func TestBlockTooLarge(t *testing.T) {
	block := [3]uint32{64, 32, 1}
	out := make([]int32, 64)
	c := compile(t, []byte(stuckKernel), "k", append(pointers(1), intParam), spmd.Options{})
	c.status = uint32(spmd.StatusBlock)
	c.launch(t, [3]uint32{1, 1, 1}, block, out, int32(0))
	c = compile(t, []byte(stuckKernel), "k", append(pointers(1), intParam), spmd.Options{Block: block})
	c.launch(t, [3]uint32{1, 1, 1}, block, out, int32(0))
	if out[63] != 63 {
		t.Errorf("item 63 wrote %d", out[63])
	}
}

func TestPlainRefusesMeetings(t *testing.T) {
	_, err := compileError(t, []byte(stuckKernel), "k", append(pointers(1), intParam), spmd.Options{Form: spmd.Plain})
	if !errors.Is(err, spmd.ErrUnsupported) || !strings.Contains(err.Error(), "its items may part ways where some meet") {
		t.Errorf("error %v", err)
	}
}

const spinKernel = `
target triple = "nvptx64-nvidia-cuda"
@flag = internal addrspace(3) global i32 undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k(ptr %out, i32 %last) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store volatile i32 0, ptr addrspace(3) @flag
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %writes = icmp eq i32 %t, %last
  br i1 %writes, label %write, label %spin
write:
  store volatile i32 7, ptr addrspace(3) @flag
  br label %end
spin:
  %seen = load volatile i32, ptr addrspace(3) @flag
  %again = icmp eq i32 %seen, 0
  br i1 %again, label %spin, label %end
end:
  %got = load volatile i32, ptr addrspace(3) @flag
  %at = getelementptr i32, ptr %out, i32 %t
  store i32 %got, ptr %at
  ret void
}
`

// TestSpinOnItem: items that wait in a loop for what a later one of their group
// writes give way to it.
func TestSpinOnItem(t *testing.T) {
	c := compile(t, []byte(spinKernel), "k", append(pointers(1), intParam), spmd.Options{})
	out := make([]int32, 64)
	c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{64, 1, 1}, out, int32(63))
	for i, v := range out {
		if v != 7 {
			t.Errorf("item %d saw %d", i, v)
		}
	}
}

const localKernel = `
target triple = "spir64"
declare i64 @_Z12get_local_idj(i32)
declare i64 @_Z14get_local_sizej(i32)
declare void @_Z7barrierj(i32)
define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(3) %a, ptr addrspace(3) %b) {
  %t = call i64 @_Z12get_local_idj(i32 0)
  %n = call i64 @_Z14get_local_sizej(i32 0)
  %v = trunc i64 %t to i32
  %w = mul i32 %v, 1000
  %pa = getelementptr i32, ptr addrspace(3) %a, i64 %t
  %pb = getelementptr i32, ptr addrspace(3) %b, i64 %t
  store i32 %v, ptr addrspace(3) %pa
  store i32 %w, ptr addrspace(3) %pb
  call void @_Z7barrierj(i32 1)
  %last = sub i64 %n, 1
  %r = sub i64 %last, %t
  %qa = getelementptr i32, ptr addrspace(3) %a, i64 %r
  %qb = getelementptr i32, ptr addrspace(3) %b, i64 %r
  %x = load i32, ptr addrspace(3) %qa
  %y = load i32, ptr addrspace(3) %qb
  %sum = add i32 %x, %y
  %at = getelementptr i32, ptr addrspace(1) %out, i64 %t
  store i32 %sum, ptr addrspace(1) %at
  ret void
}
`

// TestLocalArguments: arguments that ask for shared memory get pieces that do
// not overlap.
func TestLocalArguments(t *testing.T) {
	local := image.Param{Kind: image.SharedPointer, Type: "ptr addrspace(3)", Size: 8, Align: 8}
	c := compile(t, []byte(localKernel), "k", append(pointers(1), local, local), spmd.Options{})
	out := make([]int32, 33)
	c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{33, 1, 1}, out, int64(4*33), int64(4*33))
	for i, v := range out {
		if want := int32(32-i) * 1001; v != want {
			t.Errorf("item %d: %d, want %d", i, v, want)
		}
	}
}
