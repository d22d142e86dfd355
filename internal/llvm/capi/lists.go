package capi

import "github.com/kilnjit/kiln/internal/ffi"

// ParamTypes returns the types of a function type's parameters.
func ParamTypes(functionType Type) []Type {
	types := make([]Type, CountParamTypes(functionType))
	GetParamTypes(functionType, types)
	return types
}

// Params returns a function's parameters.
func Params(fn Value) []Value {
	params := make([]Value, CountParams(fn))
	GetParams(fn, params)
	return params
}

// BasicBlocks returns a function's blocks, the entry first; none for a
// declaration.
func BasicBlocks(fn Value) []BasicBlock {
	blocks := make([]BasicBlock, CountBasicBlocks(fn))
	GetBasicBlocks(fn, blocks)
	return blocks
}

// StructElementTypes returns the types of a struct type's elements.
func StructElementTypes(structType Type) []Type {
	types := make([]Type, CountStructElementTypes(structType))
	GetStructElementTypes(structType, types)
	return types
}

// MDNodeOperands returns the operands of a metadata node, itself given as a
// value; an empty operand is zero.
func MDNodeOperands(node Value) []Value {
	operands := make([]Value, GetMDNodeNumOperands(node))
	GetMDNodeOperands(node, operands)
	return operands
}

// NamedMetadataOperands returns the nodes of the module's named metadata.
func NamedMetadataOperands(m Module, name string) []Value {
	operands := make([]Value, GetNamedMetadataNumOperands(m, name))
	GetNamedMetadataOperands(m, name, operands)
	return operands
}

// AttributesAtIndex returns the attributes of a function, of its result or of
// one of its parameters.
func AttributesAtIndex(fn Value, index AttributeIndex) []Attribute {
	attributes := make([]Attribute, GetAttributeCountAtIndex(fn, index))
	GetAttributesAtIndex(fn, index, attributes)
	return attributes
}

// CallSiteAttributes returns the attributes of a call, of its result or of
// one of its arguments.
func CallSiteAttributes(call Value, index AttributeIndex) []Attribute {
	attributes := make([]Attribute, GetCallSiteAttributeCount(call, index))
	GetCallSiteAttributes(call, index, attributes)
	return attributes
}

// Indices returns the indices of an extractvalue or insertvalue.
func Indices(instruction Value) []uint32 {
	return ffi.Copy[uint32](GetIndices(instruction), int(GetNumIndices(instruction)))
}

// Operands returns the operands of an instruction or constant.
func Operands(user Value) []Value {
	operands := make([]Value, GetNumOperands(user))
	for i := range operands {
		operands[i] = GetOperand(user, uint32(i))
	}
	return operands
}

// Handlers returns the handlers of a catchswitch.
func Handlers(catchSwitch Value) []BasicBlock {
	handlers := make([]BasicBlock, GetNumHandlers(catchSwitch))
	GetHandlers(catchSwitch, handlers)
	return handlers
}

// BufferBytes returns a copy of the bytes of a memory buffer.
func BufferBytes(buffer MemoryBuffer) []byte {
	return ffi.Bytes(GetBufferStart(buffer), int(GetBufferSize(buffer)))
}
