package spmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// Options say what a kernel is lowered for. Triple, DataLayout and Params are
// needed.
type Options struct {
	// Triple and DataLayout are the host's.
	Triple, DataLayout string
	// Machine gives LLVM's passes the costs of the host; nil is no machine in
	// particular.
	Machine *llvm.Machine
	// Params are the kernel's parameters with their places in the parameter
	// block, as image.Layout gives them, one for each parameter of the function.
	Params []image.Param
	// Block holds the work-items of a group in x, y and z and Grid the groups of
	// a launch where they are fixed, and 0 where the launch says.
	Block, Grid [3]uint32
	// MaxBlock is how many work-items a group has at most by the kernel's own
	// word, 0 where it does not say. Most launches have as many.
	MaxBlock uint32
	// Form is how the work-items of a group are run; Auto is what suits the kernel.
	Form Form
	// Lanes is how many work-items go side by side: a power of two up to 64, 1
	// for one after the other, 0 for what suits the block.
	Lanes int
}

// Form is a way of running the work-items of a group.
type Form uint8

const (
	// Auto takes Plain where it can be, else Coroutine.
	Auto Form = iota
	// Plain runs work-items one after the other or side by side in vectors, from
	// their start to their end or from one place where they meet to the next.
	Plain
	// Coroutine runs each work-item as a coroutine that waits where it meets
	// others. It takes any kernel and is slow.
	Coroutine
)

// Result is a lowered kernel.
type Result struct {
	// Module holds the entry. It is a new module in the context of the one
	// given, the caller's to close.
	Module *llvm.Module
	// Entry is the name of the function "int32 entry(ptr frame)".
	Entry string
	// PostPasses is a pipeline to run over the module after optimisation, in
	// LLVM's text form; empty for none.
	PostPasses string
	// ContextBytes is the memory that a worker must give by frame->context.
	ContextBytes uint64
	// Remarks say in which form the kernel runs and why, a line each.
	Remarks []string
}

// simplify is what LLVM does between ingest and lowering. Values should be in
// registers, callees inlined and loops in their canonical form before the
// kernel is taken apart; unrolling by a run-time count and vectorisation come
// after it.
const simplify = "always-inline,globaldce,function(" +
	"sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,correlated-propagation,simplifycfg," +
	"loop-simplify,lcssa,loop-mssa(loop-rotate<header-duplication;prepare-for-lto>,licm),loop(indvars,loop-deletion,loop-unroll-full)," +
	"sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg," +
	"scalarizer<load-store>,instcombine<no-verify-fixpoint>,lower-switch,loop-simplify,lcssa)"

// Lower makes the kernel in m, a module of any supported device target, into
// one host function with the CPU device's kernel ABI. m stays as it is and the
// caller's; the result is a new module in m's context.
//
// What a kernel uses that is not lowered is an error that wraps ErrUnsupported
// and names all of it. Lower must be called inside llvm.Run.
func Lower(m *llvm.Module, kernel string, opt Options) (*Result, error) {
	if err := opt.check(); err != nil {
		return nil, fmt.Errorf("lowering kernel %s: %w", kernel, err)
	}
	in, err := ingest(m.Print(), kernel, &opt)
	if err != nil {
		return nil, err
	}
	flat, err := m.Context().Parse("kernel "+kernel+" after ingest", []byte(in.text))
	if err != nil {
		return nil, fmt.Errorf("lowering kernel %s: %w", kernel, err)
	}
	defer flat.Close()
	pipeline := simplify
	if llvm.Current().Major < 20 {
		// It cannot be told to take apart loads and stores yet.
		pipeline = strings.Replace(pipeline, "scalarizer<load-store>", "scalarizer", 1)
	}
	if err := flat.RunPasses(pipeline, opt.Machine, llvm.PassOptions{}); err != nil {
		return nil, fmt.Errorf("lowering kernel %s: simplifying: %w", kernel, err)
	}
	simple, err := oneEntryLoops(flat, opt.Machine)
	if err != nil {
		return nil, fmt.Errorf("lowering kernel %s: %w", kernel, err)
	}
	low, err := simple.lower(kernel, &opt, in)
	if err != nil {
		return nil, err
	}
	out, err := m.Context().Parse("kernel "+kernel+" for the host", []byte(low.text))
	if err != nil {
		return nil, fmt.Errorf("lowering kernel %s: %w", kernel, err)
	}
	if err := out.Verify(); err != nil {
		out.Close()
		return nil, fmt.Errorf("lowering kernel %s: %w", kernel, err)
	}
	result := &Result{Module: out, Entry: kernel, Remarks: low.remarks, ContextBytes: low.contextBytes}
	if low.coroutine != nil {
		if result.ContextBytes, err = low.coroutine.splitCoroutine(out, &opt); err != nil {
			out.Close()
			return nil, err
		}
	}
	return result, nil
}

func (o *Options) check() error {
	switch {
	case o.Triple == "" || o.DataLayout == "":
		return fmt.Errorf("no triple or data layout of the host: %w", ErrUnsupported)
	case o.Form > Coroutine:
		return fmt.Errorf("form %d: %w", o.Form, ErrUnsupported)
	case o.Lanes < 0 || o.Lanes > 64 || o.Lanes&(o.Lanes-1) != 0:
		return fmt.Errorf("%d lanes, which is no power of two up to 64: %w", o.Lanes, ErrUnsupported)
	}
	for d, n := range o.Block {
		if n > maxBlock {
			return fmt.Errorf("a block of %d in %c, more than %d: %w", n, "xyz"[d], maxBlock, ErrUnsupported)
		}
	}
	for d, n := range o.Grid {
		if n > maxGrid {
			return fmt.Errorf("a grid of %d in %c, more than %d: %w", n, "xyz"[d], maxGrid, ErrUnsupported)
		}
	}
	return nil
}

// lowered is the text of a lowered kernel's module.
type lowered struct {
	text         string
	remarks      []string
	contextBytes uint64
	// coroutine is set where the entry needs a coroutine that LLVM is yet to split.
	coroutine *lowering
}

// lower makes the module that LLVM has simplified into one with the entry.
func (s *simplified) lower(kernel string, opt *Options, in *ingested) (*lowered, error) {
	m, at, fn := s.module, s.at, s.fn
	var missing problems
	for i, e := range m.Defines {
		if i != at && usesIDs(&e) {
			missing.add(calleeIDs, e.Name[1:])
		}
	}
	if err := missing.err(kernel); err != nil {
		return nil, err
	}
	if len(fn.Params) != len(opt.Params) {
		return nil, fmt.Errorf("lowering kernel %s: it has %d parameters, its layout %d", kernel, len(fn.Params), len(opt.Params))
	}
	l := &lowering{module: m, kernel: kernel, opt: opt, fn: fn, byValue: in.byValue, shared: in.shared, warp: in.warp}
	m.Defines = slices.Delete(m.Defines, at, at+1)
	if opt.Form != Coroutine && groupNeeds(m) == nil {
		l.run()
		return &lowered{text: m.Text(), remarks: l.remarks}, nil
	}
	l.dropIDs()
	if opt.Form != Coroutine {
		err := l.runSideBySide()
		switch why, refused := errors.AsType[*refusal](err); {
		case err == nil:
			return &lowered{text: m.Text(), remarks: l.remarks, contextBytes: uint64(l.contextBytes)}, nil
		case !refused:
			return nil, fmt.Errorf("lowering kernel %s: %w", kernel, err)
		case opt.Form == Plain:
			return nil, fmt.Errorf("kernel %s: %w: the plain form, for %s", kernel, ErrUnsupported, why.reason)
		default:
			l.remark("no regions, for %s", why.reason)
		}
	}
	if err := l.runCoroutine(llvm.Current().Major); err != nil {
		return nil, err
	}
	return &lowered{text: m.Text(), remarks: l.remarks, coroutine: l}, nil
}

// runSideBySide has the items of a group run side by side from one place where
// they meet to the next.
func (l *lowering) runSideBySide() error {
	switch {
	case l.opt.Lanes == 1:
		return refuse("that was asked for")
	case l.opt.Lanes > 1 && l.warpWide() && l.opt.Lanes != l.warp:
		return refuse("a warp of %d items is not %d side by side", l.warp, l.opt.Lanes)
	}
	return l.runGroup()
}

// groupNeeds returns what the module has that ties the work-items of a group
// together, by name.
func groupNeeds(m *irtext.Module) []string {
	var names []string
	for _, d := range m.Declares {
		if collectives()[d.Name].kind != noMeeting || strings.HasPrefix(d.Name, sharedPrefix) {
			names = append(names, d.Name[1:])
		}
	}
	return names
}

func usesIDs(e *irtext.Entity) bool {
	found := false
	for _, l := range e.Body {
		irtext.GlobalNames(l, func(name string) {
			if _, _, ok := idOf(name); ok || collectives()[name].kind != noMeeting || strings.HasPrefix(name, sharedPrefix) {
				found = true
			}
		})
	}
	return found
}
