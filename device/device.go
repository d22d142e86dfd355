// Package device is what a device offers: memory, streams of work, and images
// to load and launch. It knows images and nothing of caches or compilers.
//
// # Order
//
// There is no default stream. A call without a stream (Function.Launch,
// Buffer.Write, Buffer.Read) does its work before it returns, and is ordered
// with nothing but what has returned before it. A stream does what it is given
// in the order it is given; two streams are ordered by events alone. These are
// CUDA's rules for non-blocking streams: nothing waits for anything that it
// was not told to wait for.
//
// # Errors
//
// What is wrong with a call is the error of that call, which then has done
// nothing. What goes wrong later, in a stream, drops what the stream was given
// behind it, and is returned once: by the next call on the stream that can
// return it, which does nothing else. After that the stream is as new. Where
// two goroutines use a stream, one of them gets the error. A device that cannot
// go on returns the same error from every call until it is closed.
package device

import (
	"context"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// Dim is an extent in x, y and z.
type Dim struct{ X, Y, Z uint32 }

// Limits are a device's bounds on one launch.
type Limits struct {
	// MaxGrid and MaxBlock bound each dimension; MaxBlockItems the product of a block.
	MaxGrid, MaxBlock Dim
	MaxBlockItems     uint32
	// MaxSharedBytes bounds static and dynamic shared memory of a group together.
	MaxSharedBytes uint32
	// MaxParamBytes bounds the parameter block.
	MaxParamBytes uint32
}

// Device runs kernels. Safe for concurrent use.
type Device interface {
	// Name is short and unique among the open devices of the process: "cpu:0", "cuda:0".
	Name() string
	// Target is what images for this device are compiled for.
	Target() target.Target
	Limits() Limits
	// Load makes an image of the device's target callable. globals are the
	// addresses of im.Globals, one for each, and stay valid for as long as the
	// library. The image may be dropped afterwards. The library belongs to the
	// caller, who closes it. Errors match [ErrImage] or [ErrClosed].
	Load(ctx context.Context, im *image.Image, globals ...uint64) (Library, error)
	// Alloc returns memory of the device: zeros, aligned to 64 bytes or more,
	// the caller's to free. Errors match [ErrMemory] or [ErrClosed].
	Alloc(bytes uint64) (Buffer, error)
	// Stream returns a new stream, the caller's to close.
	Stream() (Stream, error)
	// Event returns a new event, which needs no closing.
	Event() (Event, error)
	// Synchronize waits until every stream has done what it was given before
	// the call, or until ctx ends. It returns the errors of streams that were
	// not returned yet, joined, or ctx's.
	Synchronize(ctx context.Context) error
	// Close drops what streams have not begun, waits for the launches under
	// way, unloads every library, frees every buffer and ends the device's
	// threads.
	Close() error
}

// Library is a loaded image. Safe for concurrent use.
type Library interface {
	// Function returns the image's entry, nil for an image of variables.
	Function() Function
	// Variable returns the memory of one of the image's Variables, by its place
	// there. It is the library's: freeing it is an error.
	Variable(i int) (Buffer, error)
	// Bytes is the memory the loaded code and data take.
	Bytes() int
	// Close unloads the code. No launch may be under way or follow.
	Close() error
}

// Function is a launchable entry of a loaded library. Safe for concurrent use.
type Function interface {
	// Launch runs the function and returns when all its groups have ended.
	// The caller owns l; l.Params must not move or be collected meanwhile.
	// Launch checks nothing that Check checks: call that first.
	Launch(l *Launch) error
}

// Launch is one launch. The caller may reuse it once it has ended.
type Launch struct {
	Grid, Block Dim
	// SharedBytes is the dynamic shared memory of each group.
	SharedBytes uint32
	// Params is the parameter block, laid out as image.Kernel says. A host
	// function's result is written into it.
	Params []byte
}
