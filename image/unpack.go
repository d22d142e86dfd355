package image

import (
	"errors"
	"fmt"

	"github.com/kilnjit/kiln/internal/lz4"
)

// unpack returns the data of packed bytes, which has exactly size bytes.
func unpack(packed []byte, how Packing, size uint64, limits Limits) ([]byte, error) {
	switch {
	case size > limits.Bytes:
		return nil, fmt.Errorf("it unpacks to %d bytes, the limit is %d", size, limits.Bytes)
	case size > unratedBytes && size/limits.Ratio > uint64(len(packed)):
		return nil, fmt.Errorf("%d bytes that unpack to %d are above the ratio of %d", len(packed), size, limits.Ratio)
	}
	var b []byte
	var err error
	switch how {
	case Zlib, Zstd:
		var c Codec
		if c, err = how.codec(); err == nil {
			b, err = c.Unpack(packed, size)
		}
	case LZ4:
		b, err = lz4.Unpack(packed, size)
	case Scrambled:
		err = errors.New("only its vendor's tools can read it")
	default:
		err = errors.New("it is packed in an unknown way")
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", how, err)
	case uint64(len(b)) != size:
		return nil, fmt.Errorf("%s: it unpacks to %d bytes and says %d", how, len(b), size)
	}
	return b, nil
}
