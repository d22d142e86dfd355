package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/bench/workload"
	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/disk"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/device/cpu"
	"github.com/kilnjit/kiln/image"
)

var loading = benchmark{
	name:  "load",
	title: "Load of an image from the disk cache",
	how: "Entry read and checked, image decoded, code mapped, relocated and sealed, entry found; in one process, the file " +
		"in the page cache. The floor reads the same file and takes its SHA-256.",
	run: runLoading,
}

func runLoading(ctx context.Context, b *bench) ([]row, error) {
	dir := filepath.Join(b.dir, "load-cache")
	im, key, err := imageNear(ctx, dir, 10<<10)
	if err != nil {
		return nil, err
	}
	store, err := disk.Open(disk.Options{Dir: dir, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	d, err := cpu.Open(cpu.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	file, err := entryFile(ctx, store, key)
	if err != nil {
		return nil, err
	}

	var libraries []device.Library
	load := func() error {
		item, err := store.Get(ctx, key)
		if err != nil {
			return err
		}
		loaded, err := image.UnmarshalImage(item.Value)
		if err != nil {
			return err
		}
		library, err := d.Load(ctx, loaded)
		libraries = append(libraries, library)
		return err
	}
	var digest [32]byte
	floor := func() error {
		data, err := os.ReadFile(file)
		digest = sha256.Sum256(data)
		return err
	}
	rounds := b.rounds(2000, 50)
	times, err := interleave(rounds, load, floor)
	if err != nil {
		return nil, err
	}
	if digest == ([32]byte{}) || len(libraries) != rounds {
		return nil, fmt.Errorf("%d images loaded, want %d", len(libraries), rounds)
	}
	next := 0
	closing, err := interleave(rounds, func() error { next++; return libraries[next-1].Close() })
	if err != nil {
		return nil, err
	}
	work := fmt.Sprintf("image of %.1f KiB (%s)", float64(len(im.Marshal()))/1024, im.Kernel)
	return []row{
		row{Work: work, Unit: "µs", Kiln: scaled(times[0], "µs"),
			Against: []rival{{Name: "floor: read and SHA-256", Sample: scaled(times[1], "µs")}}}.atMost(60, median),
		{Work: "closing it", Unit: "µs", Kiln: scaled(closing[0], "µs")},
	}, nil
}

// imageNear compiles kernels into the disk cache in dir and returns the image
// whose encoding is nearest to size bytes.
func imageNear(ctx context.Context, dir string, size int) (*image.Image, cache.Key, error) {
	var (
		best *image.Image
		key  cache.Key
		off  int
	)
	set, err := workload.Load("testdata/spmd", workload.Small)
	if err != nil {
		return nil, key, err
	}
	keys := map[string]cache.Key{}
	engine, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Dir: dir}, Events: kiln.Events{
		CompileEnd: func(r kiln.CompileResult) { keys[r.Kernel] = r.Key },
	}})
	if err != nil {
		return nil, key, err
	}
	defer engine.Close()
	for _, name := range gpuKernels {
		module, err := engine.Load(ctx, kiln.File(set.Image("sm_80.raw")))
		if err != nil {
			return nil, key, err
		}
		kernel, err := module.Kernel(name)
		if err != nil {
			return nil, key, err
		}
		if err := kernel.Launch(ctx, set.Kernel(name).Make().Launch(false)...); err != nil {
			return nil, key, err
		}
	}
	store, err := disk.Open(disk.Options{Dir: dir, ReadOnly: true})
	if err != nil {
		return nil, key, err
	}
	defer store.Close()
	for _, name := range gpuKernels {
		item, err := store.Get(ctx, keys[name])
		if err != nil {
			return nil, key, err
		}
		im, err := image.UnmarshalImage(item.Value)
		if err != nil {
			return nil, key, err
		}
		if d := max(len(item.Value)-size, size-len(item.Value)); best == nil || d < off {
			best, key, off = im, keys[name], d
		}
	}
	return best, key, nil
}

// entryFile finds the file of an entry.
func entryFile(ctx context.Context, store *disk.Store, key cache.Key) (string, error) {
	for info, err := range store.List(ctx) {
		if err != nil {
			return "", err
		}
		if info.Key == key {
			return info.Place, nil
		}
	}
	return "", fmt.Errorf("no file of %s in %s", key, store.Dir())
}
