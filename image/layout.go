package image

import (
	"fmt"
	"math"
	"math/bits"
)

// Layout gives each parameter and the result their Offset in the parameter
// block, by the rules of a C struct with the parameters as members in order
// and the result last. It reads Size and Align, in bytes, and writes Offset
// into params and result. A nil result, or one with an empty Type, is void and
// takes no room; its Offset is 0.
//
// It returns the block's size, padded to its alignment, and the alignment (1
// for an empty block). An alignment that is no power of two, or a block of
// 4 GiB and more, is an error that names the parameter, and no Offset is set.
func Layout(params []Param, result *Param) (size, align uint32, err error) {
	if result != nil && result.Type == "" {
		result.Offset = 0
		result = nil
	}
	end, most := uint64(0), uint32(1)
	place := func(p *Param, what string) (uint32, error) {
		if bits.OnesCount32(p.Align) != 1 {
			return 0, fmt.Errorf("laying out %s: alignment %d is no power of two", what, p.Align)
		}
		at := alignUp(end, p.Align)
		end = at + uint64(p.Size)
		most = max(most, p.Align)
		if alignUp(end, most) > math.MaxUint32 {
			return 0, fmt.Errorf("laying out %s: the parameter block exceeds 4 GiB", what)
		}
		return uint32(at), nil
	}
	offsets := make([]uint32, 0, 16)
	for i := range params {
		at, err := place(&params[i], describe(i, params[i]))
		if err != nil {
			return 0, 0, err
		}
		offsets = append(offsets, at)
	}
	if result != nil {
		at, err := place(result, "the result")
		if err != nil {
			return 0, 0, err
		}
		result.Offset = at
	}
	for i, at := range offsets {
		params[i].Offset = at
	}
	return uint32(alignUp(end, most)), most, nil
}

func alignUp(n uint64, align uint32) uint64 {
	mask := uint64(align) - 1
	return (n + mask) &^ mask
}

func describe(i int, p Param) string {
	if p.Name == "" {
		return fmt.Sprintf("parameter %d", i)
	}
	return fmt.Sprintf("parameter %d (%s)", i, p.Name)
}
