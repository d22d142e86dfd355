// Package target names what code is generated for: triples, processors and
// features. It is pure: nothing here opens LLVM, a driver or a file, except
// [Native], which asks the processor itself.
package target

import "strings"

// Target is one machine code is generated for. The zero value is no target.
// It is a plain comparable value: two targets that mean the same machine
// compare equal once made by [Parse] or [Native].
type Target struct {
	// Triple is the LLVM target triple, such as "x86_64-unknown-linux-gnu",
	// "nvptx64-nvidia-cuda" or "amdgcn-amd-amdhsa".
	Triple string
	// Processor is the name LLVM knows the processor by: "znver4", "sm_80", "gfx90a".
	Processor string
	// Features is LLVM's feature string in normal form: sorted by name, each
	// name once, each with its sign, separated by commas. Empty means the
	// processor's own set.
	Features string
}

// Arch is the instruction set family of a triple.
type Arch uint8

// The families kiln knows.
const (
	Unknown Arch = iota
	X86_64
	AArch64
	NVPTX
	AMDGPU
	SPIR
)

// ArchOf returns the family that a triple or a bare architecture name means.
func ArchOf(triple string) Arch {
	arch, _, _ := strings.Cut(triple, "-")
	switch arch {
	case "x86_64", "amd64":
		return X86_64
	case "aarch64", "arm64":
		return AArch64
	case "nvptx", "nvptx64":
		return NVPTX
	case "amdgcn", "r600":
		return AMDGPU
	case "spir", "spir64", "spirv", "spirv64":
		return SPIR
	}
	return Unknown
}

// String returns the family's name in messages, such as "x86-64".
func (a Arch) String() string {
	switch a {
	case X86_64:
		return "x86-64"
	case AArch64:
		return "aarch64"
	case NVPTX:
		return "nvptx"
	case AMDGPU:
		return "amdgpu"
	case SPIR:
		return "spir"
	}
	return "unknown"
}

// Arch returns the family of the target's triple.
func (t Target) Arch() Arch { return ArchOf(t.Triple) }

// String returns "triple/processor" followed by "/features" where there are any.
func (t Target) String() string {
	s := t.Triple + "/" + t.Processor
	if t.Features != "" {
		s += "/" + t.Features
	}
	return s
}
