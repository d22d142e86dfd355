// Package argument reads kernel arguments as the command line spells them and
// makes their values.
package argument

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Type is an element type.
type Type uint8

// The element types, spelled i8 to f64.
const (
	I8 Type = iota
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F16
	F32
	F64
)

var typeNames = [...]string{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"}

// ParseType reads a type's name.
func ParseType(s string) (Type, error) {
	i := slices.Index(typeNames[:], s)
	if i < 0 {
		return 0, fmt.Errorf("%q is not a type: the types are %s", s, strings.Join(typeNames[:], " "))
	}
	return Type(i), nil
}

// String returns the type's name.
func (t Type) String() string { return typeNames[t] }

// Size returns the type's size in bytes.
func (t Type) Size() int { return [...]int{1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8}[t] }

// Float tells whether the type is a floating-point one.
func (t Type) Float() bool { return t >= F16 }

// Signed tells whether the type is a signed integer.
func (t Type) Signed() bool { return t <= I64 }

// Load returns element i of data as a float64, which is exact but for large
// 64-bit integers.
func (t Type) Load(data []byte, i int) float64 {
	at := data[i*t.Size():]
	switch t {
	case I8:
		return float64(int8(at[0]))
	case I16:
		return float64(int16(binary.LittleEndian.Uint16(at)))
	case I32:
		return float64(int32(binary.LittleEndian.Uint32(at)))
	case I64:
		return float64(int64(binary.LittleEndian.Uint64(at)))
	case U8:
		return float64(at[0])
	case U16:
		return float64(binary.LittleEndian.Uint16(at))
	case U32:
		return float64(binary.LittleEndian.Uint32(at))
	case U64:
		return float64(binary.LittleEndian.Uint64(at))
	case F16:
		return float16(binary.LittleEndian.Uint16(at))
	case F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(at)))
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(at))
}

// put writes the low bytes of bits as element i of data.
func (t Type) put(data []byte, i int, bits uint64) {
	switch t.Size() {
	case 1:
		data[i] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(data[2*i:], uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(data[4*i:], uint32(bits))
	default:
		binary.LittleEndian.PutUint64(data[8*i:], bits)
	}
}

// floatBits returns v rounded to the type's own precision, as bits.
func (t Type) floatBits(v float64) uint64 {
	switch t {
	case F16:
		return uint64(float16Bits(v))
	case F32:
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// floatValue returns the value of bits made by floatBits.
func (t Type) floatValue(bits uint64) float64 {
	var data [8]byte
	binary.LittleEndian.PutUint64(data[:], bits)
	return t.Load(data[:], 0)
}

// Sum returns the sum of data's elements, added up in order in float64.
func Sum(t Type, data []byte) float64 {
	sum := 0.0
	switch t {
	case F32:
		for i := 0; i+4 <= len(data); i += 4 {
			sum += float64(math.Float32frombits(binary.LittleEndian.Uint32(data[i:])))
		}
	default:
		for i := range len(data) / t.Size() {
			sum += t.Load(data, i)
		}
	}
	return sum
}
