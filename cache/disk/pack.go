package disk

import (
	"fmt"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/internal/lz4"
)

// How a value is in its file.
const (
	asIs      = 0
	lz4Packed = 1
)

// packAbove is the length from which a value is compressed, in bytes. Below it,
// reading and hashing fewer bytes saves less time than decompressing takes;
// docs/cache.md has the figures.
const packAbove = 64 << 10

// pack returns value as it goes into a file: as it is, unless it is long and
// compressing saves an eighth of it.
func pack(value []byte) (packed []byte, how uint32) {
	if len(value) < packAbove {
		return value, asIs
	}
	packed = lz4.Pack(make([]byte, 0, len(value)/2), value)
	if len(packed) > len(value)/8*7 {
		return value, asIs
	}
	return packed, lz4Packed
}

// unpack undoes pack. The length is what the entry says of the value.
func unpack(packed []byte, length int64, how uint32) ([]byte, *flaw) {
	switch how {
	case asIs:
		if int64(len(packed)) != length {
			return nil, damaged("value of %d bytes, %d promised", len(packed), length)
		}
		return packed, nil
	case lz4Packed:
		value, err := lz4.Unpack(packed, uint64(length))
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
