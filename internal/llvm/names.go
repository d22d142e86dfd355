package llvm

import "github.com/kilnjit/kiln/internal/llvm/capi"

// The handles of LLVM's C API that need no owner of their own.
type (
	// Value is a value: a function, an instruction, a constant, a parameter.
	Value = capi.Value
	// Type is a type.
	Type = capi.Type
	// BasicBlock is a block of a function.
	BasicBlock = capi.BasicBlock
	// Builder makes instructions; whoever creates one disposes of it.
	Builder = capi.Builder
	// Metadata is a piece of metadata.
	Metadata = capi.Metadata
	// NamedMDNode is a module's named metadata.
	NamedMDNode = capi.NamedMDNode
	// Use is one use of a value.
	Use = capi.Use
	// Attribute is an attribute of a function, parameter or call.
	Attribute = capi.Attribute
	// AttributeIndex says which: the function, the result or a parameter.
	AttributeIndex = capi.AttributeIndex
	// Opcode is what an instruction does.
	Opcode = capi.Opcode
	// TypeKind is the kind of a type.
	TypeKind = capi.TypeKind
	// ValueKind is the kind of a value.
	ValueKind = capi.ValueKind
	// Linkage is a global's linkage.
	Linkage = capi.Linkage
	// Visibility is a global's visibility.
	Visibility = capi.Visibility
	// IntPredicate is what an icmp asks.
	IntPredicate = capi.IntPredicate
	// RealPredicate is what an fcmp asks.
	RealPredicate = capi.RealPredicate
	// TargetData is a data layout.
	TargetData = capi.TargetData
	// MissingSymbol is the error for a function that the library lacks.
	MissingSymbol = capi.MissingSymbol
)
