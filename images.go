package kiln

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

func (e *Engine) toolchain() (compile.Toolchain, error) {
	c, err := e.compiler()
	if err != nil {
		return compile.Toolchain{}, err
	}
	return c.Toolchain(), nil
}

// narrowTarget returns the device's target in the terms that the libLLVM at
// hand knows.
func (e *Engine) narrowTarget() (target.Target, error) {
	c, err := e.compiler()
	if err != nil {
		return target.Target{}, err
	}
	return e.device.Target().Narrow(c.LLVMMajor()), nil
}

// artefact is something made by the compiler and kept in the cache.
type artefact[T any] struct {
	info   CompileInfo
	label  string
	detail func() string // what the key is made of, for people
	decode func([]byte) (T, error)
	make   func(context.Context, compiler) (T, error)
	encode func(T) []byte
}

// obtain returns what a describes, from the cache or else from the compiler.
// Whatever is wrong with the cache is a miss. Of all processes that share the
// cache one compiles and the others wait for it, but not for ever.
func obtain[T any](ctx context.Context, e *Engine, a *artefact[T]) (T, error) {
	began := time.Now()
	value, err := lookUp(ctx, e, a)
	if err != nil {
		release, had := e.store.Claim(ctx, a.info.Key, e.options.Cache.wait())
		defer release()
		if had {
			if again, missed := lookUp(ctx, e, a); missed == nil {
				value, err = again, nil
			}
		}
	}
	lookup := CacheLookup{Key: a.info.Key, Kernel: a.info.Kernel, Hit: err == nil, Duration: time.Since(began)}
	if err != nil {
		lookup.Reason = missReason(err)
	}
	e.looked(lookup)
	if err == nil {
		return value, nil
	}

	value, data, err := produce(ctx, e, a)
	if err != nil {
		return value, err
	}
	if err := e.store.Put(ctx, a.info.Key, cache.Item{Value: data, Label: a.label, Detail: a.detail()}); err != nil && ctx.Err() == nil {
		e.warn("put", fmt.Errorf("keeping a compiled kernel: %w", err))
	}
	return value, nil
}

func lookUp[T any](ctx context.Context, e *Engine, a *artefact[T]) (value T, err error) {
	item, err := e.store.Get(ctx, a.info.Key)
	if err != nil {
		return value, err
	}
	return a.decode(item.Value)
}

func missReason(err error) string {
	if reason := cache.MissReason(err); reason != "" {
		return string(reason)
	}
	return err.Error()
}

func (e *Engine) looked(l CacheLookup) {
	if l.Kernel != "" {
		if l.Hit {
			e.stats.hits.Add(1)
		} else {
			e.stats.misses.Add(1)
		}
	}
	if e.options.Events.CacheLookup != nil {
		e.options.Events.CacheLookup(l)
	}
}

func produce[T any](ctx context.Context, e *Engine, a *artefact[T]) (value T, data []byte, err error) {
	result := CompileResult{CompileInfo: a.info}
	observe := func(event compile.Event) {
		if event.Warning != nil {
			e.warn("dump", event.Warning)
			return
		}
		result.Stages = append(result.Stages, StageTime{string(event.Stage), event.Duration})
	}
	if e.options.Events.CompileBegin != nil {
		e.options.Events.CompileBegin(a.info)
	}
	began := time.Now()
	value, err = compileWith(e, observe, func(c compiler) (T, error) { return a.make(ctx, c) })
	if err == nil {
		data = a.encode(value)
	}
	result.Duration, result.Bytes, result.Err = time.Since(began), len(data), err
	if im, ok := any(value).(*image.Image); ok && err == nil {
		result.Remarks = im.Remarks
	}
	switch {
	case err != nil && !errors.Is(err, context.Canceled):
		e.stats.compileErrors.Add(1)
	case err == nil && a.info.Kernel == "":
		e.stats.summaries.Add(1)
	case err == nil:
		e.stats.compiles.Add(1)
		e.stats.compileTime.Add(int64(result.Duration))
	}
	if e.options.Events.CompileEnd != nil {
		e.options.Events.CompileEnd(result)
	}
	return value, data, err
}

// summarise returns m's summary, from the cache or through LLVM.
func (e *Engine) summarise(ctx context.Context, m *Module) (*image.Summary, error) {
	toolchain, err := e.toolchain()
	if err != nil {
		return nil, err
	}
	key := cache.Key(compile.SummaryDigest(m.digest, toolchain))
	return e.summaries.do(e.base, ctx, key, func(ctx context.Context) (*image.Summary, error) {
		return obtain(ctx, e, &artefact[*image.Summary]{
			info:   CompileInfo{Key: key},
			label:  "summary " + m.name,
			detail: func() string { return compile.DescribeSummary(m.digest, toolchain) },
			decode: image.UnmarshalSummary,
			encode: (*image.Summary).Marshal,
			make: func(ctx context.Context, c compiler) (*image.Summary, error) {
				return c.Summarise(ctx, m.data)
			},
		})
	})
}

// variablesName stands for a kernel's name in reports on the image of a module's variables.
const variablesName = "(variables)"

// image returns the image that r asks for.
func (e *Engine) image(ctx context.Context, r compile.Request) (*image.Image, error) {
	key := cache.Key(r.Digest())
	e.record(&r)
	name := r.Kernel
	if r.Variables {
		name = variablesName
	}
	return e.images.do(e.base, ctx, key, func(ctx context.Context) (*image.Image, error) {
		return obtain(ctx, e, &artefact[*image.Image]{
			info:   CompileInfo{Kernel: name, Target: r.Target.String(), Key: key},
			label:  fmt.Sprintf("image %s %s/%s", name, r.Target.Arch(), r.Target.Processor),
			detail: func() string { return describe(&r) },
			decode: image.UnmarshalImage,
			encode: (*image.Image).Marshal,
			make: func(ctx context.Context, c compiler) (*image.Image, error) {
				return c.Compile(ctx, r)
			},
		})
	})
}

// Compile returns the image a request asks for, from the cache where it is
// there. Requests for targets other than the engine's device go as well.
func (e *Engine) Compile(ctx context.Context, r compile.Request) (*image.Image, error) {
	if e.closed.Load() {
		return nil, ErrClosed
	}
	return e.image(ctx, r)
}

// Tools returns what images for a target are made with beside LLVM, for requests
// to [Engine.Compile] to carry; see [compile.Compiler.Tools]. It is zero for a CPU.
func (e *Engine) Tools(t target.Target) (compile.Tools, error) {
	c, err := e.compiler()
	if err != nil {
		return compile.Tools{}, err
	}
	return c.Tools(t)
}

func describe(r *compile.Request) string {
	var b strings.Builder
	// A Builder takes everything.
	_ = r.Describe(&b)
	return b.String()
}
