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
// whose encoding is nearest to size bytes, with its key.
func imageNear(ctx context.Context, dir string, size int) (*image.Image, cache.Key, error) {
	var keys []cache.Key
	if err := fillCache(ctx, dir, func(r kiln.CompileResult) {
		if r.Kernel != "" && r.Err == nil {
			keys = append(keys, r.Key)
		}
	}); err != nil {
		return nil, cache.Key{}, err
	}
	store, err := disk.Open(disk.Options{Dir: dir, ReadOnly: true})
	if err != nil {
		return nil, cache.Key{}, err
	}
	defer store.Close()
	var best []byte
	var key cache.Key
	for _, k := range keys {
		item, err := store.Get(ctx, k)
		if err != nil {
			return nil, key, err
		}
		off := func(b []byte) int { return max(len(b)-size, size-len(b)) }
		if best == nil || off(item.Value) < off(best) {
			best, key = item.Value, k
		}
	}
	im, err := image.UnmarshalImage(best)
	return im, key, err
}

// fillCache compiles all kernels of all images, as they are and specialised.
func fillCache(ctx context.Context, dir string, compiled func(kiln.CompileResult)) error {
	set, err := workload.Load("testdata/spmd", workload.Small)
	if err != nil {
		return err
	}
	engine, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Dir: dir}, Events: kiln.Events{CompileEnd: compiled}})
	if err != nil {
		return err
	}
	defer engine.Close()
	for _, target := range []string{"sm_80.raw", "gfx90a.raw", "x86_64"} {
		module, err := engine.Load(ctx, kiln.File(set.Image(target)))
		if err != nil {
			return err
		}
		for _, name := range gpuKernels {
			kernel, err := module.Kernel(name)
			if err != nil {
				return err
			}
			input := set.Kernel(name).Make()
			for _, constant := range []bool{false, true} {
				if err := kernel.Launch(ctx, input.Launch(constant)...); err != nil {
					return err
				}
			}
		}
	}
	return nil
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
