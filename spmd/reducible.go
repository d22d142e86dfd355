package spmd

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// repair gives every loop one entry. LLVM's fix-irreducible takes values of
// the wrong round where one loop of several entries lies in another (seen in 22:
// some kernels never ended), so it sees none: while it runs they are in memory.
const repair = "function(reg2mem,fix-irreducible,mem2reg,loop-simplify,lcssa)"

// simplified is what LLVM has simplified: the module, and in it the kernel,
// which is the definition at at.
type simplified struct {
	module *irtext.Module
	at     int
	fn     *irtext.Function
}

func readSimplified(text string) (*simplified, error) {
	s := &simplified{}
	var err error
	if s.module, err = irtext.ParseModule(text); err != nil {
		return nil, err
	}
	s.at = slices.IndexFunc(s.module.Defines, func(e irtext.Entity) bool { return e.Name == kernelName })
	if s.at < 0 {
		return nil, errors.New("LLVM removed it")
	}
	s.fn, err = irtext.ParseFunction(&s.module.Defines[s.at])
	return s, err
}

// oneEntryLoops reads the module once every loop of the kernel has one entry.
// Most kernels are like that already and are not touched.
func oneEntryLoops(m *llvm.Module, machine *llvm.Machine) (*simplified, error) {
	s, err := readSimplified(m.Print())
	if err != nil || loopsHaveOneEntry(s.fn) {
		return s, err
	}
	if err := m.RunPasses(repair, machine, llvm.PassOptions{}); err != nil {
		return nil, fmt.Errorf("giving loops one entry: %w", err)
	}
	return readSimplified(m.Print())
}

// loopsHaveOneEntry reports whether every edge back to a block that is being
// visited leads to one that dominates where it comes from.
func loopsHaveOneEntry(fn *irtext.Function) bool {
	g := &graph{fn: fn, succs: make([][]int, len(fn.Blocks)), preds: make([][]int, len(fn.Blocks))}
	for i, b := range fn.Blocks {
		for _, s := range b.Succs {
			g.succs[i] = append(g.succs[i], s.Index)
			g.preds[s.Index] = append(g.preds[s.Index], i)
		}
	}
	rpo := g.reversePostOrder()
	g.dominators(rpo)
	number := make([]int, len(fn.Blocks))
	for i, b := range rpo {
		number[b] = i
	}
	for _, b := range rpo {
		for _, s := range g.succs[b] {
			if number[s] <= number[b] && !g.dominates(s, b) {
				return false
			}
		}
	}
	return true
}
