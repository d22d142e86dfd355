package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/kilnjit/kiln/cache/disk"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/worker"
	"github.com/kilnjit/kiln/device/cpu"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

var caching = benchmark{
	name:  "cache",
	title: "Cache of one machine",
	how: "Entry read, checked, loaded and closed, in a folder with ten entries and in a full one; processes that start at once " +
		"on an empty cache and use the same kernels, against one of them alone on the same cores; a compile in a worker process " +
		"that is up, less the same compile in the process itself; the command line on an empty cache.",
	run: runCaching,
}

func runCaching(ctx context.Context, b *bench) ([]row, error) {
	for name, pkg := range map[string]string{"many": "./bench/process/many", "kiln": "./cmd/kiln"} {
		if err := b.build(ctx, name, pkg); err != nil {
			return nil, err
		}
	}
	var rows []row
	for _, part := range []func(context.Context, *bench) ([]row, error){cacheHits, coldProcesses, inWorker, coldCommand} {
		more, err := part(ctx, b)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// build builds a program into the benchmark's folder.
func (b *bench) build(ctx context.Context, name, pkg string) error {
	build := exec.CommandContext(ctx, setup(ctx, "go"), "build", "-o", filepath.Join(b.dir, name), pkg)
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if log, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, log)
	}
	return nil
}

// cacheHits measures a hit with few and with many entries beside it.
func cacheHits(ctx context.Context, b *bench) ([]row, error) {
	few, many := filepath.Join(b.dir, "cache-few"), filepath.Join(b.dir, "cache-many")
	entries := b.rounds(100_000, 1_000)
	d, err := cpu.Open(cpu.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var loads []func() error
	for _, dir := range []string{few, many} {
		_, key, err := imageNear(ctx, dir, 10<<10)
		if err != nil {
			return nil, err
		}
		if dir == many {
			if err := crowd(dir, entries); err != nil {
				return nil, err
			}
		}
		store, err := disk.Open(disk.Options{Dir: dir, ReadOnly: true})
		if err != nil {
			return nil, err
		}
		defer store.Close()
		loads = append(loads, func() error {
			item, err := store.Get(ctx, key)
			if err != nil {
				return err
			}
			im, err := image.UnmarshalImage(item.Value)
			if err != nil {
				return err
			}
			library, err := d.Load(ctx, im)
			if err != nil {
				return err
			}
			return library.Close()
		})
	}
	times, err := interleave(b.rounds(4000, 20), loads...)
	if err != nil {
		return nil, err
	}
	fewTimes := rival{Name: "few entries", Sample: scaled(times[0], "µs")}
	return []row{
		row{Work: "hit, 10 KiB image, few entries", Unit: "µs", Kiln: scaled(times[0], "µs")}.atMost(60, median),
		row{Work: fmt.Sprintf("hit, 10 KiB image, %d entries", entries), Unit: "µs", Kiln: scaled(times[1], "µs"), Against: []rival{fewTimes}}.times(1.1, median, fewTimes.Name),
	}, nil
}

// crowd fills the folder with files of entries of other keys: that nobody asks
// for them is all that counts here.
func crowd(dir string, entries int) error {
	rnd := rand.NewChaCha8([32]byte{1})
	for made := 0; made < entries; {
		var prefix [1]byte
		_, _ = rnd.Read(prefix[:])
		folder := filepath.Join(dir, hex.EncodeToString(prefix[:]))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		first := ""
		for i := 0; i < 300 && made < entries; i, made = i+1, made+1 {
			var rest [31]byte
			_, _ = rnd.Read(rest[:])
			name := filepath.Join(folder, hex.EncodeToString(prefix[:])+hex.EncodeToString(rest[:])+".kiln")
			var err error
			if first == "" {
				first, err = name, os.WriteFile(name, make([]byte, 4000), 0o600)
			} else {
				err = os.Link(first, name)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	coldKernels = 50
	coldStarts  = 8
)

// coldProcesses measures processes that need the same kernels at the same time.
func coldProcesses(ctx context.Context, b *bench) ([]row, error) {
	number := 0
	start := func(processes int) func() error {
		return func() error {
			number++
			dir := filepath.Join(b.dir, fmt.Sprintf("cold-%d", number))
			defer os.RemoveAll(dir)
			commands, outs := make([]*exec.Cmd, processes), make([]bytes.Buffer, processes)
			for i := range commands {
				commands[i] = exec.CommandContext(ctx, filepath.Join(b.dir, "many"), dir, strconv.Itoa(coldKernels))
				commands[i].Stdout, commands[i].Stderr = &outs[i], &outs[i]
				if err := commands[i].Start(); err != nil {
					return err
				}
			}
			var failed error
			compiles := 0
			for i, c := range commands {
				if err := c.Wait(); err != nil {
					failed = errors.Join(failed, fmt.Errorf("%w: %s", err, outs[i].Bytes()))
				}
				n, err := strconv.Atoi(string(bytes.TrimSpace(outs[i].Bytes())))
				failed = errors.Join(failed, err)
				compiles += n
			}
			if failed == nil && compiles != coldKernels {
				failed = fmt.Errorf("%d processes compiled %d kernels, want %d", processes, compiles, coldKernels)
			}
			return failed
		}
	}
	times, err := interleave(b.rounds(15, 1), start(coldStarts), start(1))
	if err != nil {
		return nil, err
	}
	one := rival{Name: "one process", Sample: scaled(times[1], "ms")}
	return []row{row{
		Work: fmt.Sprintf("%d processes, cold, %d kernels", coldStarts, coldKernels), Unit: "ms",
		Kiln: scaled(times[0], "ms"), Against: []rival{one},
	}.times(1.3, median, one.Name)}, nil
}

// inWorker measures what a compile in another process takes longer.
func inWorker(ctx context.Context, b *bench) ([]row, error) {
	here, err := compile.New(compile.Config{})
	if err != nil {
		return nil, err
	}
	defer here.Close()
	pool, err := worker.New(worker.Options{Path: filepath.Join(b.dir, "kiln"), Processes: 1})
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	native, err := target.Native()
	if err != nil {
		return nil, err
	}
	module, err := os.ReadFile(filepath.Join("testdata", "spmd", "bench.sm_80.raw.bc"))
	if err != nil {
		return nil, err
	}
	r := compile.Request{Module: module, Kernel: "saxpy", Target: native.Narrow(here.LLVMMajor()), Toolchain: here.Toolchain()}
	r.Spec.Block = [3]uint32{256, 1, 1}
	there := func() error { _, err := pool.Compile(ctx, r); return err }
	inside := func() error { _, err := here.Compile(ctx, r); return err }
	if _, err := interleave(3, there, inside); err != nil {
		return nil, err
	}
	times, err := interleave(b.rounds(200, 5), there, inside)
	if err != nil {
		return nil, err
	}
	more := make([]float64, len(times[0]))
	for i := range more {
		more[i] = times[0][i] - times[1][i]
	}
	return []row{row{
		Work: "compile in a worker, more than in process", Unit: "ms", Kiln: scaled(more, "ms"),
		Against: []rival{{Name: "in process", Sample: scaled(times[1], "ms")}, {Name: "in a worker", Sample: scaled(times[0], "ms")}},
	}.atMost(1, median)}, nil
}

// coldCommand measures the command line without a cache, which compiles in a
// process that it starts.
func coldCommand(ctx context.Context, b *bench) ([]row, error) {
	run := func(compiler string) func() error {
		return func() error {
			c := exec.CommandContext(ctx, filepath.Join(b.dir, "kiln"), "run", filepath.Join("testdata", "spmd", "bench.sm_80.raw.bc"), "saxpy",
				"--grid", "16", "--block", "64", "out:f32[1024]=rand", "f32[1024]=rand", "f32=2", "i32=1024")
			c.Env = append(c.Environ(), "KILN_CACHE=off", "KILN_COMPILER="+compiler)
			if out, err := c.CombinedOutput(); err != nil {
				return fmt.Errorf("%w\n%s", err, out)
			}
			return nil
		}
	}
	times, err := interleave(b.rounds(40, 2), run(""), run("in-process"))
	if err != nil {
		return nil, err
	}
	return []row{{
		Work: "`kiln run` without a cache", Unit: "ms", Kiln: scaled(times[0], "ms"),
		Against: []rival{{Name: "compiling in process", Sample: scaled(times[1], "ms")}},
	}}, nil
}
