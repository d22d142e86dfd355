package kiln

import (
	"fmt"
	"strings"
)

// String names what was given, in Go's terms.
func (a *LaunchArg) String() string {
	size := a.tag.size()
	switch a.tag.class() {
	case classInt:
		return fmt.Sprintf("an integer of %d bytes", size)
	case classFloat:
		return fmt.Sprintf("a float of %d bytes", size)
	case classPointer:
		return "a pointer"
	case classBytes:
		return fmt.Sprintf("a struct or array of %d bytes", size)
	}
	return "nothing a kernel can take"
}

// goTypes are what to write for a parameter of an LLVM type.
var goTypes = map[string]string{
	"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
	"float": "float32", "double": "float64", "ptr": "a slice or pointer", "half": "uint16 (the bits)", "bfloat": "uint16 (the bits)",
}

func spell(llvm string, size uint32) string {
	if llvm == "" {
		return "void"
	}
	return fmt.Sprintf("%s of %d bytes", llvm, size)
}

func (k *Kernel) mismatch(index int, a *LaunchArg) error {
	p := &k.info.Params[index]
	reason := fmt.Sprintf("parameter %sis %s, got %s", named(p.Name), spell(p.Type, p.Size), a.String())
	if want, ok := goTypes[p.Type]; ok {
		reason += "; give " + want
	}
	return &ArgumentError{k.info.Name, index, reason}
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return name + " "
}

func (k *Kernel) notAnArgument(index int) error {
	return &ArgumentError{k.info.Name, index, "its Go type cannot be given to a kernel: use numbers, slices, pointers, and structs or arrays without pointers"}
}

func (k *Kernel) wrongCount(args []LaunchArg) error {
	got := 0
	for i := range args {
		if kind := args[i].tag.kind(); kind == argValue || kind == argConst || kind == argBuffer || kind == argInvalid {
			got++
		}
	}
	return &ArgumentError{k.info.Name, -1, fmt.Sprintf("got %d arguments, wants %d: %s", got, len(k.params), k.Signature())}
}

// Signature returns the kernel's name and parameters as one line, such as
// "saxpy(ptr y, ptr x, float a, i32 n)".
func (k *Kernel) Signature() string {
	var b strings.Builder
	b.WriteString(k.info.Name + "(")
	for i, p := range k.info.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.Type)
		if p.Name != "" {
			b.WriteString(" " + p.Name)
		}
	}
	b.WriteString(")")
	if k.info.Result.Type != "" {
		b.WriteString(" " + k.info.Result.Type)
	}
	return b.String()
}
