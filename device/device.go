// Package device is what a device offers: load an image, find a function,
// launch it. It knows images and nothing of caches or compilers.
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
	// Name is short and unique in the process: "cpu", "cuda:0".
	Name() string
	// Target is what images for this device are compiled for.
	Target() target.Target
	Limits() Limits
	// Load makes an image of the device's target callable. The image may be
	// dropped afterwards. The library belongs to the caller, who closes it.
	Load(ctx context.Context, im *image.Image) (Library, error)
	// Close unloads every library and ends the device's threads, after the
	// launches under way.
	Close() error
}

// Library is a loaded image. Safe for concurrent use.
type Library interface {
	// Function returns the image's entry.
	Function() Function
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

// Launch is one launch. The caller may reuse it once Launch has returned.
type Launch struct {
	Grid, Block Dim
	// SharedBytes is the dynamic shared memory of each group.
	SharedBytes uint32
	// Params is the parameter block, laid out as image.Kernel says. A host
	// function's result is written into it.
	Params []byte
}
