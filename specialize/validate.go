package specialize

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/kilnjit/kiln/image"
)

// ErrInvalid is matched by every error of [Spec.Validate].
var ErrInvalid = errors.New("invalid specialisation")

// Validate checks that s can be applied to the kernel k and returns an error
// naming the first thing that is wrong, with the kernel's own bounds. It
// checks what holds on every device; a device's limits are the launch's matter.
func (s *Spec) Validate(k *image.Kernel) error {
	if err := s.validateConstants(k); err != nil {
		return fmt.Errorf("%w of kernel %q: %w", ErrInvalid, k.Name, err)
	}
	if err := s.validateDims(k); err != nil {
		return fmt.Errorf("%w of kernel %q: %w", ErrInvalid, k.Name, err)
	}
	return nil
}

func (s *Spec) validateConstants(k *image.Kernel) error {
	for i, c := range s.Constants {
		if c.Index < 0 || c.Index >= len(k.Params) {
			return fmt.Errorf("constant for argument %d, but the kernel has %d (counted from 0)", c.Index, len(k.Params))
		}
		if i > 0 {
			switch before := s.Constants[i-1].Index; {
			case before == c.Index:
				return fmt.Errorf("argument %d is given two constants", c.Index)
			case before > c.Index:
				return fmt.Errorf("constant for argument %d stands before that for argument %d: put them in ascending order", before, c.Index)
			}
		}
		p := &k.Params[c.Index]
		if p.Kind == image.SharedPointer {
			return fmt.Errorf("argument %d is shared memory, whose address only the device knows", c.Index)
		}
		if len(c.Bytes) != int(p.Size) {
			return fmt.Errorf("constant for argument %d (%s) has %d bytes, want %d", c.Index, p.Type, len(c.Bytes), p.Size)
		}
	}
	return nil
}

func (s *Spec) validateDims(k *image.Kernel) error {
	if s.Block == ([3]uint32{}) && s.Grid == ([3]uint32{}) && s.MaxBlock == 0 && s.MinBlocks == 0 {
		return nil
	}
	if k.Convention == image.Host {
		return fmt.Errorf("a host function runs once a launch and has neither grid nor block")
	}
	if err := s.validateBounds(k); err != nil {
		return err
	}
	items, err := product("block", s.Block)
	if err != nil {
		return err
	}
	if items > math.MaxUint32 {
		return fmt.Errorf("block of %d x %d x %d has more than %d work-items", s.Block[0], s.Block[1], s.Block[2], uint32(math.MaxUint32))
	}
	if s.Block != ([3]uint32{}) {
		if k.ReqdBlock != ([3]uint32{}) && s.Block != k.ReqdBlock {
			return fmt.Errorf("block of %d x %d x %d, but the kernel requires %d x %d x %d",
				s.Block[0], s.Block[1], s.Block[2], k.ReqdBlock[0], k.ReqdBlock[1], k.ReqdBlock[2])
		}
		if k.MaxBlock != 0 && items > uint64(k.MaxBlock) {
			return fmt.Errorf("block of %d x %d x %d has %d work-items, but the kernel's launch bound is %d",
				s.Block[0], s.Block[1], s.Block[2], items, k.MaxBlock)
		}
	}
	_, err = product("grid", s.Grid)
	return err
}

// validateBounds checks the promise of a largest block against the blocks that
// there are to be.
func (s *Spec) validateBounds(k *image.Kernel) error {
	for _, block := range [...][3]uint32{s.Block, k.ReqdBlock} {
		items, err := product("block", block)
		if err != nil {
			return err
		}
		if s.MaxBlock != 0 && items > uint64(s.MaxBlock) {
			return fmt.Errorf("block of %d x %d x %d has more than the %d work-items that are promised", block[0], block[1], block[2], s.MaxBlock)
		}
	}
	return nil
}

// product multiplies the dimensions of what, which are all zero or none.
func product(what string, dims [3]uint32) (uint64, error) {
	if dims == ([3]uint32{}) {
		return 0, nil
	}
	n := uint64(1)
	for i, d := range dims {
		if d == 0 {
			return 0, fmt.Errorf("%s is fixed in part: its %c is 0, want at least 1 (or all three 0 to leave it free)", what, "xyz"[i])
		}
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 {
			return 0, fmt.Errorf("%s of %d x %d x %d has more than 2^64 members", what, dims[0], dims[1], dims[2])
		}
		n = lo
	}
	return n, nil
}
