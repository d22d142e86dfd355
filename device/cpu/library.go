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
	function function // none where the image holds variables
	device   *Device
	image    *elfload.Image
	named    *named
	entered  bool
	// variables are the image's, by their places there.
	variables []*buffer

	once sync.Once
	err  error
}

// function is what launching needs at hand.
type function struct {
	native  nativeFunction
	closed  atomic.Bool // so is the library
	host    bool
	enter   uintptr // the runtime's function
	device  uintptr
	library *library
	kernel  string
}

func (d *Device) load(im *image.Image, globals []uint64) (*library, error) {
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
	if len(globals) != len(im.Globals) {
		return nil, refuse("it uses %d variables of its module, and the addresses of %d are given", len(im.Globals), len(globals))
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
	loaded, err := object.Load(elfload.Options{Frames: throws, Resolve: resolver(im.Globals, globals)})
	if err != nil {
		return nil, refuse("%w", err)
	}
	lib := &library{device: d, image: loaded}
	if err := lib.findVariables(im.Variables); err != nil {
		loaded.Close()
		return nil, refuse("%w", err)
	}
	if im.Kernel == "" && im.Entry == "" {
		lib.named = d.announce(object, loaded, im.Kernel, 0)
		return lib, nil
	}
	entry, ok := loaded.Symbol(im.Entry)
	lo, hi := loaded.TextRange()
	if !ok || entry < lo || entry >= hi {
		loaded.Close()
		return nil, refuse("it defines no function %q", im.Entry)
	}
	lib.entered, lib.named = true, d.announce(object, loaded, im.Kernel, entry)
	lib.function = function{
		enter:   d.native.runtime.launch,
		device:  d.native.address,
		library: lib,
		kernel:  im.Kernel,
		host:    im.Convention == image.Host,
		native: nativeFunction{
			entry: entry, text: lo, textEnd: hi, barrier: barrier, contextBytes: im.ContextBytes,
		},
	}
	return lib, nil
}

// resolver finds the variables of other images by their symbols, nil where
// there are none.
func resolver(slots []image.Slot, addresses []uint64) func(string) (uintptr, bool) {
	if len(slots) == 0 {
		return nil
	}
	return func(name string) (uintptr, bool) {
		for i := range slots {
			if slots[i].Symbol() == name {
				return uintptr(addresses[i]), true
			}
		}
		return 0, false
	}
}

// findVariables looks up where the image's variables lie.
func (lib *library) findVariables(slots []image.Slot) error {
	for i := range slots {
		address, ok := lib.image.Symbol(slots[i].Symbol())
		if !ok {
			return fmt.Errorf("it does not hold its variable %q", slots[i].Name)
		}
		lib.variables = append(lib.variables, &buffer{device: lib.device, library: lib, memory: memoryAt(address, slots[i].Bytes)})
	}
	return nil
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

func (lib *library) Function() device.Function {
	if !lib.entered {
		return nil
	}
	return &lib.function
}

func (lib *library) Variable(i int) (device.Buffer, error) {
	if i < 0 || i >= len(lib.variables) {
		return nil, fmt.Errorf("variable %d of an image with %d: %w", i, len(lib.variables), device.ErrArgument)
	}
	if lib.function.closed.Load() {
		return nil, fmt.Errorf("variable of an image: %w", device.ErrClosed)
	}
	return lib.variables[i], nil
}

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
		lib.function.closed.Store(true)
		lib.named.withdraw()
		lib.err = lib.image.Close()
	})
	return lib.err
}
