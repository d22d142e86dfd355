// Package packing lets package image read and write what is packed by zlib and
// zstd: compressed offload bundles, and entries of CUDA fat binaries. A program
// that opens such files imports it for its effect:
//
//	import _ "github.com/kilnjit/kiln/image/packing"
//
// Programs that only load and launch kernels do without, and start faster.
package packing

import (
	"bytes"
	"compress/zlib"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/kilnjit/kiln/image"
)

func init() {
	image.RegisterPacking(image.Zlib, image.Codec{Pack: packZlib, Unpack: unpackZlib})
	image.RegisterPacking(image.Zstd, image.Codec{Pack: packZstd, Unpack: unpackZstd})
}

func packZlib(out, data []byte) ([]byte, error) {
	b := bytes.NewBuffer(out)
	w := zlib.NewWriter(b)
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
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

func packZstd(out, data []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	out = w.EncodeAll(data, out)
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out, nil
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
