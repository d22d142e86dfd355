package device

import (
	"math"
	"math/bits"

	"github.com/kilnjit/kiln/image"
)

// overflow stands for a product of more than 64 bits.
const overflow = math.MaxUint64

// maxGroups bounds the work-groups of a launch on every device: a group's
// linear number must leave room to count past the last one.
const maxGroups = 1 << 62

// Facts are what a launch is checked against beside the device's limits: the
// kernel's own bounds and those of the code compiled for it.
type Facts struct {
	Kernel     string
	Convention image.Convention
	// Block and Grid are the only sizes allowed, zeros where any goes.
	Block, Grid [3]uint32
	// MaxBlock bounds the work-items of a block, 0 where unbounded.
	MaxBlock uint32
	// SharedBytes is the static shared memory of a group.
	SharedBytes uint32
	// ParamBytes is the length of the parameter block.
	ParamBytes uint32
}

// FactsOf returns the facts of kernel k as compiled into im. Either may be nil
// where it is not known.
func FactsOf(k *image.Kernel, im *image.Image) Facts {
	var f Facts
	if k != nil {
		f = Facts{
			Kernel: k.Name, Convention: k.Convention, Block: k.ReqdBlock,
			MaxBlock: k.MaxBlock, SharedBytes: k.SharedBytes, ParamBytes: k.ParamBytes,
		}
	}
	if im == nil {
		return f
	}
	f.Kernel, f.Convention, f.ParamBytes = im.Kernel, im.Convention, im.ParamBytes
	f.Grid = im.Grid
	if im.Block != [3]uint32{} {
		f.Block = im.Block
	}
	if im.MaxBlock != 0 && (f.MaxBlock == 0 || im.MaxBlock < f.MaxBlock) {
		f.MaxBlock = im.MaxBlock
	}
	return f
}

// Check tells whether a device of the given limits can launch l for a kernel
// of the given facts, and whether there is anything to do: a grid or block
// with a zero extent has no work-items, and launching it is a success without
// effect. Every error is a [*LaunchError]. It allocates nothing unless it fails.
//
// A host function runs once whatever the extents; more than one group or
// work-item is refused.
func Check(limits *Limits, f *Facts, l *Launch) (work bool, err error) {
	refuse := func(what string, value, limit uint64, exact bool, reason string) (bool, error) {
		return false, &LaunchError{Kernel: f.Kernel, What: what, Value: value, Limit: limit, Exact: exact, Reason: reason}
	}
	const device, kernel, compiled = "the device's limit", "the kernel's own limit", "what the kernel is compiled for"

	grid, block := l.Grid, l.Block
	if f.Convention == image.Host {
		const once = "a host function runs once"
		if axis, v := above(grid, Dim{1, 1, 1}); axis >= 0 {
			return refuse("grid"+axes[axis], uint64(v), 1, false, once)
		}
		if axis, v := above(block, Dim{1, 1, 1}); axis >= 0 {
			return refuse("block"+axes[axis], uint64(v), 1, false, once)
		}
	} else {
		if axis, v := above(grid, limits.MaxGrid); axis >= 0 {
			return refuse("grid"+axes[axis], uint64(v), uint64(limits.MaxGrid.axis(axis)), false, device)
		}
		if axis, v := above(block, limits.MaxBlock); axis >= 0 {
			return refuse("block"+axes[axis], uint64(v), uint64(limits.MaxBlock.axis(axis)), false, device)
		}
		groups, items := grid.Count(), block.Count()
		if groups == 0 || items == 0 {
			return false, nil
		}
		if groups > maxGroups {
			return refuse("number of groups", groups, maxGroups, false, device)
		}
		if items > uint64(limits.MaxBlockItems) {
			return refuse("work-items of a block", items, uint64(limits.MaxBlockItems), false, device)
		}
		if f.MaxBlock != 0 && items > uint64(f.MaxBlock) {
			return refuse("work-items of a block", items, uint64(f.MaxBlock), false, kernel)
		}
		if axis, v, want := differs(block, &f.Block); axis >= 0 {
			return refuse("block"+axes[axis], uint64(v), uint64(want), true, compiled)
		}
		if axis, v, want := differs(grid, &f.Grid); axis >= 0 {
			return refuse("grid"+axes[axis], uint64(v), uint64(want), true, compiled)
		}
	}
	if shared := uint64(l.SharedBytes) + uint64(f.SharedBytes); shared > uint64(limits.MaxSharedBytes) {
		return refuse("shared memory of a group", shared, uint64(limits.MaxSharedBytes), false, device)
	}
	if uint64(len(l.Params)) != uint64(f.ParamBytes) {
		return refuse("length of the parameter block", uint64(len(l.Params)), uint64(f.ParamBytes), true, "the kernel's parameters")
	}
	if f.ParamBytes > limits.MaxParamBytes {
		return refuse("length of the parameter block", uint64(f.ParamBytes), uint64(limits.MaxParamBytes), false, device)
	}
	return true, nil
}

var axes = [3]string{".x", ".y", ".z"}

func (d Dim) axis(i int) uint32 { return [3]uint32{d.X, d.Y, d.Z}[i] }

// Count returns X·Y·Z, or the greatest uint64 where that takes more than 64 bits.
func (d Dim) Count() uint64 {
	hi, lo := bits.Mul64(uint64(d.X)*uint64(d.Y), uint64(d.Z))
	if hi != 0 {
		return overflow
	}
	return lo
}

// above returns the first axis on which d is over limit, with d's value, or -1.
func above(d, limit Dim) (axis int, value uint32) {
	switch {
	case d.X > limit.X:
		return 0, d.X
	case d.Y > limit.Y:
		return 1, d.Y
	case d.Z > limit.Z:
		return 2, d.Z
	}
	return -1, 0
}

// differs returns the first axis on which d is not want, with both values, or
// -1 where it is or want is all zeros.
func differs(d Dim, want *[3]uint32) (axis int, value, wanted uint32) {
	if x := want[0]; d.X == x && d.Y == want[1] && d.Z == want[2] || x|want[1]|want[2] == 0 {
		return -1, 0, 0
	}
	for i := range axes {
		if v := d.axis(i); v != want[i] {
			return i, v, want[i]
		}
	}
	return -1, 0, 0
}
