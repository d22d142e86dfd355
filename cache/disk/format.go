package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/kilnjit/kiln/cache"
)

// An entry is one file; numbers are little-endian:
//
//	offset  bytes
//	0       8     magic
//	8       4     format version
//	12      4     length of the label
//	16      8     length of the value in the file
//	24      8     time of storing, ns since 1970
//	32      32    key
//	64      8     length of the value
//	72      4     length of the detail
//	76      4     how the value is in the file: 0 as it is, 1 one block of LZ4
//	80            label, detail, value
//	at end  32    SHA-256 of all before it
//
// The file name and the lengths are not trusted: the checksum comes first, then
// everything is compared with everything.

// formatVersion is the version of the layout above. A change of the layout takes
// the next number, and numbers are not used again: files of another version are
// misses and are overwritten.
//
//	1  without detail and compression
//	2  the layout above
const formatVersion = 2

// magic starts every entry of every version. Like PNG's it shows where a
// transfer changed line ends or cut the eighth bit.
const magic = "\x8bkiln\r\n\x1a"

const (
	headSize = 80
	sumSize  = sha256.Size
	// maxEntry bounds what a reader takes into memory, in bytes: 1 GiB.
	maxEntry = 1 << 30
)

// parts returns an entry as the three byte strings that make up its file.
func parts(key cache.Key, item cache.Item, stored time.Time) (head, value []byte, sum [sumSize]byte, err error) {
	label, detail := cache.CleanLabel(item.Label), cache.CleanDetail(item.Detail)
	if n := int64(headSize+len(label)+len(detail)+sumSize) + int64(len(item.Value)); n > maxEntry {
		return nil, nil, sum, fmt.Errorf("%w: %d bytes, limit %d", cache.ErrTooLarge, n, maxEntry)
	}
	value, how := pack(item.Value)
	head = make([]byte, headSize, headSize+len(label)+len(detail))
	copy(head, magic)
	binary.LittleEndian.PutUint32(head[8:], formatVersion)
	binary.LittleEndian.PutUint32(head[12:], uint32(len(label)))
	binary.LittleEndian.PutUint64(head[16:], uint64(len(value)))
	binary.LittleEndian.PutUint64(head[24:], uint64(stored.UnixNano()))
	copy(head[32:], key[:])
	binary.LittleEndian.PutUint64(head[64:], uint64(len(item.Value)))
	binary.LittleEndian.PutUint32(head[72:], uint32(len(detail)))
	binary.LittleEndian.PutUint32(head[76:], how)
	head = append(append(head, label...), detail...)

	h := sha256.New()
	h.Write(head)
	h.Write(value)
	h.Sum(sum[:0])
	return head, value, sum, nil
}

// flaw is what is wrong with an entry.
type flaw struct {
	reason cache.Reason
	err    error
}

func damaged(format string, args ...any) *flaw {
	return &flaw{cache.Damaged, fmt.Errorf(format, args...)}
}

var (
	errNoMagic  = errors.New("no kiln cache entry")
	errChecksum = errors.New("checksum differs")
)

// decode returns the item of an entry's file, which must be that of key. The
// item's value is a part of file.
func decode(file []byte, key cache.Key) (cache.Item, *flaw) {
	if f := checkWhole(file); f != nil {
		return cache.Item{}, f
	}
	end := len(file) - sumSize
	h, f := decodeHead(file[:end])
	if f != nil {
		return cache.Item{}, f
	}
	if h.key != key {
		return cache.Item{}, otherKey(h.key)
	}
	if got := int64(end) - h.valueAt; got != h.packedLen {
		return cache.Item{}, damaged("value of %d bytes, %d promised", got, h.packedLen)
	}
	value, f := unpack(file[h.valueAt:end:end], h.valueLen, h.how)
	if f != nil {
		return cache.Item{}, f
	}
	detail := cache.CleanDetail(string(file[h.valueAt-h.detailLen : h.valueAt]))
	return cache.Item{Value: value, Label: h.label, Detail: detail}, nil
}

func checksum(body []byte) [sumSize]byte { return sha256.Sum256(body) }

// checkWhole returns the flaw of a file that was changed after it was written.
func checkWhole(file []byte) *flaw {
	if len(file) >= headSize+sumSize {
		end := len(file) - sumSize
		sum := checksum(file[:end])
		if bytes.Equal(sum[:], file[end:]) {
			return nil
		}
	}
	// What it is instead is for the statistics alone.
	switch {
	case len(file) < len(magic) && bytes.HasPrefix([]byte(magic), file):
		return damaged("%d bytes long", len(file))
	case !bytes.HasPrefix(file, []byte(magic)):
		if len(bytes.Trim(file, "\x00")) == 0 {
			return damaged("%d zero bytes", len(file))
		}
		return &flaw{cache.Foreign, errNoMagic}
	case len(file) >= 12 && version(file) != formatVersion:
		return otherFormat(file)
	}
	return &flaw{cache.Damaged, errChecksum}
}

func version(head []byte) uint32 { return binary.LittleEndian.Uint32(head[8:]) }

func otherFormat(head []byte) *flaw {
	return &flaw{cache.OtherFormat, fmt.Errorf("format %d, this kiln reads %d", version(head), formatVersion)}
}

func otherKey(key cache.Key) *flaw {
	return &flaw{cache.OtherKey, fmt.Errorf("the entry is that of key %s", key)}
}

// head is what an entry says of itself.
type head struct {
	key                cache.Key
	label              string
	detailLen, valueAt int64
	// packedLen is the value's length in the file.
	packedLen, valueLen int64
	how                 uint32
	stored              time.Time
}

// size returns the length that the entry's file must have.
func (h head) size() int64 { return h.valueAt + h.packedLen + sumSize }

// decodeHead reads the start of an entry, which holds at least the whole label.
// It can be used on bytes whose checksum was not checked.
func decodeHead(file []byte) (head, *flaw) {
	switch {
	case len(file) >= len(magic) && !bytes.HasPrefix(file, []byte(magic)):
		return head{}, &flaw{cache.Foreign, errNoMagic}
	case len(file) >= 12 && version(file) != formatVersion:
		return head{}, otherFormat(file)
	case len(file) < headSize:
		return head{}, damaged("%d bytes long", len(file))
	}
	labelLen, detailLen := binary.LittleEndian.Uint32(file[12:]), binary.LittleEndian.Uint32(file[72:])
	packedLen, valueLen := binary.LittleEndian.Uint64(file[16:]), binary.LittleEndian.Uint64(file[64:])
	switch {
	case labelLen > cache.MaxLabel || int(labelLen) > len(file)-headSize:
		return head{}, damaged("label of %d bytes", labelLen)
	case detailLen > cache.MaxDetail:
		return head{}, damaged("detail of %d bytes", detailLen)
	case packedLen > maxEntry || valueLen > maxEntry:
		return head{}, damaged("value of %d bytes in %d", valueLen, packedLen)
	}
	h := head{
		label:     cache.CleanLabel(string(file[headSize:][:labelLen])),
		detailLen: int64(detailLen),
		valueAt:   headSize + int64(labelLen) + int64(detailLen),
		packedLen: int64(packedLen),
		valueLen:  int64(valueLen),
		how:       binary.LittleEndian.Uint32(file[76:]),
		stored:    time.Unix(0, int64(binary.LittleEndian.Uint64(file[24:]))),
	}
	copy(h.key[:], file[32:])
	return h, nil
}
