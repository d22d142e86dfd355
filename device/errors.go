package device

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/kilnjit/kiln/image"
)

// The ways a device says no, to be matched with errors.Is.
var (
	// ErrLaunch: a launch was refused before it started. See [LaunchError].
	ErrLaunch = errors.New("launch refused")
	// ErrImage: an image cannot be loaded on the device.
	ErrImage = errors.New("image not loadable")
	// ErrClosed: the library, stream or device was closed.
	ErrClosed = errors.New("device, stream or library is closed")
	// ErrFreed: a buffer is used or freed again after it was freed.
	ErrFreed = errors.New("buffer was freed")
	// ErrRange: part of what is asked for lies outside a buffer.
	ErrRange = errors.New("out of the buffer's range")
	// ErrArgument: a call's arguments do not go together, or are another device's.
	ErrArgument = errors.New("argument not usable")
	// ErrFault: kernel code faulted. See [FaultError].
	ErrFault = errors.New("fault in kernel code")
	// ErrException: a C++ exception left kernel code. See [ExceptionError].
	ErrException = errors.New("exception in kernel code")
	// ErrStatus: a kernel stopped with a code of its own. See [StatusError].
	ErrStatus = errors.New("kernel stopped")
	// ErrMemory: the device has no memory for a launch or buffer.
	ErrMemory = errors.New("out of memory")
)

// LaunchError tells which part of a launch a kernel or its device does not
// take. It matches [ErrLaunch].
type LaunchError struct {
	Kernel string
	// What is the part: "grid.x", "block", "shared memory", "parameters"...
	What string
	// Value is what the launch asks for; in bytes for memory and parameters.
	// It is the greatest uint64 where a product overflows.
	Value uint64
	// Limit is the bound, or the only value allowed where Exact is set.
	Limit uint64
	Exact bool
	// Reason says whose limit it is: "the device's limit", "the kernel is compiled for it"...
	Reason string
}

func (e *LaunchError) Error() string {
	relation := "is over"
	if e.Exact {
		relation = "is not"
	}
	return fmt.Sprintf("launching kernel %q: %s %s %s %d (%s)",
		e.Kernel, e.What, e.value(), relation, e.Limit, e.Reason)
}

// value shows what a negative number becomes as an unsigned one for what it was.
func (e *LaunchError) value() string {
	switch {
	case e.Value == overflow:
		return "(more than 64 bits)"
	case e.Value > 1<<31-1 && e.Value < 1<<32:
		return fmt.Sprintf("%d (%d as a signed number)", e.Value, int32(uint32(e.Value)))
	}
	return fmt.Sprint(e.Value)
}

// Is matches [ErrLaunch].
func (e *LaunchError) Is(target error) bool { return target == ErrLaunch }

// FaultError tells where kernel code did what the processor refuses: a bad
// address, a division by zero, a trap instruction, a stack overflow. Memory
// the kernel had written by then stays written. It matches [ErrFault].
type FaultError struct {
	Kernel string
	// Signal is SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGTRAP. A kernel that
	// executes LLVM's trap gives SIGILL.
	Signal syscall.Signal
	// Address is the memory address for SIGSEGV and SIGBUS, 0 where the
	// processor does not tell; else that of the instruction.
	Address uintptr
	// Offset is that of the faulting instruction from the kernel's entry
	// point, in bytes. It is negative in a function placed before it.
	Offset int64
	// Function is the name, in the compiled object, of the function that the
	// instruction is in, and FunctionOffset its offset from that function's start
	// in bytes. They are "" and 0 unless the device was opened to know names.
	Function       string
	FunctionOffset int64
	// StackOverflow tells that the address lies where the stack had no room left.
	StackOverflow bool
}

func (e *FaultError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %q: ", e.Kernel)
	switch e.Signal {
	case syscall.SIGSEGV, syscall.SIGBUS:
		if e.StackOverflow {
			b.WriteString("stack overflow, ")
		}
		fmt.Fprintf(&b, "%s at address %#x", e.name(), e.Address)
	case syscall.SIGILL:
		b.WriteString("SIGILL (a trap, or an instruction this processor lacks)")
	default:
		b.WriteString(e.name())
	}
	sign, offset := "+", uint64(e.Offset)
	if e.Offset < 0 {
		sign, offset = "-", -offset
	}
	fmt.Fprintf(&b, ", instruction at entry %s %#x", sign, offset)
	if e.Function != "" {
		fmt.Fprintf(&b, " (%s + %#x)", e.Function, e.FunctionOffset)
	}
	return b.String()
}

func (e *FaultError) name() string {
	switch e.Signal {
	case syscall.SIGSEGV:
		return "SIGSEGV (invalid memory access)"
	case syscall.SIGBUS:
		return "SIGBUS (memory access error)"
	case syscall.SIGFPE:
		return "SIGFPE (integer division by zero or overflow)"
	case syscall.SIGTRAP:
		return "SIGTRAP (debug trap)"
	}
	return e.Signal.String()
}

// Is matches [ErrFault].
func (e *FaultError) Is(target error) bool { return target == ErrFault }

// ExceptionError is a C++ exception that nothing in the kernel caught. It
// matches [ErrException].
type ExceptionError struct {
	Kernel string
	// Text is what() of a std::exception, shortened to 255 bytes, else empty.
	Text string
	// Type is the C++ type's name as the compiler mangles it: "St13runtime_error".
	Type string
}

func (e *ExceptionError) Error() string {
	s := fmt.Sprintf("kernel %q: uncaught C++ exception of type %s", e.Kernel, e.Type)
	if e.Text != "" {
		s += ": " + e.Text
	}
	return s
}

// Is matches [ErrException].
func (e *ExceptionError) Is(target error) bool { return target == ErrException }

// StatusError is the code a kernel's entry returned instead of success, an
// [image.Status] where kiln made the kernel. It matches [ErrStatus].
type StatusError struct {
	Kernel string
	Code   int32
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("kernel %q stopped: %s", e.Kernel, image.Status(e.Code))
}

// Is matches [ErrStatus].
func (e *StatusError) Is(target error) bool { return target == ErrStatus }
