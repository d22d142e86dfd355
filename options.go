package kiln

import (
	"cmp"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/device/cpu"
)

// Options configure an engine. The zero value is the CPU device with all its
// cores, -O3, a memory cache and a disk cache in the user's cache folder.
type Options struct {
	// Device runs the kernels; it stays the caller's and is not closed by the
	// engine. Nil means a CPU device of the engine's own.
	Device device.Device
	// Workers is how many threads the engine's own CPU device uses; 0 means
	// as many as the process may run on.
	Workers int
	// Names says which tools learn the names of the kernels that the engine's own
	// CPU device runs: perf, gdb. The zero value says none and costs nothing.
	Names cpu.Names
	// LLVM is the path of a libLLVM shared library; empty means the newest
	// installed one that kiln supports.
	LLVM string
	// Tools says where assemblers and device libraries for GPUs are looked for,
	// beside the usual places. Code for a CPU needs none.
	Tools tool.Search
	// Compile steers optimisation of every kernel that has no options of its own.
	Compile compile.Options
	// Cache says where compiled images are kept.
	Cache CacheOptions
	// Worker says when and how kernels are compiled in child processes.
	Worker WorkerOptions
	// DumpDir, when set, receives one numbered file a stage for every compile.
	DumpDir string
	// Record is a folder in which each kernel that is compiled or found in a
	// cache is written down with its module, for "kiln cache warm". Empty means
	// none.
	Record string
	// Events are told of compiles, cache look-ups and warnings.
	Events Events
}

// CacheOptions say where compiled images are kept. The zero value is memory
// and the user's cache folder.
type CacheOptions struct {
	// Dir is the disk cache's folder; empty means "kiln" in the user's cache folder.
	Dir string
	// Off keeps everything in memory.
	Off bool
	// ReadOnly uses what is on disk and writes nothing.
	ReadOnly bool
	// MaxBytes bounds the disk cache, MemoryBytes the memory cache; 0 means their defaults.
	MaxBytes, MemoryBytes int64
	// System is a folder that an administrator has filled for all users, by
	// "kiln cache import" or "kiln cache warm": it is asked after Dir and never
	// written to. Empty means /var/cache/kiln, where it is there.
	System string
	// NoSystem leaves it out.
	NoSystem bool
	// Wait bounds how long a kernel that another process compiles for the same
	// disk cache is waited for; then this one compiles it too. 0 means 10 s, a
	// negative time no waiting.
	Wait time.Duration
	// Further are stores behind the others, nearest first, such as remote ones.
	// One that is not local is bounded by a cache.Guarded of default options,
	// unless it is one. The engine closes them with itself.
	Further []cache.Store
}

func (o *CacheOptions) wait() time.Duration { return cmp.Or(o.Wait, 10*time.Second) }
