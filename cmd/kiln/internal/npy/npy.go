// Package npy reads and writes NumPy's array files, versions 1 to 3.
package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

const magic = "\x93NUMPY"

// Array is a decoded file.
type Array struct {
	// Type is the element type, spelled i8 to f64.
	Type string
	// Shape is the extent of each dimension; empty for a single number.
	Shape []int
	// Data are the elements in C order, little endian: a view of what was decoded.
	Data []byte
}

// Is tells whether data begins as an npy file does.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }

// Decode reads a file. Fortran order, big-endian data and structured types are
// errors that say so.
func Decode(data []byte) (*Array, error) {
	if !Is(data) {
		return nil, errors.New("not an npy file")
	}
	header, payload, err := split(data)
	if err != nil {
		return nil, err
	}
	fields, err := parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("npy header: %w", err)
	}
	size := 0
	array := &Array{Shape: fields.shape}
	if array.Type, size, err = elementType(fields.descr); err != nil {
		return nil, err
	}
	if fields.fortran && len(fields.shape) > 1 {
		return nil, errors.New("npy array in Fortran order: save it with numpy.ascontiguousarray")
	}
	total := size
	for _, n := range fields.shape {
		if n != 0 && total > math.MaxInt64/n {
			return nil, errors.New("npy shape is too large")
		}
		total *= n
	}
	if len(payload) != total {
		return nil, fmt.Errorf("npy file holds %d bytes of data, its header says %d", len(payload), total)
	}
	array.Data = payload
	return array, nil
}

func split(data []byte) (header string, payload []byte, err error) {
	truncated := errors.New("npy header is cut off")
	if len(data) < 10 {
		return "", nil, truncated
	}
	start, length := 10, int(binary.LittleEndian.Uint16(data[8:]))
	switch major := data[6]; major {
	case 1:
	case 2, 3:
		if len(data) < 12 {
			return "", nil, truncated
		}
		start, length = 12, int(binary.LittleEndian.Uint32(data[8:]))
	default:
		return "", nil, fmt.Errorf("npy version %d is unknown: 1, 2 and 3 are read", major)
	}
	if length > len(data)-start {
		return "", nil, truncated
	}
	return string(data[start : start+length]), data[start+length:], nil
}

func elementType(descr string) (name string, size int, err error) {
	unknown := fmt.Errorf("npy type %q: i1 to i8, u1 to u8, f2, f4 and f8, little endian, are read", descr)
	if len(descr) != 3 || !strings.ContainsRune("<>|=", rune(descr[0])) {
		return "", 0, unknown
	}
	size = int(descr[2] - '0')
	if size != 1 && (strings.ContainsRune(">|", rune(descr[0])) || descr[1] == 'b') {
		return "", 0, unknown
	}
	class := descr[1:2]
	if class == "b" { // booleans are bytes
		class = "u"
	}
	name = class + strconv.Itoa(8*size)
	switch name {
	case "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64":
		return name, size, nil
	}
	return "", 0, unknown
}

// Encode returns a version 1 file of one dimension holding data.
func Encode(typeName string, data []byte) ([]byte, error) {
	if len(typeName) < 2 {
		return nil, fmt.Errorf("%q is not an element type", typeName)
	}
	bits, err := strconv.Atoi(typeName[1:])
	if err != nil || bits < 8 || len(data)%(bits/8) != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of %s", len(data), typeName)
	}
	order := "<"
	if bits == 8 {
		order = "|"
	}
	descr := order + typeName[:1] + strconv.Itoa(bits/8)
	if _, _, err := elementType(descr); err != nil {
		return nil, err
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", descr, len(data)/(bits/8))
	// The data begins at a multiple of 64, the header ends with a line feed.
	padded := (len(magic)+4+len(header)+1+63)/64*64 - len(magic) - 4
	header += strings.Repeat(" ", padded-len(header)-1) + "\n"
	file := append([]byte(magic), 1, 0)
	file = binary.LittleEndian.AppendUint16(file, uint16(len(header)))
	return append(append(file, header...), data...), nil
}
