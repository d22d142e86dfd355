package kiln

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/recorder"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/device/cpu"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// Engine compiles, caches and launches kernels on one device. Safe for
// concurrent use.
type Engine struct {
	options   Options
	device    device.Device
	ownDevice bool
	store     *cache.Tiered
	compiler  func() (*compile.Compiler, error)
	located   atomic.Pointer[compile.Compiler] // the one that compiler has returned
	workers   workers
	recorder  *recorder.Recorder // nil where nothing is recorded
	target    func() (target.Target, error)
	warned    sync.Map

	closed atomic.Bool
	base   context.Context // ends when the engine closes
	cancel context.CancelCauseFunc

	images    flights[*image.Image]
	summaries flights[*image.Summary]
	storing   flights[*variables]

	lanes   [1 << laneBits]lane
	stripes [64]stripe
	striped atomic.Uint32

	mu        sync.Mutex
	libraries map[device.Library]struct{}
	storage   map[[32]byte]*variables // by the module's digest

	stats struct {
		compiles, summaries, compileErrors, hits, misses, compileTime, codeBytes atomic.Int64
	}
}

// Open returns an engine with its device and caches. It opens no LLVM and, but
// for the cache folder, touches no file. A cache that cannot be used is a
// warning to [Events], not an error.
func Open(options Options) (*Engine, error) {
	e := &Engine{options: options, device: options.Device, libraries: map[device.Library]struct{}{}, storage: map[[32]byte]*variables{}}
	e.base, e.cancel = context.WithCancelCause(context.Background())
	e.compiler = sync.OnceValues(func() (*compile.Compiler, error) {
		c, err := compile.New(compile.Config{LLVM: options.LLVM, DumpDir: options.DumpDir, Tools: options.Tools})
		e.located.Store(c)
		return c, err
	})
	e.recorder = newRecorder(options.Record)
	e.target = sync.OnceValues(e.narrowTarget)
	if e.device == nil {
		d, err := cpu.Open(cpu.Options{Workers: options.Workers, Names: options.Names})
		if err != nil {
			return nil, fmt.Errorf("opening the CPU device: %w", err)
		}
		e.device, e.ownDevice = d, true
	}
	e.openStores()
	return e, nil
}

// Device returns the device the engine launches on.
func (e *Engine) Device() device.Device { return e.device }

// Close waits for the launches under way and those queued in streams, cancels
// compiles, and unloads every kernel and variable. Launches that follow get
// [ErrClosed]. Closing twice is harmless.
func (e *Engine) Close() error {
	if !e.closed.CompareAndSwap(false, true) {
		return nil
	}
	e.cancel(ErrClosed)
	e.quiesce()
	var errs []error
	e.mu.Lock()
	libraries, storage := e.libraries, e.storage
	e.libraries, e.storage = nil, nil
	e.mu.Unlock()
	for library := range libraries {
		errs = append(errs, library.Close())
	}
	for _, v := range storage {
		errs = append(errs, v.library.Close())
	}
	if e.ownDevice {
		errs = append(errs, e.device.Close())
	}
	if c := e.located.Load(); c != nil {
		errs = append(errs, c.Close())
	}
	errs = append(errs, e.workers.close(), e.store.Close())
	return errors.Join(errs...)
}

// stripe counts the launches under way of the records that use it. One count
// for all would make every launch on every core write the same cache line.
type stripe struct {
	running atomic.Int64
	_       [56]byte
}

func (s *stripe) enter() { s.running.Add(1) }
func (s *stripe) leave() { s.running.Add(-1) }

func (e *Engine) stripe() *stripe {
	return &e.stripes[e.striped.Add(1)%uint32(len(e.stripes))]
}

// quiesce returns when no launch that began before closed was set is under way.
func (e *Engine) quiesce() {
	await := func(idle func() bool) {
		for wait := time.Microsecond; !idle(); wait = min(2*wait, time.Millisecond) {
			runtime.Gosched()
			time.Sleep(wait)
		}
	}
	for i := range e.lanes {
		await(func() bool { return e.lanes[i].busy.Load() == 0 })
	}
	for i := range e.stripes {
		await(func() bool { return e.stripes[i].running.Load() == 0 })
	}
}

// Stats returns the engine's counts.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	loaded := len(e.libraries)
	e.mu.Unlock()
	return Stats{
		Compiles:        e.stats.compiles.Load(),
		Summaries:       e.stats.summaries.Load(),
		CompileErrors:   e.stats.compileErrors.Load(),
		CacheHits:       e.stats.hits.Load(),
		CacheMisses:     e.stats.misses.Load(),
		CodeBytes:       e.stats.codeBytes.Load(),
		CompileTime:     time.Duration(e.stats.compileTime.Load()),
		Specialisations: int64(loaded),
		Tiers:           tierStats(e.store),
	}
}

// warn tells the listener of err, once an engine and key.
func (e *Engine) warn(key string, err error) {
	if _, said := e.warned.LoadOrStore(key, true); !said && e.options.Events.Warning != nil {
		e.options.Events.Warning(err)
	}
}

func tierStats(t *cache.Tiered) []TierStats {
	var all []TierStats
	for _, s := range t.Tiers() {
		all = append(all, TierStats{s.Name(), s.Stats()})
	}
	return all
}
