// Package cache keeps compiled bytes under keys. It knows keys and bytes and
// nothing of compilers or devices.
//
// A [Store] is one place that keeps entries; the packages memory and disk hold
// the two that are built in. [NewTiered] puts several behind one, nearest first.
// What a store can do beyond Get and Put it says by further interfaces:
// [Lister], [Verifier], [Trimmer] and [Sizer].
//
// A cache never decides whether a launch works. Whatever is wrong with an entry
// or with the medium is a miss with a [Reason]; the caller then makes the bytes
// again and puts them over what was there.
package cache

import (
	"context"
	"encoding/hex"
	"fmt"
)

// Key names one entry: the SHA-256 of everything that decides its bytes.
type Key [32]byte

// String returns the key as 64 hex digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// ParseKey returns the key that String printed as text.
func ParseKey(text string) (Key, error) {
	var k Key
	if len(text) != hex.EncodedLen(len(k)) {
		return Key{}, fmt.Errorf("cache key %.80q: %d characters, want %d hex digits", text, len(text), hex.EncodedLen(len(k)))
	}
	if _, err := hex.Decode(k[:], []byte(text)); err != nil {
		return Key{}, fmt.Errorf("cache key %q: %w", text, err)
	}
	return k, nil
}

// Item is what a store keeps under a key.
type Item struct {
	// Value is the bytes. Their meaning is the caller's affair.
	Value []byte
	// Label says to people what the bytes are: one short line that starts with
	// a word for their kind, such as "image nbody_step x86-64/znver4". Stores
	// keep what [CleanLabel] returns for it. Nothing is decided by a label.
	Label string
	// Detail says to people how the bytes came about: lines of "name: value",
	// which tell two items of one label apart. Stores that last keep what
	// [CleanDetail] returns for it, others may leave it out. Nothing is decided
	// by it.
	Detail string
}

// Store keeps items. Implementations are safe for concurrent use, by many
// processes where the medium is shared, and may drop any item at any time.
// The conformance suite is in cachetest.
type Store interface {
	// Name says what and where the store is, for messages: "memory", "disk /path".
	Name() string
	// Get returns the item under key. The caller must not modify its Value.
	// An error matches ErrMiss ("not here", with a Reason), or it is one of the
	// store itself: ErrClosed, ctx done, remote down. None may fail a launch.
	Get(ctx context.Context, key Key) (Item, error)
	// Put stores item under key and replaces what was there. The store keeps no
	// reference to item.Value after it returns. On an error the old item or none
	// is there, never a part of the new one. A store that takes no items
	// returns ErrReadOnly.
	Put(ctx context.Context, key Key, item Item) error
	// Stats returns what the store has counted since it was opened.
	Stats() Stats
	// Close waits for work in the background and releases what the store holds;
	// items stay where the medium lasts. Get and Put then return ErrClosed, and
	// a second Close does nothing and returns nil.
	Close() error
}
