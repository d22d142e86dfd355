// Package cpu is the device that every machine has: it runs host functions
// and GPU kernels compiled for the processor, on the caller's thread and on a
// pool of native threads.
//
// A launch that is short runs on the calling thread alone, 40 ns or so from
// Go to the kernel. A longer one is shared: each thread takes ranges of
// work-groups until none is left. How long a kernel's groups take is measured
// as they run. Threads of the pool spin for 150 µs after their last work and
// then sleep; a launch does not wait for a sleeping one. Several launches at
// once are independent: one has the pool, the others their callers' threads.
//
// # Faults
//
// A fault in kernel code (a bad address, a division by zero, a trap, a stack
// overflow) ends the launch with a [device.FaultError], and a C++ exception
// that leaves it with a [device.ExceptionError]. For this the first [Open]
// puts handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP in front of
// those that are there, which still get every signal that is not a kernel's.
// That includes a fault inside a library function a kernel has called, such as
// memcpy: locks may be held there, and the process ends as it would have. So it
// does for a fault in an object's constructors, and for an exception thrown by
// a library that an image calls without naming anything of C++ itself.
package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/jitnames"
	"github.com/kilnjit/kiln/target"
)

// MaxWorkers is the most threads that can work on a launch.
const MaxWorkers = 4096

// Options steers [Open]. The zero value works.
type Options struct {
	// Workers is the number of threads that work on one launch, the caller's
	// included: 1 means that there is no pool. 0 means GOMAXPROCS as it is when
	// the device is opened, and with it the limits of affinity and cgroup, but
	// no more than there are processors.
	Workers int
	// Processors are those that the threads of the pool run on, numbered as the
	// system does; nil means all that the process may run on. [Node] names those
	// of a NUMA node. Where it is set, Workers may be 0 for as many as there are
	// processors in it. The thread that launches works as well, and stays where
	// it is.
	Processors []int
	// Names says which tools learn the names of kernels.
	Names Names
}

// Device is the CPU device. Make one with [Open].
type Device struct {
	name   string
	target target.Target
	native *nativeDevice
	names  *jitnames.Names
	named  *named // the runtime

	mu        sync.Mutex
	closed    bool
	libraries map[*library]struct{}
	streams   map[*stream]struct{}
	buffers   map[*buffer]struct{}

	close    sync.Once
	closeErr error
}

var _ device.Device = (*Device)(nil)

// Open returns a device of its own, with its own pool; threads are only made
// when a launch first needs them. The caller closes it. The error matches
// [errors.ErrUnsupported] on a machine for which kiln has no runtime.
func Open(o Options) (*Device, error) {
	workers := o.Workers
	switch {
	case workers < 0 || workers > MaxWorkers:
		return nil, fmt.Errorf("opening the CPU device: %d workers, where 0 to %d can be", workers, MaxWorkers)
	case workers == 0 && o.Processors != nil:
		workers = min(len(o.Processors), MaxWorkers)
	case workers == 0:
		workers = min(runtime.GOMAXPROCS(0), runtime.NumCPU(), MaxWorkers)
	}
	names, err := jitnames.Open(jitnames.Options(o.Names))
	if err != nil {
		return nil, fmt.Errorf("opening the CPU device: %w", err)
	}
	mask, err := processorMask(o.Processors)
	if err != nil {
		return nil, fmt.Errorf("opening the CPU device: %w", err)
	}
	native, err := openNative(workers-1, mask)
	if err != nil {
		return nil, fmt.Errorf("opening the CPU device: %w", err)
	}
	t, err := target.Native()
	if err != nil {
		native.release()
		return nil, fmt.Errorf("opening the CPU device: %w", err)
	}
	d := &Device{
		name: fmt.Sprintf("cpu:%d", native.number), target: t, native: native, names: names,
		libraries: map[*library]struct{}{}, streams: map[*stream]struct{}{}, buffers: map[*buffer]struct{}{},
	}
	d.named = d.announce(native.runtime.object, native.runtime.image, "", 0)
	runtime.AddCleanup(d, (*nativeDevice).release, native)
	return d, nil
}

// Name returns "cpu:" and the lowest number that no other open device had when
// this one was opened.
func (d *Device) Name() string { return d.name }

// Target returns this machine's processor.
func (d *Device) Target() target.Target { return d.target }

// Limits returns bounds that are those of no hardware: they hold what kernels
// written for GPUs ask for, and keep a group's work and memory within reason.
func (d *Device) Limits() device.Limits {
	return device.Limits{
		MaxGrid:        device.Dim{X: math.MaxInt32, Y: math.MaxInt32, Z: math.MaxInt32},
		MaxBlock:       device.Dim{X: 4096, Y: 4096, Z: 4096},
		MaxBlockItems:  4096,
		MaxSharedBytes: 1 << 20,
		MaxParamBytes:  64 << 10,
	}
}

// Load maps the image's object. Errors match [device.ErrImage], or
// [device.ErrClosed] once the device is closed.
func (d *Device) Load(ctx context.Context, im *image.Image, globals ...uint64) (device.Library, error) {
	what := fmt.Sprintf("loading kernel %q", im.Kernel)
	if im.Kernel == "" {
		what = "loading a module's variables"
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	lib, err := d.load(im, globals)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	d.mu.Lock()
	closed := d.closed
	if !closed {
		d.libraries[lib] = struct{}{}
	}
	d.mu.Unlock()
	if closed {
		return nil, errors.Join(fmt.Errorf("%s: %w", what, device.ErrClosed), lib.unload())
	}
	return lib, nil
}

// Close refuses further work, drops what streams have not begun, waits for what
// is under way, ends the threads of the pool, unloads what is still loaded and
// frees what is still allocated. The error is of unloading, or tells that names
// could not be written. Closing again does nothing and returns the same error.
// Code that a kernel calls must not close its device: it would wait for itself.
func (d *Device) Close() error {
	d.close.Do(func() {
		d.mu.Lock()
		d.closed = true
		libraries, streams, buffers := d.libraries, d.streams, d.buffers
		d.libraries, d.streams, d.buffers = nil, nil, nil
		d.mu.Unlock()

		var begun []*point
		for s := range streams {
			begun = append(begun, s.abandon())
		}
		for _, p := range begun {
			if p != nil {
				<-p.done
			}
		}
		d.native.shut()
		d.named.withdraw()
		errs := []error{d.names.Err()}
		// Variables go last: what kernels registered may still look at them.
		for _, kernels := range []bool{true, false} {
			for lib := range libraries {
				if lib.entered == kernels {
					errs = append(errs, lib.unload())
				}
			}
		}
		for b := range buffers {
			errs = append(errs, b.free())
		}
		d.closeErr = errors.Join(errs...)
	})
	return d.closeErr
}
