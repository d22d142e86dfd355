package cpu

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/elfload"
)

// maxStackBytes bounds an entry's own stack frame. Callers' threads can have
// as little as 2 MiB, and the kernel's callees need some of it.
const maxStackBytes = 256 << 10

type library struct {
	device   *Device
	image    *elfload.Image
	named    *named
	function function

	closed atomic.Bool
	once   sync.Once
	err    error
}

// function is what launching needs at hand.
type function struct {
	library *library
	kernel  string
	host    bool
	native  nativeFunction
}

func (d *Device) load(im *image.Image) (*library, error) {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%w: %w", device.ErrImage, fmt.Errorf(format, args...))
	}
	if im.Format != image.Object {
		return nil, refuse("format %d is not a relocatable object", im.Format)
	}
	if im.Target.Arch() != d.target.Arch() {
		return nil, refuse("it is compiled for %s, this device is %s", im.Target, d.target)
	}
	if im.StackBytes > maxStackBytes {
		return nil, refuse("its stack frame of %d bytes is over %d: arrays that large belong in the context memory",
			im.StackBytes, maxStackBytes)
	}
	object, err := elfload.Parse(im.Payload)
	if err != nil {
		return nil, refuse("%w", err)
	}
	var barrier uintptr
	throws := canThrow(object)
	if throws {
		if barrier, err = loadBarrier(); err != nil {
			return nil, refuse("it can throw C++ exceptions: %w", err)
		}
	}
	loaded, err := object.Load(elfload.Options{Frames: throws})
	if err != nil {
		return nil, refuse("%w", err)
	}
	entry, ok := loaded.Symbol(im.Entry)
	lo, hi := loaded.TextRange()
	if !ok || entry < lo || entry >= hi {
		loaded.Close()
		return nil, refuse("it defines no function %q", im.Entry)
	}
	lib := &library{device: d, image: loaded, named: d.announce(object, loaded, im.Kernel, entry)}
	lib.function = function{
		library: lib,
		kernel:  im.Kernel,
		host:    im.Convention == image.Host,
		native: nativeFunction{
			entry: entry, text: lo, textEnd: hi, barrier: barrier, contextBytes: im.ContextBytes,
		},
	}
	return lib, nil
}

// canThrow tells whether code of the object throws C++ exceptions, or calls
// what may.
func canThrow(o *elfload.Object) bool {
	for _, name := range o.Undefined() {
		switch name {
		case "__cxa_throw", "__cxa_rethrow", "__gxx_personality_v0", "_Unwind_Resume", "_Unwind_RaiseException":
			return true
		}
		if strings.HasPrefix(name, "_Z") {
			return true
		}
	}
	return false
}

func (lib *library) Function() device.Function { return &lib.function }

func (lib *library) Bytes() int { return lib.image.Bytes() }

func (lib *library) Close() error {
	d := lib.device
	d.mu.Lock()
	delete(d.libraries, lib)
	d.mu.Unlock()
	return lib.unload()
}

func (lib *library) unload() error {
	lib.once.Do(func() {
		lib.closed.Store(true)
		lib.named.withdraw()
		lib.err = lib.image.Close()
	})
	return lib.err
}
