package image

import (
	"encoding/binary"
	"errors"
)

// bitCursor reads LLVM's bitstream container. Every read is bounded by the
// bytes it was made with.
type bitCursor struct {
	b   []byte
	bit uint64
}

var (
	errBitsEnd  = errors.New("the bits end early")
	errBitsForm = errors.New("the bits have no valid form")
)

// read returns the next n bits, n at most 64.
func (c *bitCursor) read(n uint64) (uint64, error) {
	if n > 64 || n > uint64(len(c.b))*8-c.bit {
		return 0, errBitsEnd
	}
	var v uint64
	for got := uint64(0); got < n; {
		shift := c.bit % 8
		take := min(8-shift, n-got)
		bits := uint64(c.b[c.bit/8]) >> shift & (1<<take - 1)
		v |= bits << got
		got += take
		c.bit += take
	}
	return v, nil
}

// vbr returns a variable-width integer in chunks of n bits.
func (c *bitCursor) vbr(n uint64) (uint64, error) {
	if n < 2 || n > 32 {
		return 0, errBitsForm
	}
	var v uint64
	for shift := uint64(0); shift < 64; shift += n - 1 {
		chunk, err := c.read(n)
		if err != nil {
			return 0, err
		}
		v |= chunk & (1<<(n-1) - 1) << shift
		if chunk>>(n-1) == 0 {
			return v, nil
		}
	}
	return 0, errBitsForm
}

func (c *bitCursor) align32() { c.bit = (c.bit + 31) &^ 31 }

// rest returns the whole bytes not yet read.
func (c *bitCursor) rest() uint64 {
	read := (c.bit + 7) / 8
	if read >= uint64(len(c.b)) {
		return 0
	}
	return uint64(len(c.b)) - read
}

// block is the header of one block and what is there of its body.
type block struct {
	id, width uint64
	// bytes is the length the header gives; body is shorter where the file ends first.
	bytes uint64
	body  []byte
}

const enterSubblock = 1

// enter reads a block's header at the outermost level and moves past its body.
func (c *bitCursor) enter() (block, error) {
	abbrev, err := c.read(2)
	if err != nil {
		return block{}, err
	}
	if abbrev != enterSubblock {
		return block{}, errBitsForm
	}
	var blk block
	if blk.id, err = c.vbr(8); err != nil {
		return block{}, err
	}
	if blk.width, err = c.vbr(4); err != nil {
		return block{}, err
	}
	if blk.width < 2 || blk.width > 32 {
		return block{}, errBitsForm
	}
	c.align32()
	at := c.bit / 8
	if c.rest() < 4 {
		return block{}, errBitsEnd
	}
	blk.bytes = uint64(binary.LittleEndian.Uint32(c.b[at:])) * 4
	at += 4
	end := at + min(blk.bytes, uint64(len(c.b))-at)
	blk.body = c.b[at:end]
	c.bit = end * 8
	return blk, nil
}
