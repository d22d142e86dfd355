package image

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// compressedHeader is what stands before the packed bytes of a compressed bundle.
type compressedHeader struct {
	version uint16
	packing Packing
	// bytes is the header's own size, total that of header and packed bytes.
	bytes, total uint64
	unpacked     uint64
	// hash is the first half of the plain bundle's MD5.
	hash [8]byte
}

// The methods a compressed bundle names.
const (
	methodZlib = 0
	methodZstd = 1
)

// readCompressedHeader reads any of the three versions: the first one has no
// total size, the third has sizes of eight bytes.
func readCompressedHeader(b []byte) (compressedHeader, error) {
	le := binary.LittleEndian
	if len(b) < 8 {
		return compressedHeader{}, errors.New("it ends within its header: truncated")
	}
	h := compressedHeader{version: le.Uint16(b[4:])}
	switch h.version {
	case 1:
		h.bytes = 20
	case 2:
		h.bytes = 24
	case 3:
		h.bytes = 32
	default:
		return compressedHeader{}, fmt.Errorf("it has version %d, kiln reads 1 to 3", h.version)
	}
	if uint64(len(b)) < h.bytes {
		return compressedHeader{}, errors.New("it ends within its header: truncated")
	}
	switch method := le.Uint16(b[6:]); method {
	case methodZlib:
		h.packing = Zlib
	case methodZstd:
		h.packing = Zstd
	default:
		return compressedHeader{}, fmt.Errorf("it is packed by method %d, kiln knows 0 (zlib) and 1 (zstd)", method)
	}
	switch h.version {
	case 1:
		h.total, h.unpacked = uint64(len(b)), uint64(le.Uint32(b[8:]))
	case 2:
		h.total, h.unpacked = uint64(le.Uint32(b[8:])), uint64(le.Uint32(b[12:]))
	case 3:
		h.total, h.unpacked = le.Uint64(b[8:]), le.Uint64(b[16:])
	}
	copy(h.hash[:], b[h.bytes-8:])
	if h.total < h.bytes || h.total > uint64(len(b)) {
		return compressedHeader{}, fmt.Errorf("it says it has %d bytes, %d are there: truncated or damaged", h.total, len(b))
	}
	return h, nil
}

func (f *File) openCompressed() error {
	h, err := readCompressedHeader(f.data)
	if err != nil {
		return err
	}
	f.Version = strconv.Itoa(int(h.version))
	p := f.part(h.bytes, h.total-h.bytes)
	p.Kind, p.Packing, p.Unpacked = Bundle, h.packing, h.unpacked
	p.check = func(b []byte) error {
		if sum := md5.Sum(b); !bytes.Equal(sum[:8], h.hash[:]) {
			return fmt.Errorf("its hash is %x and should be %x", sum[:8], h.hash)
		}
		return nil
	}
	return f.add(p)
}

// EncodeCompressedBundle packs a bundle that [EncodeBundle] wrote. Version 1 is
// read by LLVM 18 and later, 2 by 19 and later, 3, which alone takes 4 GiB and
// more, by 21 and later. The packing is [Zstd], or [Zlib] for readers that were
// built without the other.
func EncodeCompressedBundle(bundle []byte, version int, packing Packing) ([]byte, error) {
	if _, err := bundleExtent(bundle); err != nil || !hasPrefix(bundle, magicBundle) {
		return nil, fmt.Errorf("compressing: this is no offload bundle: %w", ErrFormat)
	}
	headerBytes := map[int]int{1: 20, 2: 24, 3: 32}[version]
	if headerBytes == 0 {
		return nil, fmt.Errorf("compressing an offload bundle: there is no version %d, only 1 to 3", version)
	}
	le := binary.LittleEndian
	out := make([]byte, headerBytes, headerBytes+len(bundle)/2)
	copy(out, magicCompressed)
	le.PutUint16(out[4:], uint16(version))
	switch packing {
	case Zlib:
		le.PutUint16(out[6:], methodZlib)
	case Zstd:
		le.PutUint16(out[6:], methodZstd)
	default:
		return nil, fmt.Errorf("compressing an offload bundle: %s is no packing bundles have, only zlib and zstd", packing)
	}
	codec, err := packing.codec()
	if err != nil {
		return nil, fmt.Errorf("compressing an offload bundle: %s: %w", packing, err)
	}
	if out, err = codec.Pack(out, bundle); err != nil {
		return nil, fmt.Errorf("compressing an offload bundle: %w", err)
	}
	total, unpacked := uint64(len(out)), uint64(len(bundle))
	if version < 3 && max(total, unpacked) > math.MaxUint32 {
		return nil, fmt.Errorf("compressing an offload bundle of %d bytes: version %d ends at 4 GiB, take 3", unpacked, version)
	}
	switch version {
	case 1:
		le.PutUint32(out[8:], uint32(unpacked))
	case 2:
		le.PutUint32(out[8:], uint32(total))
		le.PutUint32(out[12:], uint32(unpacked))
	case 3:
		le.PutUint64(out[8:], total)
		le.PutUint64(out[16:], unpacked)
	}
	sum := md5.Sum(bundle)
	copy(out[headerBytes-8:], sum[:8])
	return out, nil
}
