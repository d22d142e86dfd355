package main

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/internal/elfload"
)

var (
	//go:embed kernels/nothing.ll
	nothingGrid []byte
	//go:embed kernels/nothing_host.ll
	nothingHost []byte
)

var launching = benchmark{
	name:  "launch",
	title: "Warm launch of an empty kernel",
	how: "`Kernel.Launch` from Go with a pointer and four numbers that are specialised on, one group: arguments made, " +
		"specialisation found, kernel run under the fault guard. With 1,000 specialisations each launch wants another one. " +
		"The floor is the bare call of the kernel's machine code from Go.",
	run: runLaunching,
}

const batch = 20000 // launches a measurement

func runLaunching(ctx context.Context, b *bench) ([]row, error) {
	var rows []row
	for _, kind := range []struct {
		name  string
		code  []byte
		shape []kiln.LaunchArg
	}{
		{"GPU kernel", nothingGrid, []kiln.LaunchArg{kiln.Grid(1), kiln.Block(64)}},
		{"host function", nothingHost, nil},
	} {
		for _, n := range []int{1, b.rounds(1000, 50)} {
			limit := 80.0
			if n > 1 {
				limit = 100
			}
			ours, floor, allocated, err := timeLaunches(ctx, b, kind.code, kind.shape, n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind.name, err)
			}
			r := row{
				Work: fmt.Sprintf("%s, %d specialisations", kind.name, n), Unit: "ns", Kiln: ours,
				Against: []rival{{Name: "floor: call from Go", Sample: floor}},
				Note:    fmt.Sprintf("%d allocations in %d launches", allocated, batch),
			}.atMost(limit, median)
			if allocated > 0 {
				r.Target += ", no allocation"
				r.Judged = r.Limit + float64(allocated)
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// timeLaunches returns ns a launch and a bare call, and the allocations of a batch.
func timeLaunches(ctx context.Context, b *bench, code []byte, shape []kiln.LaunchArg, n int) (ours, floor sample, allocated uint64, err error) {
	engine, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}})
	if err != nil {
		return
	}
	defer engine.Close()
	module, err := engine.Load(ctx, kiln.Bytes("nothing.ll", code))
	if err != nil {
		return
	}
	k, err := module.Kernel("nothing")
	if err != nil {
		return
	}
	call, unload, err := bareCall(ctx, engine, code)
	if err != nil {
		return
	}
	defer unload()

	p := make([]byte, 8)
	launch := func(i int) error {
		return k.Launch(ctx, kiln.Arg(p), kiln.Const(int32(i)), kiln.Const(int32(2)), kiln.Const(int32(3)), kiln.Const(float32(4)))
	}
	if shape != nil {
		launch = func(i int) error {
			return k.Launch(ctx, kiln.Arg(p), kiln.Const(int32(i)), kiln.Const(int32(2)), kiln.Const(int32(3)), kiln.Const(float32(4)), shape[0], shape[1])
		}
	}
	for i := range n {
		if err = launch(i); err != nil {
			return
		}
	}
	if got := engine.Stats().Specialisations; got != int64(n) {
		err = fmt.Errorf("%d specialisations, want %d", got, n)
		return
	}
	i := 0
	launches := func() error {
		for range batch {
			if err := launch(i); err != nil {
				return err
			}
			if i++; i == n {
				i = 0
			}
		}
		return nil
	}
	calls := func() error {
		for range batch {
			call()
		}
		return nil
	}
	times, err := interleave(b.rounds(200, 10), launches, calls)
	if err != nil {
		return
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err = launches(); err != nil {
		return
	}
	runtime.ReadMemStats(&after)
	allocated = after.Mallocs - before.Mallocs
	if allocated < 20 { // the runtime's own, in the background
		allocated = 0
	}
	for _, t := range times {
		for i := range t {
			t[i] /= batch
		}
	}
	return sampleOf(times[0]), sampleOf(times[1]), allocated, nil
}

// bareCall compiles the kernel and returns a function that does nothing but
// call its entry, over no groups.
func bareCall(ctx context.Context, engine *kiln.Engine, code []byte) (call func(), unload func() error, err error) {
	compiler, err := compile.New(compile.Config{})
	if err != nil {
		return nil, nil, err
	}
	im, err := engine.Compile(ctx, compile.Request{
		Module: code, Kernel: "nothing", Target: engine.Device().Target().Narrow(compiler.LLVMMajor()), Toolchain: compiler.Toolchain(),	})
	if err != nil {
		return nil, nil, err
	}
	object, err := elfload.Parse(im.Payload)
	if err != nil {
		return nil, nil, err
	}
	loaded, err := object.Load(elfload.Options{})
	if err != nil {
		return nil, nil, err
	}
	entry, ok := loaded.Symbol(im.Entry)
	if !ok {
		return nil, nil, fmt.Errorf("the image has no entry %q", im.Entry)
	}
	return entryCall(entry), loaded.Close, nil
}
