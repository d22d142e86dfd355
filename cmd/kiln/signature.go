package main

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/image"
)

// typeName spells an LLVM type as arguments do, where they can.
func typeName(llvmType string) string {
	switch llvmType {
	case "half":
		return "f16"
	case "float":
		return "f32"
	case "double":
		return "f64"
	}
	return llvmType
}

// parameter spells one parameter: "const ptr x", "f32 a", "32 bytes by value".
func parameter(p *image.Param) string {
	var text string
	switch p.Kind {
	case image.Pointer:
		text = "ptr"
		if p.ReadOnly {
			text = "const ptr"
		}
	case image.Aggregate:
		text = fmt.Sprintf("%d bytes by value", p.Size)
	case image.SharedPointer:
		text = "local"
	default:
		text = typeName(p.Type)
	}
	if name := sourceName(p); name != "" {
		text += " " + name
	}
	return text
}

// sourceName returns a parameter's name without what clang's lowering adds.
func sourceName(p *image.Param) string { return strings.TrimSuffix(p.Name, ".coerce") }

// signature spells a kernel: "saxpy(ptr y, const ptr x, f32 a, i32 n)", with
// "-> f64" behind it for a host function with a result.
func signature(k *image.Kernel) string {
	params := make([]string, len(k.Params))
	for i := range k.Params {
		params[i] = parameter(&k.Params[i])
	}
	text := k.Name + "(" + strings.Join(params, ", ") + ")"
	if k.Result.Type != "" {
		text += " -> " + typeName(k.Result.Type)
	}
	return text
}
