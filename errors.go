package kiln

import (
	"errors"
	"fmt"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/device"
)

var (
	// ErrClosed is matched by calls on a closed engine.
	ErrClosed = errors.New("engine is closed")
	// ErrArgument is matched when a launch's arguments do not fit the kernel.
	ErrArgument = errors.New("argument does not fit")
	// ErrNoKernel is matched when a module has no such kernel.
	ErrNoKernel = compile.ErrNoKernel
	// ErrNoGlobal is matched when a module has no such variable.
	ErrNoGlobal = errors.New("no such variable")
	// ErrFreed is matched when a buffer is used after it was freed.
	ErrFreed = device.ErrFreed
	// ErrLaunch is matched when a launch's shape is refused.
	ErrLaunch = device.ErrLaunch
	// ErrFault is matched when kernel code faulted or trapped.
	ErrFault = device.ErrFault
)

// CompileError is the one error of a compile that went wrong: its stage,
// kernel, target, a summary line and the full log (printed by %+v).
type CompileError = compile.Error

// FaultError says which kernel faulted, by which signal, at which address.
type FaultError = device.FaultError

// LaunchError says which dimension or size of a launch is over which limit.
type LaunchError = device.LaunchError

// ArgumentError says which argument does not fit and why.
type ArgumentError struct {
	Kernel string
	// Index is the argument's position from 0, or -1 where the count is wrong.
	Index int
	// Reason is the whole sentence: what was given, what is wanted.
	Reason string
}

func (e *ArgumentError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("kernel %s: %s", e.Kernel, e.Reason)
	}
	return fmt.Sprintf("kernel %s: argument %d: %s", e.Kernel, e.Index, e.Reason)
}

// Is reports that every ArgumentError matches [ErrArgument].
func (e *ArgumentError) Is(target error) bool { return target == ErrArgument }
