package main

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/kilnjit/kiln"
)

//go:embed kernels/spin.ll
var spinKernel []byte

var waking = benchmark{
	name:  "wake",
	title: "A second worker joins a launch",
	how: "Launches 50 µs apart of 4 groups of 100 µs on two threads. Each group notes the processor's tick counter as it " +
		"begins; what counts is the time from before the launch, in Go, to the first group on the second thread.",
	run: runWaking,
}

func runWaking(ctx context.Context, b *bench) ([]row, error) {
	if runtime.NumCPU() < 2 {
		return []row{row{Work: "second thread's first group", Unit: "µs", Note: "this machine has one processor"}.atMost(1, median)}, nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	engine, err := kiln.Open(kiln.Options{Workers: 2, Cache: kiln.CacheOptions{Off: true}})
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	spin, err := kernelOf(ctx, engine, "spin.ll", spinKernel, "spin")
	if err != nil {
		return nil, err
	}
	clock, err := kernelOf(ctx, engine, "now.ll", nothingHost, "now")
	if err != nil {
		return nil, err
	}
	var tick int64
	now := func() int64 {
		if clock.Launch(ctx, kiln.Result(&tick)) != nil {
			return 0
		}
		return tick
	}
	began, t := time.Now(), now()
	time.Sleep(50 * time.Millisecond)
	rate := float64(now()-t) / float64(time.Since(began)) // ticks a ns
	if !(rate > 0) {
		return nil, fmt.Errorf("the tick counter stands still")
	}

	const group = 100_000 // ns
	var starts [4]int64
	launch := func() error {
		return spin.Launch(ctx, kiln.Grid(4), kiln.Block(1), kiln.Arg(&starts), kiln.Arg(int64(group*rate)))
	}
	var wakes []float64
	alone := 0
	for i := range b.rounds(5000, 300) {
		for pause := now(); float64(now()-pause) < 50_000*rate; {
		}
		start := now()
		if err := launch(); err != nil {
			return nil, err
		}
		if i < 20 { // until the device knows how long a group takes
			continue
		}
		order := slices.Sorted(slices.Values(starts[:]))
		if wake := float64(order[1]-start) / rate; wake < group {
			wakes = append(wakes, wake)
		} else {
			alone++
		}
	}
	r := row{Work: "second thread's first group", Unit: "µs", Kiln: scaled(wakes, "µs")}.atMost(1, median)
	r.Note = fmt.Sprintf("%d of %d launches found no second thread, as when something else has its processor", alone, alone+len(wakes))
	return []row{r}, nil
}

func kernelOf(ctx context.Context, engine *kiln.Engine, name string, code []byte, kernel string) (*kiln.Kernel, error) {
	module, err := engine.Load(ctx, kiln.Bytes(name, code))
	if err != nil {
		return nil, err
	}
	return module.Kernel(kernel)
}
