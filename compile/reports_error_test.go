package compile

import (
	"context"
	"errors"
	"testing"

	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// llvm/llvm-project PR#145498: a failure came back as success with a null image.
// Over every bad request, whatever of it is changed besides, over summaries, and
// over compiles that are cancelled at each of their stages, there is an image
// exactly when there is no error.
func TestReport145498ImageIsNilIffError(t *testing.T) {
	c := newCompiler(t, Config{})
	check := func(what string, r Request, stage Stage) (compiled bool) {
		t.Helper()
		im, err := c.Compile(t.Context(), r)
		failed, ok := errors.AsType[*Error](err)
		switch {
		case (im == nil) != (err != nil), err != nil && !ok:
			t.Errorf("%s: image %v, error %v", what, im, err)
		case err != nil && (failed.Err == nil || failed.Summary == "" || stage != "" && failed.Stage != stage):
			t.Errorf("%s: %+v, want stage %s", what, failed, stage)
		case im != nil && (len(im.Payload) == 0 || im.Kernel != r.Kernel):
			t.Errorf("%s: image of %q with %d bytes", what, im.Kernel, len(im.Payload))
		}
		return err == nil
	}
	bad := badRequests(t, c)
	if len(bad) < 40 {
		t.Fatalf("%d bad requests", len(bad))
	}
	for _, test := range bad {
		r := test.request
		if r.Toolchain == (Toolchain{}) {
			r.Toolchain = c.Toolchain()
		}
		if r.Target == (target.Target{}) {
			r.Target = native(t, c)
		}
		if check(test.name, r, test.stage) {
			t.Errorf("%s: it compiles", test.name)
		}
		for what, change := range map[string]func(*Request){
			"variables":       func(r *Request) { r.Variables = true },
			"variables alone": func(r *Request) { r.Variables, r.Kernel, r.Spec = true, "", specialize.Spec{} },
			"unoptimised":     func(r *Request) { r.Options.Opt, r.Options.Codegen = O0, CodegenNone },
			"block":           func(r *Request) { r.Spec.Block = [3]uint32{1 << 31, 1 << 31, 4} },
			"constant":        func(r *Request) { r.Spec.Constants = append(r.Spec.Constants, specialize.Constant{Index: 1 << 30}) },
			"no target":       func(r *Request) { r.Target = target.Target{} },
			"GPU":             func(r *Request) { r.Target = target.Target{Triple: "nvptx64-nvidia-cuda", Processor: "sm_80"} },
			"debug":           func(r *Request) { r.Options.Debug = true },
		} {
			changed := r
			change(&changed)
			check(test.name+" and "+what, changed, "")
		}
		s, err := c.Summarise(t.Context(), r.Module)
		if (s == nil) != (err != nil) || (err != nil) != (test.stage == StageParse) {
			t.Errorf("%s: summary %v, error %v", test.name, s, err)
		}
	}

	// Cancelled before a stage, it ends at that one.
	good := Request{Module: hostModule(t, c), Kernel: "prime", Target: native(t, c), Toolchain: c.Toolchain()}
	var stages []Stage
	whole := newCompiler(t, Config{Begin: func(s Stage) { stages = append(stages, s) }})
	if im, err := whole.Compile(t.Context(), good); err != nil || im == nil {
		t.Fatal(im, err)
	}
	if len(stages) < 7 {
		t.Errorf("stages %v", stages)
	}
	for i := range stages {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		cancelling := newCompiler(t, Config{Begin: func(Stage) {
			if n++; n == i+1 {
				cancel()
			}
		}})
		im, err := cancelling.Compile(ctx, good)
		if failed, ok := errors.AsType[*Error](err); im != nil || !ok || !errors.Is(err, context.Canceled) || failed.Stage != stages[i] {
			t.Errorf("cancelled before stage %s: image %v, error %v", stages[i], im, err)
		}
	}
}
