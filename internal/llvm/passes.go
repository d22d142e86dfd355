package llvm

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// PassOptions steer the pass pipelines that depend on them, such as
// default<O3>. The zero value is what clang does at -O3.
type PassOptions struct {
	NoLoopVectorize, NoSLPVectorize, NoUnroll, NoInterleave bool
	// MergeFunctions folds equal functions into one.
	MergeFunctions bool
	// InlinerThreshold is the inliner's cost limit; 0 leaves it to the level.
	InlinerThreshold int
	// VerifyEach verifies the module after each pass. A module found broken
	// is a fatal error.
	VerifyEach bool
}

func (o PassOptions) capi() capi.PassBuilderOptions {
	ref := capi.CreatePassBuilderOptions()
	capi.PassBuilderOptionsSetLoopVectorization(ref, !o.NoLoopVectorize)
	capi.PassBuilderOptionsSetSLPVectorization(ref, !o.NoSLPVectorize)
	capi.PassBuilderOptionsSetLoopUnrolling(ref, !o.NoUnroll)
	capi.PassBuilderOptionsSetLoopInterleaving(ref, !o.NoInterleave)
	capi.PassBuilderOptionsSetMergeFunctions(ref, o.MergeFunctions)
	capi.PassBuilderOptionsSetVerifyEach(ref, o.VerifyEach)
	if o.InlinerThreshold != 0 {
		capi.PassBuilderOptionsSetInlinerThreshold(ref, int32(o.InlinerThreshold))
	}
	return ref
}

var passTime atomic.Int64

// PassTime returns how long pass pipelines have run in this process so far,
// those of all threads added up.
func PassTime() time.Duration { return time.Duration(passTime.Load()) }

// RunPasses runs a pipeline, in the text form that opt takes, over the module.
// Costs come from machine; without one (nil) they are those of no target in
// particular.
func (m *Module) RunPasses(pipeline string, machine *Machine, options PassOptions) error {
	what := "running passes " + pipeline
	var ref capi.TargetMachine
	if machine != nil {
		if err := machine.use(); err != nil {
			return wrap(what, err)
		}
		ref = machine.ref
	}
	return m.attempt(what, func() error {
		o := options.capi()
		defer capi.DisposePassBuilderOptions(o)
		began := time.Now()
		defer func() { passTime.Add(int64(time.Since(began))) }()
		return takeError(capi.RunPasses(m.ref, pipeline, ref, o))
	})
}

// takeError turns LLVM's error, which it consumes, into Go's.
func takeError(e capi.Error) error {
	if e == 0 {
		return nil
	}
	return errors.New(cleanMessage(capi.GetErrorMessage(e).Take()))
}
