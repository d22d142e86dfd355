package elfload

import (
	"errors"
	"fmt"
	"strings"
)

// What an [*Error] is about, for errors.Is.
var (
	// ErrFormat means that the bytes are not a relocatable object of a machine
	// this package knows, or are damaged.
	ErrFormat = errors.New("not a loadable object")
	// ErrUnsupported means that the object is well formed but uses something
	// this package does not take, such as thread-local storage.
	ErrUnsupported = errors.New("unsupported object")
	// ErrUndefined means that symbols the object needs were found nowhere.
	ErrUndefined = errors.New("undefined symbols")
	// ErrRange means that a relocated value does not fit its field.
	ErrRange = errors.New("relocation out of range")
	// ErrMemory means that the system refused memory or a change of protection.
	ErrMemory = errors.New("no memory for the image")
)

// Error is the type of every error of this package. Fields that do not apply
// are empty.
type Error struct {
	// Kind is one of the sentinels of this package.
	Kind error
	// Reason says what is wrong and, where that can be known, what to do.
	Reason string
	// Section and Symbol name the place in the object.
	Section, Symbol string
	// Reloc is the relocation's name in the psABI, such as "R_X86_64_TPOFF32".
	Reloc string
	// Names holds all undefined symbols, sorted, when Kind is ErrUndefined.
	Names []string
	// Cause is the error of the system below, if there was one.
	Cause error
}

// Error returns one line of text.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("elfload: ")
	b.WriteString(e.Kind.Error())
	if e.Reloc != "" {
		fmt.Fprintf(&b, ": %s against %q", e.Reloc, e.Symbol)
		if e.Section != "" {
			fmt.Fprintf(&b, " in section %s", e.Section)
		}
	}
	if e.Reason != "" {
		b.WriteString(": ")
		b.WriteString(e.Reason)
	}
	if e.Cause != nil {
		b.WriteString(": ")
		b.WriteString(e.Cause.Error())
	}
	return b.String()
}

// Unwrap returns Kind and Cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

func damaged(format string, args ...any) error {
	return &Error{Kind: ErrFormat, Reason: fmt.Sprintf(format, args...)}
}

func unsupported(format string, args ...any) error {
	return &Error{Kind: ErrUnsupported, Reason: fmt.Sprintf(format, args...)}
}
