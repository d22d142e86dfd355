package image

import (
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
	// ELF is an ELF file of any machine.
	ELF
)

// String returns the kind as messages name it, such as "wrapped bitcode".
func (k Kind) String() string {
	switch k {
	case Bitcode:
		return "bitcode"
	case WrappedBitcode:
		return "wrapped bitcode"
	case TextIR:
		return "textual IR"
	case ELF:
		return "ELF"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

const (
	magicBitcode = "BC\xC0\xDE"
	magicWrapper = "\xDE\xC0\x17\x0B"
	magicELF     = "\x7FELF"
	wrapperBytes = 20
)

// Recognise tells what b is by its bytes. For anything that is not device code
// kiln takes, the kind is 0 and the error matches [ErrFormat] and names what b
// looks like. Only the container is looked at: recognised bytes can still be
// damaged further in, which [Identify] notices in part and LLVM in full.
func Recognise(b []byte) (Kind, error) {
	switch {
	case hasPrefix(b, magicBitcode):
		return Bitcode, nil
	case hasPrefix(b, magicWrapper):
		return WrappedBitcode, nil
	case hasPrefix(b, magicELF):
		return ELF, nil
	case len(b) == 0:
		return 0, fmt.Errorf("an empty file holds no device code: %w", ErrFormat)
	}
	if what := foreignBinary(b); what != "" {
		return 0, foreignError(what)
	}
	if !isText(b) {
		n := min(len(b), 4)
		return 0, fmt.Errorf("bytes that begin % x are no device code known here (bitcode, textual IR, ELF): %w", b[:n], ErrFormat)
	}
	if isTextIR(b) {
		return TextIR, nil
	}
	return 0, foreignError(foreignText(b))
}

func foreignError(what string) error {
	return fmt.Errorf("%s is not device code kiln reads (bitcode, textual IR, ELF): %w", what, ErrFormat)
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
