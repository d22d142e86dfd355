package disk

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/kilnjit/kiln/cache"
)

// How a value is in its file.
const (
	asIs       = 0
	zstdPacked = 1
)

// packAbove is the length from which a value is compressed, in bytes. Below it,
// reading and hashing fewer bytes saves less time than decompressing takes;
// docs/cache.md has the figures.
const packAbove = 64 << 10

// mostRatio is more than zstd can compress anything by.
const mostRatio = 1 << 16

var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
})

var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxEntry))
})

// pack returns value as it goes into a file: as it is, unless it is long and
// compressing saves an eighth of it.
func pack(value []byte) (packed []byte, how uint32) {
	if len(value) < packAbove {
		return value, asIs
	}
	e, err := encoder()
	if err != nil {
		return value, asIs
	}
	packed = e.EncodeAll(value, make([]byte, 0, len(value)/2))
	if len(packed) > len(value)/8*7 {
		return value, asIs
	}
	return packed, zstdPacked
}

// unpack undoes pack. The length is what the entry says of the value.
func unpack(packed []byte, length int64, how uint32) ([]byte, *flaw) {
	switch how {
	case asIs:
		if int64(len(packed)) != length {
			return nil, damaged("value of %d bytes, %d promised", len(packed), length)
		}
		return packed, nil
	case zstdPacked:
		// Memory is only taken for what the bytes can come to.
		if length > int64(len(packed))*mostRatio {
			return nil, damaged("%d bytes cannot hold a value of %d", len(packed), length)
		}
		d, err := decoder()
		if err != nil {
			return nil, &flaw{cache.Unreadable, err}
		}
		value, err := d.DecodeAll(packed, make([]byte, 0, length))
		if err != nil {
			return nil, &flaw{cache.Damaged, fmt.Errorf("decompressing the value: %w", err)}
		}
		if int64(len(value)) != length {
			return nil, damaged("value of %d bytes, %d promised", len(value), length)
		}
		return value, nil
	}
	return nil, damaged("value stored in way %d", how)
}
