package spmd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/spmd"
	"github.com/kilnjit/kiln/spmd/internal/oracle"
)

// Short names for the parts of an oracle's program.
func is(op string, args ...oracle.Expr) oracle.Expr { return oracle.Expr{Op: op, Args: args} }
func number(n int32) oracle.Expr                    { return oracle.Expr{Op: "int", N: n} }
func variable(n int32) oracle.Expr                  { return oracle.Expr{Op: "var", N: n} }
func argument(n int32) oracle.Expr                  { return oracle.Expr{Op: "arg", N: n} }

func set(n int32, e oracle.Expr) oracle.Stmt {
	return oracle.Stmt{Op: "set", N: n, E: []oracle.Expr{e}}
}
func share(e oracle.Expr) oracle.Stmt { return oracle.Stmt{Op: "share", E: []oracle.Expr{e}} }
func count(n int32) oracle.Stmt       { return oracle.Stmt{Op: "count", N: n, E: []oracle.Expr{number(1)}} }

func when(e oracle.Expr, then ...oracle.Stmt) oracle.Stmt {
	return oracle.Stmt{Op: "if", E: []oracle.Expr{e}, Blocks: [][]oracle.Stmt{then}}
}

func otherwise(s oracle.Stmt, list ...oracle.Stmt) oracle.Stmt {
	s.Blocks = append(s.Blocks, list)
	return s
}

func loop(bound oracle.Expr, body ...oracle.Stmt) oracle.Stmt {
	return oracle.Stmt{Op: "loop", E: []oracle.Expr{bound}, Blocks: [][]oracle.Stmt{body}}
}

var (
	meet   = oracle.Stmt{Op: "barrier"}
	leave  = oracle.Stmt{Op: "return"}
	stop   = oracle.Stmt{Op: "break"}
	next   = oracle.Stmt{Op: "continue"}
	itemID = oracle.Expr{Op: "id", N: 4}
	turn   = oracle.Expr{Op: "turn"}
	behind = oracle.Expr{Op: "shared", Args: []oracle.Expr{is("add", oracle.Expr{Op: "id", N: 4}, number(1))}}
	own    = oracle.Expr{Op: "own"}
	odd    = is("and", itemID, number(1))
)

// exchange has each item take the next one's variable 0 into variable 1.
func exchange() []oracle.Stmt {
	return []oracle.Stmt{share(variable(0)), meet, set(1, behind), meet}
}

// reports are programs after reports about other systems, which got them wrong.
var reports = []struct {
	name  string
	exits bool
	body  []oracle.Stmt
}{
	{"pocl/pocl#1167", false, []oracle.Stmt{ // a guarded barrier beside turns that differ by item
		loop(argument(0), append(exchange(),
			when(argument(1), meet),
			when(odd, loop(itemID, set(0, is("add", variable(0), variable(1))))),
		)...),
	}},
	{"pocl/pocl#553", false, []oracle.Stmt{ // nested loops with barriers under conditions run their bodies once
		loop(argument(0),
			count(0),
			loop(argument(1), count(1), when(is("and", turn, number(1)), append(exchange(), set(0, is("xor", variable(0), variable(1))))...)),
			otherwise(when(argument(1), meet, count(2)), set(0, is("add", variable(0), number(3)))),
		),
	}},
	{"pocl/pocl#2281", false, append(exchange(), // a branch after a barrier that joins before the next one
		otherwise(when(odd, set(0, is("mul", variable(0), number(3)))), set(0, variable(1))),
		meet,
		loop(argument(0), when(odd, next), set(0, is("add", variable(0), number(1)))),
		meet,
		when(argument(1), set(0, is("sub", variable(0), variable(1)))),
		share(variable(0)), meet, set(2, behind),
	)},
	{"pocl/pocl#2182", true, []oracle.Stmt{ // items that return before a barrier
		share(itemID), meet, set(1, behind), meet,
		when(is("ult", number(20), itemID), leave),
		share(is("mul", itemID, number(5))), meet, meet,
		set(0, is("add", own, is("mul", itemID, number(100)))),
	}},
	{"JuliaGPU/OpenCL.jl#460", true, []oracle.Stmt{ // a group of which a part is active
		share(number(7)), meet,
		when(is("eq", odd, number(1)), leave),
		set(0, own), meet, share(is("add", variable(0), itemID)), meet, set(2, own),
	}},
	{"pocl/pocl#2239", false, []oracle.Stmt{ // a loop of few turns, unrolled: all see one array
		loop(number(4), append(exchange(), set(0, is("add", variable(1), turn)))...),
	}},
	{"AdaptiveCpp/AdaptiveCpp#2177", false, []oracle.Stmt{ // barriers in nested loops
		loop(argument(0), append(exchange(),
			loop(argument(1), append(exchange(), set(0, is("add", variable(0), variable(1))), when(is("eq", turn, number(3)), stop))...),
			meet)...),
	}},
}

// TestReports holds the programs against the interpreter with sizes known when
// compiling and when not (pocl/pocl#458), side by side and as coroutines.
func TestReports(t *testing.T) {
	blocks := [][3]uint32{{64, 1, 1}, {33, 1, 1}, {8, 4, 2}}
	for _, r := range reports {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			for i, block := range blocks {
				p := &oracle.Program{
					Grid: [3]uint32{2, 1, 1}, Block: block, Args: [2]int32{5, 3}, Seed: 3, Exits: r.exits,
					Shared: []oracle.SharedArray{{Atomic: "add"}},
					Body:   append([]oracle.Stmt{set(0, itemID)}, r.body...),
				}
				for v := range int32(3) {
					p.Body = append(p.Body, oracle.Stmt{Op: "out", N: v, E: []oracle.Expr{variable(v)}})
				}
				for _, w := range ways[:2] {
					d, why := holdWhy(t, p, w, spmd.Auto)
					if d != "" || why != "" {
						t.Errorf("%s, %v: %s; no regions, for %q", w.name, block, d, why)
					}
				}
				if i == 0 {
					if d := hold(t, p, ways[0], spmd.Coroutine); d != "" {
						t.Errorf("coroutines: %s", d)
					}
				}
			}
		})
	}
}

// keeping is a kernel whose items each keep 1 KiB over a barrier.
const keeping = `target triple = "nvptx64-nvidia-cuda"
@s = internal addrspace(3) global [1024 x i32] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %a = alloca [256 x i32], align 4
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %fill
fill:
  %i = phi i32 [ 0, %entry ], [ %i.next, %fill ]
  %p = getelementptr [256 x i32], ptr %a, i32 0, i32 %i
  %v = mul i32 %i, %t
  store i32 %v, ptr %p, align 4
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %fill, label %filled
filled:
  %s = getelementptr [1024 x i32], ptr addrspace(3) @s, i32 0, i32 %t
  store i32 %t, ptr addrspace(3) %s, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %x = xor i32 %t, 1
  %q = getelementptr [1024 x i32], ptr addrspace(3) @s, i32 0, i32 %x
  %w = load i32, ptr addrspace(3) %q, align 4
  %j = urem i32 %w, %n
  %r = getelementptr [256 x i32], ptr %a, i32 0, i32 %j
  %y = load i32, ptr %r, align 4
  %o = getelementptr i32, ptr %out, i32 %t
  store i32 %y, ptr %o, align 4
  ret void
}
`

// TestPrivateOverBarrier: pocl/pocl#1525, #1116, #1213: what the items of a
// large group keep lies in the worker's context memory, not on its stack.
func TestPrivateOverBarrier(t *testing.T) {
	params := append(pointers(1), intParam)
	for _, options := range []spmd.Options{{}, {Block: [3]uint32{1024, 1, 1}}} {
		c := compile(t, []byte(keeping), "k", params, options)
		if !strings.Contains(c.result.Remarks[0], "regions for ") || c.result.ContextBytes < 1<<20 {
			t.Errorf("remarks %q, %d bytes of context", c.result.Remarks, c.result.ContextBytes)
		}
		for _, n := range []uint32{1024, 96, 2} {
			if options.Block[0] != 0 && n != 1024 {
				continue
			}
			out := make([]int32, 1024)
			c.launch(t, [3]uint32{1, 1, 1}, [3]uint32{n, 1, 1}, out, int32(256))
			want(t, out[:n], func(i int) int32 { return int32(i) * (int32(i^1) % 256) })
		}
	}
}

// TestBlockSizes runs kernels whose items meet with blocks of all kinds.
func TestBlockSizes(t *testing.T) {
	sizes := []uint32{1, 31, 32, 33, 64, 256, 1000, 1024}
	for _, from := range []string{"features.sm_80.raw", "features.gfx90a.raw"} {
		warp := 32
		if strings.Contains(from, "gfx") {
			warp = 64
		}
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			dynamic := compile(t, source(t, from), "f_dynshared", pointers(2), spmd.Options{})
			two := compile(t, source(t, from), "f_two_dyn", append(pointers(1), intParam), spmd.Options{})
			vote := compile(t, source(t, from), "f_syncvote", pointers(1), spmd.Options{})
			redux := compile(t, source(t, from), "f_redux", pointers(1), spmd.Options{})
			shuffle := compile(t, source(t, from), "f_shfl", pointers(1), spmd.Options{})
			for _, n := range sizes {
				grid, block := [3]uint32{1, 1, 1}, [3]uint32{n, 1, 1}
				last := int(n) - 1
				in, out, ints := make([]float32, n), make([]float32, n), make([]int32, 4*n)
				for i := range in {
					in[i] = float32(3*i + 1)
				}
				dynamic.launch(t, grid, block, out, in)
				want(t, out, func(i int) float32 { return in[last-i] })
				two.launch(t, grid, block, out, int32(n))
				want(t, out, func(i int) float32 { return float32(3 * (last - i)) })
				vote.launch(t, grid, block, ints)
				want(t, ints[:n], func(int) int32 {
					sum := int32(n / 2)
					if n <= 999 {
						sum += 1000
					}
					if n > 3 {
						sum += 2000
					}
					return sum
				})
				shuffle.launch(t, grid, block, ints)
				want(t, ints, func(k int) int32 {
					i, first := k/4, k/4/warp*warp
					from := []int{first + 3, i ^ 1, i - 2, i + 5}[k%4]
					if from < first || from >= min(first+warp, int(n)) {
						from = i
					}
					return int32(from)
				})
				if warp == 64 && n%64 != 0 {
					continue // the header's sum by shuffles reads lanes that are not there
				}
				redux.launch(t, grid, block, ints)
				want(t, ints[:n], func(i int) int32 {
					sum := 0
					for k := i / warp * warp; k < min(i/warp*warp+warp, int(n)); k++ {
						sum += k
					}
					return int32(sum)
				})
			}
		})
	}
}

// TestAtomics adds to memory of a group and of all.
func TestAtomics(t *testing.T) {
	for _, from := range featureImages {
		for _, options := range []spmd.Options{{}, {Block: [3]uint32{48, 1, 1}}} {
			t.Run(fmt.Sprint(from, options.Block), func(t *testing.T) {
				t.Parallel()
				c := compile(t, source(t, from), "f_atomics", pointers(4), options)
				ints, words, floats, doubles := make([]int32, 8), make([]uint32, 1), make([]float32, 2), make([]float64, 1)
				c.launch(t, [3]uint32{3, 1, 1}, [3]uint32{48, 1, 1}, ints, words, floats, doubles)
				want(t, ints, func(i int) int32 { return []int32{144, 47, 5, 9, 48, 0, 144, 144}[i] })
				want(t, words, func(int) uint32 { return 144 % 101 })
				want(t, floats, func(i int) float32 { return []float32{144, 24}[i] })
				want(t, doubles, func(int) float64 { return 144 })
				last := compile(t, source(t, from), "f_lastblock", pointers(4), spmd.Options{}).sideBySide(t)
				in, parts, ticket := make([]float32, 4*64), make([]float32, 4), make([]uint32, 1)
				sum := float32(0)
				for i := range in {
					in[i] = float32(i % 9)
					sum += in[i]
				}
				last.launch(t, [3]uint32{4, 1, 1}, [3]uint32{64, 1, 1}, floats, in, ticket, parts)
				if c.sideBySide(t); floats[0] != sum {
					t.Errorf("sum %v, want %v", floats[0], sum)
				}
			})
		}
	}
}
