// Package cache keeps compiled bytes under keys. It knows keys and bytes and
// nothing of compilers or devices.
package cache

import (
	"context"
	"encoding/hex"
	"errors"
)

// Key names one entry: the SHA-256 of everything that decides its bytes.
type Key [32]byte

// String returns the key as 64 hex digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ErrMiss is matched by every error of Get that means "not here": absent,
// damaged, of another format, unreadable. The error's text gives the reason.
var ErrMiss = errors.New("cache miss")

// Store keeps entries. Implementations are safe for concurrent use, by many
// processes where the medium is shared. The conformance suite is in cachetest.
type Store interface {
	// Name says what and where the store is, for messages: "memory", "disk /path".
	Name() string
	// Get returns the entry's bytes, which the caller must not modify. Every
	// error matches ErrMiss or is an error of the store itself (ctx done,
	// remote down); neither may fail a launch.
	Get(ctx context.Context, key Key) ([]byte, error)
	// Put stores value under key and replaces what was there. The store keeps
	// no reference to value after it returns unless it is documented to.
	Put(ctx context.Context, key Key, value []byte) error
	// Close releases what the store holds; entries stay where the medium lasts.
	Close() error
}
