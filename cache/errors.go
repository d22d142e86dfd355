package cache

import (
	"errors"
	"fmt"
)

var (
	// ErrMiss is matched by every error of Get that means "not here": absent,
	// damaged, of another format, unreadable. Such an error is a *MissError.
	ErrMiss = errors.New("cache miss")
	// ErrReadOnly is returned by Put of a store that takes no items. It is no
	// fault: a Tiered passes over such a store.
	ErrReadOnly = errors.New("cache is read-only")
	// ErrTooLarge is matched when an item is larger than the store may ever hold.
	ErrTooLarge = errors.New("item is larger than the cache takes")
	// ErrClosed is returned by Get and Put after Close.
	ErrClosed = errors.New("cache is closed")
)

// Reason says why a Get was a miss.
type Reason string

const (
	// Absent: there is no entry.
	Absent Reason = "absent"
	// Damaged: the entry was cut, changed, or not written to its end.
	Damaged Reason = "damaged"
	// OtherFormat: the entry was written in a format that this version of kiln
	// does not read.
	OtherFormat Reason = "other format"
	// OtherKey: a whole entry, but that of another key.
	OtherKey Reason = "other key"
	// Foreign: something is there that no kiln wrote, such as a folder.
	Foreign Reason = "foreign"
	// Unreadable: the medium refused to hand over the entry.
	Unreadable Reason = "unreadable"
)

var reasons = [...]Reason{Absent, Damaged, OtherFormat, OtherKey, Foreign, Unreadable}

// MissError is a miss and why. It matches ErrMiss.
type MissError struct {
	// Store is the name of the store that was asked.
	Store string
	Key   Key
	// Reason is one of the constants of this package.
	Reason Reason
	// Err is the cause, or nil where Reason says all there is.
	Err error
}

// Error returns store, key, reason and cause in one line.
func (e *MissError) Error() string {
	text := fmt.Sprintf("cache miss in %s: key %s %s", e.Store, e.Key, e.Reason)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Is reports whether target is ErrMiss.
func (e *MissError) Is(target error) bool { return target == ErrMiss }

// Unwrap returns the cause.
func (e *MissError) Unwrap() error { return e.Err }

// MissReason returns the reason of a miss, and "" where err is none.
func MissReason(err error) Reason {
	if miss, ok := errors.AsType[*MissError](err); ok {
		return miss.Reason
	}
	if errors.Is(err, ErrMiss) {
		return Absent
	}
	return ""
}
