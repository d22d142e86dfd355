package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

var processes = benchmark{
	name:  "process",
	title: "New process, disk cache filled",
	how: "A whole process, from exec to its end: a Go program that launches saxpy on 1,024 elements from a bitcode file, " +
		"the command line that does the same, and a Go program that imports purego and does nothing.",
	run: runProcesses,
}

func runProcesses(ctx context.Context, b *bench) ([]row, error) {
	programs := map[string]string{"empty": "./bench/process/empty", "first": "./bench/process/first", "kiln": "./cmd/kiln"}
	for name, pkg := range programs {
		build := exec.CommandContext(ctx, setup(ctx, "go"), "build", "-o", filepath.Join(b.dir, name), pkg)
		build.Env = append(build.Environ(), "CGO_ENABLED=0")
		if log, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("building %s: %w\n%s", pkg, err, log)
		}
	}
	cache := filepath.Join(b.dir, "process-cache")
	bitcode := filepath.Join("testdata", "spmd", "bench.sm_80.raw.bc")
	start := func(name string, args ...string) func() error {
		return func() error {
			command := exec.CommandContext(ctx, filepath.Join(b.dir, name), args...)
			command.Env = append(command.Environ(), "KILN_CACHE_DIR="+cache)
			if out, err := command.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", name, err, out)
			}
			return nil
		}
	}
	empty := start("empty")
	first := start("first", cache, bitcode)
	cli := start("kiln", "run", bitcode, "saxpy", "--grid", "16", "--block", "64",
		"out:f32[1024]=rand", "f32[1024]=rand", "f32=2", "i32=1024")
	for _, fill := range []func() error{first, cli} {
		if err := fill(); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) == 0 {
		return nil, fmt.Errorf("the cache folder stays empty: %v", err)
	}
	times, err := interleave(b.rounds(200, 10), empty, first, cli)
	if err != nil {
		return nil, err
	}
	floor := []rival{{Name: "floor: empty program", Sample: scaled(times[0], "ms")}}
	return []row{
		row{Work: "library program", Unit: "ms", Kiln: scaled(times[1], "ms"), Against: floor}.times(1.3, median, floor[0].Name),
		row{Work: "`kiln run`", Unit: "ms", Kiln: scaled(times[2], "ms"), Against: floor}.times(2.5, median, floor[0].Name),
	}, nil
}
