package kiln

import (
	"time"

	"github.com/kilnjit/kiln/cache"
)

// Events are the callbacks of an engine; nil ones are skipped. They are called
// on the goroutine that does the work, possibly from several at once, and
// must not call back into the engine.
type Events struct {
	// CompileBegin is called before LLVM sees a module.
	CompileBegin func(CompileInfo)
	// CompileEnd is called after, with the outcome.
	CompileEnd func(CompileResult)
	// CacheLookup is called for every image and summary that was not in use already.
	CacheLookup func(CacheLookup)
	// Warning is called for what is worth knowing and stops nothing, such as a
	// cache folder that cannot be written. Each is said once an engine.
	Warning func(error)
}

// CompileInfo names one compile.
type CompileInfo struct {
	// Kernel is empty when a module is only summarised, "(variables)" for the
	// variables that a module's kernels share.
	Kernel string
	Target string
	Key    cache.Key
}

// CompileResult is the outcome of one compile.
type CompileResult struct {
	CompileInfo
	// Stages are in the order they ran.
	Stages   []StageTime
	Duration time.Duration
	// Bytes is the size of the image; 0 after an error.
	Bytes int
	// Remarks are what the compiler had to say of the kernel, one line each.
	Remarks []string
	Err     error
}

// StageTime is what one stage of a compile took.
type StageTime struct {
	Stage    string
	Duration time.Duration
}

// CacheLookup is the outcome of one look-up through all tiers.
type CacheLookup struct {
	Key cache.Key
	// Kernel is empty for a module's summary.
	Kernel string
	Hit    bool
	// Reason says why it was a miss.
	Reason   string
	Duration time.Duration
}

// Stats are an engine's counts since it was opened.
type Stats struct {
	// Compiles counts images compiled, of kernels and of modules' variables,
	// Summaries modules read by LLVM.
	Compiles, Summaries, CompileErrors int64
	// CacheHits and CacheMisses count look-ups of images through all tiers.
	CacheHits, CacheMisses int64
	// Specialisations is how many compiled kernels are loaded now, CodeBytes their size.
	Specialisations, CodeBytes int64
	// CompileTime is the sum over all compiles.
	CompileTime time.Duration
	// Tiers are the counts of each cache store, nearest first.
	Tiers []TierStats
}

// TierStats are one cache store's name and counts.
type TierStats struct {
	Name string
	cache.Stats
}
