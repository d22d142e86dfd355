package image

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
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
	case Zlib:
		b, err = unpackZlib(packed, size)
	case Zstd:
		b, err = unpackZstd(packed, size)
	case LZ4:
		b, err = unpackLZ4(packed, size)
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

func unpackZlib(packed []byte, size uint64) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	// One byte above the size tells that there is more, and makes the reader
	// come to the checksum where there is not.
	return io.ReadAll(io.LimitReader(r, int64(size)+1))
}

// zstdWindow is the window that frames name whose writer did not know how
// short their data would be: fatbinary's do. The decoder counts it as data.
const zstdWindow = 8 << 20

func unpackZstd(packed []byte, size uint64) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(size, zstdWindow)))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(packed, nil)
}

var errLZ4 = errors.New("the block is damaged")

// lz4Ratio bounds what a byte of LZ4 can become, so that a block's declared
// size reserves no memory that its bytes cannot fill.
const lz4Ratio = 256

// unpackLZ4 decodes one LZ4 block: runs of literal bytes, each followed by a
// copy of bytes already written, the last run without one.
func unpackLZ4(packed []byte, size uint64) ([]byte, error) {
	out := make([]byte, 0, min(size, uint64(len(packed))*lz4Ratio))
	for i := 0; i < len(packed); {
		token := packed[i]
		i++
		literals, ok := lz4Length(packed, &i, int(token>>4))
		if !ok || literals > len(packed)-i || uint64(len(out)+literals) > size {
			return nil, errLZ4
		}
		out = append(out, packed[i:i+literals]...)
		i += literals
		if i == len(packed) {
			return out, nil
		}
		if len(packed)-i < 2 {
			return nil, errLZ4
		}
		distance := int(packed[i]) | int(packed[i+1])<<8
		i += 2
		match, ok := lz4Length(packed, &i, int(token&15))
		match += 4
		if !ok || distance == 0 || distance > len(out) || uint64(len(out)+match) > size {
			return nil, errLZ4
		}
		// The copy may reach into what it writes itself.
		for range match {
			out = append(out, out[len(out)-distance])
		}
	}
	return nil, errLZ4
}

// lz4Length reads the bytes that continue a length of 15.
func lz4Length(packed []byte, at *int, n int) (length int, ok bool) {
	if n < 15 {
		return n, true
	}
	for *at < len(packed) {
		c := packed[*at]
		*at++
		n += int(c)
		if c != 255 {
			return n, true
		}
	}
	return 0, false
}
