package target

import (
	"errors"
	"fmt"
	"strings"
)

// The triples of machines that are named by their processor alone.
const (
	tripleX86_64  = "x86_64-unknown-linux-gnu"
	tripleAArch64 = "aarch64-unknown-linux-gnu"
	tripleNVPTX   = "nvptx64-nvidia-cuda"
	tripleAMDGPU  = "amdgcn-amd-amdhsa"
)

// ErrUnknownTriple is matched by errors about a triple kiln makes no code for.
var ErrUnknownTriple = errors.New("unknown triple")

// codegenArch returns the family that code can be generated for, and its
// spelling, for the first component of a triple.
func codegenArch(component string) (arch Arch, canonical string) {
	switch component {
	case "x86_64", "amd64":
		return X86_64, "x86_64"
	case "aarch64", "arm64":
		return AArch64, "aarch64"
	case "nvptx64":
		return NVPTX, "nvptx64"
	case "amdgcn":
		return AMDGPU, "amdgcn"
	}
	return Unknown, ""
}

// canonicalTriple gives triples that mean the same machine one spelling.
func canonicalTriple(s string) (triple string, arch Arch, err error) {
	for c := range strings.SplitSeq(s, "-") {
		if c != "" && !isName(c) {
			return "", Unknown, fmt.Errorf("%q is no triple: components are letters, digits and . _", s)
		}
	}
	first, rest, _ := strings.Cut(s, "-")
	arch, canonical := codegenArch(first)
	if arch == Unknown {
		return "", Unknown, fmt.Errorf("%w %q: kiln makes code for x86_64, aarch64, nvptx64 and amdgcn", ErrUnknownTriple, s)
	}
	rest = strings.TrimRight(rest, "-")
	// Bundlers write the environment of a GPU, which has none, in either way.
	if (arch == NVPTX || arch == AMDGPU) && strings.Count(rest, "-") == 2 {
		rest = strings.TrimSuffix(rest, "-unknown")
	}
	switch arch {
	case X86_64, AArch64:
		before, environment, ok := strings.Cut("-"+rest, "-linux")
		switch {
		case rest == "":
			return canonical + "-unknown-linux-gnu", arch, nil
		// Cut may split a longer word than "linux": only the whole component counts.
		case ok && environment == "" && strings.Count(before, "-") <= 1:
			return canonical + "-unknown-linux-gnu", arch, nil
		case ok && strings.HasPrefix(environment, "-") && strings.Count(before, "-") <= 1 && !strings.Contains(environment[1:], "-"):
			return canonical + "-unknown-linux" + environment, arch, nil
		}
	case NVPTX:
		if rest == "" || strings.HasSuffix(rest, "-cuda") || rest == "cuda" {
			return tripleNVPTX, arch, nil
		}
	case AMDGPU:
		if rest == "" || strings.HasSuffix(rest, "-amdhsa") || rest == "amdhsa" {
			return tripleAMDGPU, arch, nil
		}
	}
	parts := strings.Split(rest, "-")
	for i, part := range parts {
		if part == "" {
			parts[i] = "unknown"
		}
	}
	return canonical + "-" + strings.Join(parts, "-"), arch, nil
}

// defaultProcessor is what a bare triple means.
func defaultProcessor(arch Arch, triple string) string {
	switch arch {
	case X86_64:
		return "x86-64"
	case NVPTX:
		return "sm_30"
	case AMDGPU:
		if triple == tripleAMDGPU {
			return "generic-hsa"
		}
	}
	return "generic"
}

func tripleOf(arch Arch) string {
	switch arch {
	case X86_64:
		return tripleX86_64
	case AArch64:
		return tripleAArch64
	case NVPTX:
		return tripleNVPTX
	case AMDGPU:
		return tripleAMDGPU
	}
	return ""
}
