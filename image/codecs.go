package image

import "errors"

// Codec packs and unpacks.
type Codec struct {
	// Pack appends data, packed, to out.
	Pack func(out, data []byte) ([]byte, error)
	// Unpack returns the data of packed bytes. size is what it should have; it
	// may return more, but takes no memory that grows beyond that.
	Unpack func(packed []byte, size uint64) ([]byte, error)
}

// codecs are by their packings.
var codecs [Scrambled + 1]Codec

// RegisterPacking has parts of one packing packed and unpacked by c from now on.
// It is called by the init function of a package such as image/packing, which
// programs import where they want it.
func RegisterPacking(p Packing, c Codec) { codecs[p] = c }

// codec returns the packing's codec.
func (p Packing) codec() (Codec, error) {
	c := codecs[p]
	if c.Unpack == nil {
		return Codec{}, errors.New("this program is built without it: it must import github.com/kilnjit/kiln/image/packing")
	}
	return c, nil
}
