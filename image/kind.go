package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrFormat is matched by every error of this package that means: these bytes
// are not what was asked for. They are of another kind, truncated, damaged or
// of another version; the error's text says which.
var ErrFormat = errors.New("not a usable image")

// Kind is what device code comes in, told by its bytes alone.
type Kind uint8

const (
	// Bitcode is raw LLVM bitcode.
	Bitcode Kind = iota + 1
	// WrappedBitcode is LLVM bitcode behind the 20-byte wrapper header.
	WrappedBitcode
	// TextIR is LLVM assembly.
	TextIR
	// ELF is an ELF file of any machine that is no GPU.
	ELF
	// PTXText is NVIDIA's assembly.
	PTXText
	// Cubin is an ELF file of NVIDIA machine code.
	Cubin
	// AMDGPUObject is an ELF file of AMD GPU machine code: a code object, or
	// the relocatable object one is linked from.
	AMDGPUObject
	// LTOIR is the form of NVVM IR that NVIDIA's tools link.
	LTOIR
	// FatBinary is NVIDIA's container of cubins, PTX and LTO IR.
	FatBinary
	// FatBinaryWrapper is the record through which a program registers a fat
	// binary: a pointer, of no use outside its program.
	FatBinaryWrapper
	// Bundle is a clang offload bundle.
	Bundle
	// CompressedBundle is a compressed clang offload bundle.
	CompressedBundle
	// OffloadBinary is what LLVM's offload packager writes: one image with its
	// properties, or several such records behind each other.
	OffloadBinary
)

var kindNames = [...]string{
	Bitcode:          "bitcode",
	WrappedBitcode:   "wrapped bitcode",
	TextIR:           "textual IR",
	ELF:              "ELF",
	PTXText:          "PTX text",
	Cubin:            "cubin",
	AMDGPUObject:     "AMDGPU object",
	LTOIR:            "LTO IR",
	FatBinary:        "CUDA fat binary",
	FatBinaryWrapper: "CUDA fat binary wrapper",
	Bundle:           "offload bundle",
	CompressedBundle: "compressed offload bundle",
	OffloadBinary:    "offload binary",
}

// String returns the kind as messages name it, such as "wrapped bitcode", and
// "unknown" for 0.
func (k Kind) String() string {
	switch {
	case k == 0:
		return "unknown"
	case int(k) < len(kindNames):
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// IsContainer tells whether files of the kind hold other images and nothing
// else. An ELF file is none: it can hold images, but is code itself.
func (k Kind) IsContainer() bool {
	switch k {
	case FatBinary, FatBinaryWrapper, Bundle, CompressedBundle, OffloadBinary:
		return true
	}
	return false
}

const (
	magicBitcode    = "BC\xC0\xDE"
	magicWrapper    = "\xDE\xC0\x17\x0B"
	magicELF        = "\x7FELF"
	magicLTOIR      = "\xEDCN\x7F"
	magicFat        = "\x50\xED\x55\xBA"
	magicFatWrapper = "\xB1\x43\x62\x46"
	magicHIPWrapper = "FPIH"
	magicBundle     = "__CLANG_OFFLOAD_BUNDLE__"
	magicCompressed = "CCOB"
	magicOffload    = "\x10\xFF\x10\xAD"
	wrapperBytes    = 20
)

// binaryKinds are the kinds that their first bytes give away.
var binaryKinds = [...]struct {
	magic string
	kind  Kind
}{
	{magicBitcode, Bitcode},
	{magicWrapper, WrappedBitcode},
	{magicLTOIR, LTOIR},
	{magicFat, FatBinary},
	{magicFatWrapper, FatBinaryWrapper},
	{magicBundle, Bundle},
	{magicCompressed, CompressedBundle},
	{magicOffload, OffloadBinary},
}

// recogniseBinary returns the kind of everything but text, 0 if it is none.
func recogniseBinary(b []byte) Kind {
	if hasPrefix(b, magicELF) {
		return elfKind(b)
	}
	for _, k := range &binaryKinds {
		if hasPrefix(b, k.magic) {
			return k.kind
		}
	}
	return 0
}

// Recognise tells what b is by its bytes. For anything that is not device code
// kiln knows, the kind is 0 and the error matches [ErrFormat] and names what b
// looks like. Only the container is looked at: recognised bytes can still be
// damaged further in, which [Open] and [Identify] notice in part and LLVM in
// full.
func Recognise(b []byte) (Kind, error) {
	if len(b) == 0 {
		return 0, fmt.Errorf("an empty file holds no device code: %w", ErrFormat)
	}
	if kind := recogniseBinary(b); kind != 0 {
		return kind, nil
	}
	if what := foreignBinary(b); what != "" {
		return 0, foreignError(what)
	}
	// A text that was meant for the driver ends with a zero.
	text := bytes.TrimRight(b, "\x00")
	if len(text) == 0 || !isText(text) {
		n := min(len(b), 4)
		return 0, fmt.Errorf("bytes that begin % x are no device code known here (%s): %w", b[:n], knownKinds, ErrFormat)
	}
	switch {
	case isPTX(text):
		return PTXText, nil
	case len(text) < len(b):
		return 0, fmt.Errorf("text with zeros behind it is device code only as PTX, and this is none: %w", ErrFormat)
	case isTextIR(b):
		return TextIR, nil
	}
	return 0, foreignError(foreignText(b))
}

const knownKinds = "bitcode, textual IR, ELF, PTX, CUDA fat binaries, offload bundles and binaries"

func foreignError(what string) error {
	return fmt.Errorf("%s is not device code kiln reads (%s): %w", what, knownKinds, ErrFormat)
}

// Unwrap returns the part of b that LLVM reads: the inner bitcode of a wrapped
// file, textual IR without a byte order mark, everything else as it is. The
// result aliases b. Errors match [ErrFormat].
func Unwrap(b []byte) ([]byte, error) {
	kind, err := Recognise(b)
	if err != nil {
		return nil, err
	}
	switch kind {
	case WrappedBitcode:
		return unwrapBitcode(b)
	case TextIR:
		return trimBOM(b), nil
	}
	return b, nil
}

func unwrapBitcode(b []byte) ([]byte, error) {
	if len(b) < wrapperBytes {
		return nil, fmt.Errorf("wrapped bitcode of %d bytes is shorter than its header of %d: %w", len(b), wrapperBytes, ErrFormat)
	}
	offset := uint64(binary.LittleEndian.Uint32(b[8:]))
	size := uint64(binary.LittleEndian.Uint32(b[12:]))
	if offset < wrapperBytes || offset+size > uint64(len(b)) {
		return nil, fmt.Errorf("wrapped bitcode says it lies at %d+%d bytes, the file has %d: truncated or damaged: %w", offset, size, len(b), ErrFormat)
	}
	inner := b[offset : offset+size : offset+size]
	if !hasPrefix(inner, magicBitcode) {
		return nil, fmt.Errorf("the bitcode wrapper holds no bitcode: %w", ErrFormat)
	}
	return inner, nil
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}
