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
		"specialisation found, kernel run under the fault guard; *arguments made before* gives the same ones again. With 1,000 specialisations each launch wants another one. " +
		"The floor is the bare call of the kernel's machine code from Go, of as many copies of it.",
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
			t, err := timeLaunches(ctx, b, kind.code, kind.shape, n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind.name, err)
			}
			r := row{
				Work: fmt.Sprintf("%s, %d specialisations", kind.name, n), Unit: "ns", Kiln: t.ours,
				Against: []rival{{Name: "floor: call from Go", Sample: t.floor}, {Name: "arguments made before", Sample: t.again}},
				Note:    fmt.Sprintf("%d allocations in %d launches", t.allocated, batch),
			}.atMost(limit, least)
			r.Target += ", no allocation"
			if t.allocated > 0 {
				r.Judged = r.Limit + float64(t.allocated)
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// launchTimes is ns a launch: from arguments on, with the same arguments
// again, and the bare call.
type launchTimes struct {
	ours, again, floor sample
	allocated          uint64 // in a batch
}

func timeLaunches(ctx context.Context, b *bench, code []byte, shape []kiln.LaunchArg, n int) (t launchTimes, err error) {
	engine, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}})
	if err != nil {
		return t, err
	}
	defer engine.Close()
	k, err := kernelOf(ctx, engine, "nothing.ll", code, "nothing")
	if err != nil {
		return t, err
	}
	entries, unload, err := bareEntries(ctx, engine, code, n)
	if err != nil {
		return t, err
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
		if err := launch(i); err != nil {
			return t, err
		}
	}
	if got := engine.Stats().Specialisations; got != int64(n) {
		return t, fmt.Errorf("%d specialisations, want %d", got, n)
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
	args := append([]kiln.LaunchArg{kiln.Arg(p), kiln.Const(int32(0)), kiln.Const(int32(2)), kiln.Const(int32(3)), kiln.Const(float32(4))}, shape...)
	again := func() error {
		for range batch {
			if err := k.Launch(ctx, args...); err != nil {
				return err
			}
		}
		return nil
	}
	next := 0
	calls := func() error {
		for range batch {
			entries[next]()
			if next++; next == n {
				next = 0
			}
		}
		return nil
	}
	times, err := interleave(b.rounds(200, 10), launches, again, calls)
	if err != nil {
		return t, err
	}
	if t.allocated, err = allocations(launches); err != nil {
		return t, err
	}
	for _, values := range times {
		for i := range values {
			values[i] /= batch
		}
	}
	t.ours, t.again, t.floor = sampleOf(times[0]), sampleOf(times[1]), sampleOf(times[2])
	return t, nil
}

// allocations counts those of f; a few are the runtime's, in the background.
func allocations(f func() error) (uint64, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := f()
	runtime.ReadMemStats(&after)
	if n := after.Mallocs - before.Mallocs; n >= 20 {
		return n, err
	}
	return 0, err
}

// bareEntries compiles the kernel, loads it n times, and returns functions that
// do nothing but call one of the entries, over no groups.
func bareEntries(ctx context.Context, engine *kiln.Engine, code []byte, n int) (entries []func(), unload func(), err error) {
	compiler, err := compile.New(compile.Config{})
	if err != nil {
		return nil, nil, err
	}
	im, err := engine.Compile(ctx, compile.Request{
		Module: code, Kernel: "nothing", Target: engine.Device().Target().Narrow(compiler.LLVMMajor()), Toolchain: compiler.Toolchain(),
	})
	if err != nil {
		return nil, nil, err
	}
	object, err := elfload.Parse(im.Payload)
	if err != nil {
		return nil, nil, err
	}
	var images []*elfload.Image
	unload = func() {
		for _, loaded := range images {
			loaded.Close()
		}
	}
	for range n {
		loaded, err := object.Load(elfload.Options{})
		if err != nil {
			unload()
			return nil, nil, err
		}
		images = append(images, loaded)
		entry, ok := loaded.Symbol(im.Entry)
		if !ok {
			unload()
			return nil, nil, fmt.Errorf("the image has no entry %q", im.Entry)
		}
		entries = append(entries, entryCall(entry))
	}
	return entries, unload, nil
}
