package kiln

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/disk"
	"github.com/kilnjit/kiln/cache/memory"
	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/internal/envconf"
)

// openStores sets up the tiers. A disk cache that cannot be had is left out
// with a warning.
func (e *Engine) openStores() {
	o := &e.options.Cache
	stores := []cache.Store{memory.New(memory.Options{MaxBytes: o.MemoryBytes})}
	if !o.Off {
		if d, err := openDisk(o); err != nil {
			e.warn("disk", fmt.Errorf("no disk cache, kernels are compiled anew by each process: %w", err))
		} else {
			stores = append(stores, d)
		}
	}
	if !o.Off && !o.NoSystem {
		switch d, err := openSystem(o.System); {
		case err == nil:
			stores = append(stores, d)
		case o.System != "" || !errors.Is(err, fs.ErrNotExist):
			e.warn("system", fmt.Errorf("no system-wide cache: %w", err))
		}
	}
	for _, s := range o.Further {
		stores = append(stores, guarded(s))
	}
	e.store = cache.NewTiered(stores...)
}

// guarded bounds what a store that is not on this machine can cost when it hangs.
func guarded(s cache.Store) cache.Store {
	if _, is := s.(*cache.Guarded); is {
		return s
	}
	if l, ok := s.(cache.Local); ok && l.Local() {
		return s
	}
	return cache.NewGuarded(s, cache.GuardOptions{})
}

// systemDir is where an administrator may put a cache for all users.
const systemDir = "/var/cache/kiln"

func openSystem(dir string) (cache.Store, error) {
	return disk.Open(disk.Options{Dir: cmp.Or(dir, systemDir), ReadOnly: true})
}

func openDisk(o *CacheOptions) (cache.Store, error) {
	dir := o.Dir
	if dir == "" {
		var err error
		if dir, err = envconf.CacheDir(envconf.Process()); err != nil {
			return nil, err
		}
	}
	return disk.Open(disk.Options{Dir: dir, MaxBytes: o.MaxBytes, ReadOnly: o.ReadOnly})
}

// OptionsFromEnvironment returns the options that the KILN_* variables ask
// for, with the places of tools that CUDA_ROOT, ROCM_PATH, PATH and their like
// name. An engine reads none of them by itself, but for the user's cache folder.
func OptionsFromEnvironment() (Options, error) {
	c, err := envconf.Parse(envconf.Process())
	if err != nil {
		return Options{}, err
	}
	return Options{
		Worker:  WorkerOptions{Path: c.Compiler, Always: c.Compiler != "", Time: c.CompileTime, Memory: c.CompileMemory},
		LLVM:    c.LLVM,
		Workers: c.Workers,
		DumpDir: c.Dump,
		Record:  c.Record,
		Tools:   tool.Search{CUDA: c.CUDA, ROCm: c.ROCm, Path: c.Path, Assembler: c.Assembler},
		Cache: CacheOptions{
			Dir:      c.CacheDir,
			MaxBytes: c.CacheMax,
			Off:      c.Cache == envconf.CacheOff,
			ReadOnly: c.Cache == envconf.CacheReadOnly,
			System:   c.CacheSystem,
			NoSystem: c.NoCacheSystem,
		},
	}, nil
}
