package cpu

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/internal/ffi"
)

// The structures of native/runtime.h and runtime.c, in Go's memory. Native
// code reads and writes them during a call and keeps no pointer to them.

type nativeFunction struct {
	entry         uintptr
	text, textEnd uintptr
	barrier       uintptr
	contextBytes  uint64
	groupTicks    uint64 // native code's own
}

type nativeLaunch struct {
	function    *nativeFunction
	device      uintptr
	params      *byte
	groups      uint64
	sharedBytes uint64
	grid, block [3]uint32
	stop        *stopFlag
}

// stopFlag is set to let a launch take no further groups.
type stopFlag struct{ word atomic.Uint32 }

func (s *stopFlag) set() { s.word.Store(1) }

type nativeError struct {
	id            int32
	kind          int32
	code          int32
	stackOverflow int32
	address       uint64
	offset        int64
	typeName      [128]byte
	text          [256]byte
}

// Outcomes of a launch, as in native/runtime.h.
const (
	outcomeStatus = iota + 1
	outcomeFault
	outcomeException
	outcomeMemory
	outcomeClosed
	outcomeStopped
)

// errStopped: a launch's stop flag was set before all groups were taken.
var errStopped = errors.New("stopped")

// nativeDevice is a struct kiln_device. Once shut it stays, for launches that
// come late to find it shut, until it is released.
type nativeDevice struct {
	runtime *nativeRuntime
	address uintptr
	number  int // in the device's name
	once    sync.Once
}

// openNative makes a device with so many threads beside the caller's, which run
// on the processors of the mask, a bit each, or on all where it is empty.
func openNative(helpers int, processors []uint64) (*nativeDevice, error) {
	r, err := loadRuntime()
	if err != nil {
		return nil, err
	}
	var open struct {
		device          uintptr
		workers         uint32
		processors      *uint64
		processorsBytes uint64
	}
	open.workers = uint32(helpers)
	open.processors, open.processorsBytes = unsafe.SliceData(processors), uint64(8*len(processors))
	if ffi.CGOCall(r.open, unsafe.Pointer(&open)) != 0 {
		return nil, errors.New("out of memory")
	}
	return &nativeDevice{runtime: r, address: open.device, number: numbers.take()}, nil
}

func (d *nativeDevice) shut() {
	d.once.Do(func() {
		ffi.CGOCall(d.runtime.close, pointer(d.address))
		numbers.give(d.number)
	})
}

func (d *nativeDevice) release() {
	d.shut()
	ffi.CGOCall(d.runtime.free, pointer(d.address))
}

func startRuntime(start uintptr, spinners int) error {
	options := struct{ spinners int32 }{int32(spinners)}
	if ffi.CGOCall(start, unsafe.Pointer(&options)) != 0 {
		return errors.New("the system takes no signal handlers")
	}
	return nil
}

// pointer turns an address that is not Go's into a pointer.
func pointer(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// addressOf returns where b lies, 0 for nil.
func addressOf(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// memoryAt returns n bytes of native memory.
func memoryAt(address uintptr, n uint64) []byte { return unsafe.Slice((*byte)(pointer(address)), n) }

// Launch is [device.Function]'s.
func (f *function) Launch(l *device.Launch) error { return f.launch(l, nil) }

// launch runs f until all groups have ended, or returns errStopped once stop,
// unless nil, is set before that.
func (f *function) launch(l *device.Launch, stop *stopFlag) error {
	if f.closed.Load() {
		return f.failed(device.ErrClosed)
	}
	// On the stack: native code is done with it before the kernel runs.
	n := nativeLaunch{
		function:    &f.native,
		device:      f.device,
		params:      unsafe.SliceData(l.Params),
		sharedBytes: uint64(l.SharedBytes),
		grid:        [3]uint32{1, 1, 1},
		block:       [3]uint32{1, 1, 1},
		groups:      1,
		stop:        stop,
	}
	if !f.host {
		if n.groups = l.Grid.Count(); n.groups == 0 {
			return nil
		}
		n.grid[0], n.grid[1], n.grid[2] = l.Grid.X, l.Grid.Y, l.Grid.Z
		n.block[0], n.block[1], n.block[2] = l.Block.X, l.Block.Y, l.Block.Z
	}
	outcome := ffi.CGOCall(f.enter, unsafe.Pointer(&n))
	runtime.KeepAlive(f)
	runtime.KeepAlive(l)
	runtime.KeepAlive(stop)
	if outcome != 0 {
		return f.explain(outcome)
	}
	return nil
}

func (f *function) failed(err error) error { return fmt.Errorf("kernel %q: %w", f.kernel, err) }

// explain turns what a launch returned into an error.
func (f *function) explain(outcome int32) error {
	switch -outcome {
	case outcomeMemory:
		return f.failed(device.ErrMemory)
	case outcomeClosed:
		return f.failed(device.ErrClosed)
	case outcomeStopped:
		return errStopped
	}
	e := nativeError{id: outcome}
	if ffi.CGOCall(f.library.device.native.runtime.takeError, unsafe.Pointer(&e)) != 0 {
		return f.failed(fmt.Errorf("unknown outcome %d of a launch", outcome))
	}
	switch e.kind {
	case outcomeFault:
		inside, offset := f.library.named.function(f.native.entry + uintptr(e.offset))
		return &device.FaultError{
			Kernel: f.kernel, Signal: syscall.Signal(e.code), Address: uintptr(e.address),
			Offset: e.offset, StackOverflow: e.stackOverflow != 0,
			Function: inside, FunctionOffset: offset,
		}
	case outcomeException:
		return &device.ExceptionError{Kernel: f.kernel, Type: text(e.typeName[:]), Text: text(e.text[:])}
	}
	return &device.StatusError{Kernel: f.kernel, Code: e.code}
}

func text(b []byte) string {
	s, _, _ := bytes.Cut(b, []byte{0})
	return string(s)
}
