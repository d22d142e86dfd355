package compile

import (
	"encoding/binary"

	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// constant returns the constant of type t whose bytes in memory are b, little
// endian. Every bit counts, those of a NaN included. For a type that has no
// constants the error matches ErrUnsupported.
func (c *code) constant(t capi.Type, b []byte) (capi.Value, error) {
	switch kind := capi.GetTypeKind(t); kind {
	case capi.IntegerTypeKind:
		return c.integer(t, b), nil
	case capi.HalfTypeKind, capi.BFloatTypeKind, capi.FloatTypeKind, capi.DoubleTypeKind, capi.X86_FP80TypeKind, capi.FP128TypeKind:
		return c.bits(t, b), nil
	case capi.PointerTypeKind:
		address := binary.LittleEndian.Uint64(b)
		if address == 0 {
			return capi.ConstPointerNull(t), nil
		}
		return capi.ConstIntToPtr(capi.ConstInt(capi.Int64TypeInContext(c.context), address, false), t), nil
	case capi.VectorTypeKind:
		// Elements lie bit by bit, without the padding that arrays have.
		element := capi.GetElementType(t)
		width := capi.SizeOfTypeInBits(c.layout, element)
		if width%8 != 0 {
			return c.bits(t, b), nil
		}
		values, err := c.elements(element, int(capi.GetVectorSize(t)), int(width/8), b)
		if err != nil {
			return 0, err
		}
		return capi.ConstVector(values), nil
	case capi.ArrayTypeKind:
		element := capi.GetElementType(t)
		values, err := c.elements(element, int(capi.GetArrayLength2(t)), int(capi.ABISizeOfType(c.layout, element)), b)
		if err != nil {
			return 0, err
		}
		return capi.ConstArray2(element, values), nil
	case capi.StructTypeKind:
		var values []capi.Value
		for i, element := range capi.StructElementTypes(t) {
			v, err := c.constant(element, b[capi.OffsetOfElement(c.layout, t, uint32(i)):])
			if err != nil {
				return 0, err
			}
			values = append(values, v)
		}
		return capi.ConstNamedStruct(t, values), nil
	}
	return 0, faultf(ErrUnsupported, "no constant of type %s can be made", typeName(t))
}

func (c *code) elements(element capi.Type, n, stride int, b []byte) ([]capi.Value, error) {
	values := make([]capi.Value, n)
	for i := range values {
		v, err := c.constant(element, b[i*stride:])
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// integer returns b as an integer of type t. A bool is true for any byte but 0.
func (c *code) integer(t capi.Type, b []byte) capi.Value {
	width := capi.GetIntTypeWidth(t)
	if width == 1 {
		var v uint64
		if b[0] != 0 {
			v = 1
		}
		return capi.ConstInt(t, v, false)
	}
	words := make([]uint64, (width+63)/64)
	for i := range min(len(b), int(width+7)/8) {
		words[i/8] |= uint64(b[i]) << (i % 8 * 8)
	}
	if rest := width % 64; rest != 0 {
		words[len(words)-1] &= 1<<rest - 1
	}
	return capi.ConstIntOfArbitraryPrecision(t, words)
}

// bits returns the constant of type t with the bits of b.
func (c *code) bits(t capi.Type, b []byte) capi.Value {
	width := capi.IntTypeInContext(c.context, uint32(capi.SizeOfTypeInBits(c.layout, t)))
	return capi.ConstBitCast(c.integer(width, b), t)
}
