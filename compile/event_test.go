package compile

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEvents(t *testing.T) {
	var stages []string
	var failed []error
	c := newCompiler(t, Config{Observe: func(e Event) {
		stages = append(stages, string(e.Stage)+" "+e.Kernel)
		if e.Err != nil {
			failed = append(failed, e.Err)
		} else if e.Duration <= 0 {
			t.Errorf("%s took %v", e.Stage, e.Duration)
		}
	}})
	module := hostModule(t, c)
	compile(t, c, Request{Module: module, Kernel: "prime"})
	want := []string{"check prime", "parse prime", "extract prime", "specialise prime", "wrap prime", "optimise prime", "generate prime", "image prime"}
	if diff := cmp.Diff(want, stages); diff != "" {
		t.Errorf("stages of a compile (-want +got):\n%s", diff)
	}
	stages = nil
	failure(t, c, Request{Module: module, Kernel: "prim"})
	if diff := cmp.Diff([]string{"check prim", "parse prim", "extract prim"}, stages); diff != "" {
		t.Errorf("stages of a failure (-want +got):\n%s", diff)
	}
	if len(failed) != 1 || !errors.Is(failed[0], ErrNoKernel) {
		t.Errorf("errors reported: %v, want one of ErrNoKernel", failed)
	}
}

// A context that ends stops the compile between stages, wherever it is.
func TestCancellation(t *testing.T) {
	for _, at := range []Stage{StageCheck, StageParse, StageExtract, StageSpecialise, StageWrap, StageOptimise, StageGenerate} {
		ctx, cancel := context.WithCancel(context.Background())
		var last Stage
		c := newCompiler(t, Config{Observe: func(e Event) {
			last = e.Stage
			if e.Stage == at {
				cancel()
			}
		}})
		r := Request{Module: hostModule(t, c), Kernel: "prime", Target: native(t, c), Toolchain: c.Toolchain()}
		im, err := c.Compile(ctx, r)
		if im != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %s: %v, %v", at, im, err)
		}
		if e, ok := errors.AsType[*Error](err); !ok || last == at || e.Stage != last {
			t.Errorf("ended after %s: %v, last stage reported is %s; want the next one", at, err, last)
		}
		cancel()
	}
}
