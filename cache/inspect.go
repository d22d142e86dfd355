package cache

import (
	"context"
	"iter"
	"time"
)

// Info describes one entry of a store.
type Info struct {
	Key   Key
	Label string
	// Bytes is the length of the value.
	Bytes int64
	// Footprint is what the entry takes of the store's bound, in bytes.
	Footprint int64
	// Stored is when the entry was made.
	Stored time.Time
	// Used is when the entry was last returned by Get, to about an hour.
	Used time.Time
	// Place is where the entry is, such as a path; "" where that says nothing.
	Place string
}

// Lister is a store that can list its entries.
type Lister interface {
	// List yields the entries in no particular order, with only their heads
	// looked at. Something that is no good entry is yielded with an error,
	// which is a *MissError that says why; Info then holds what is known. The
	// last pair may be a zero Info with an error of the store or of ctx.
	List(ctx context.Context) iter.Seq2[Info, error]
}

// Verifier is a store whose entries carry a checksum.
type Verifier interface {
	// Verify yields what List does after reading and checking every entry whole.
	Verify(ctx context.Context) iter.Seq2[Info, error]
}

// Trimmer is a store whose entries can be removed. Both methods are safe while
// other goroutines and processes use the store: these see a miss at worst.
type Trimmer interface {
	// Trim removes entries, least recently used first, until the rest takes at
	// most maxBytes bytes; 0 removes all. It removes leftovers of writers that
	// died and nothing that the store did not make. It goes on past whatever
	// cannot be removed and returns the first such error with the report.
	Trim(ctx context.Context, maxBytes int64) (Trimmed, error)
	// Remove removes one entry. An absent one is no error.
	Remove(ctx context.Context, key Key) error
}

// Trimmed reports what a Trim did.
type Trimmed struct {
	// Entries and Bytes are what was removed.
	Entries int   `json:"entries"`
	Bytes   int64 `json:"bytes"`
	// Leftovers is the number of unfinished files removed.
	Leftovers int `json:"leftovers"`
	// Kept and KeptBytes are the entries that stay.
	Kept      int   `json:"kept"`
	KeptBytes int64 `json:"kept_bytes"`
	// Foreign is the number of things met that the store did not make.
	Foreign int `json:"foreign"`
}

// Sizer is a store that knows how full it is.
type Sizer interface {
	// Usage counts the entries.
	Usage(ctx context.Context) (Usage, error)
}

// Usage says how full a store is.
type Usage struct {
	Entries int `json:"entries"`
	// Bytes is what the entries take of the bound.
	Bytes int64 `json:"bytes"`
	// MaxBytes is the bound.
	MaxBytes int64 `json:"max_bytes"`
	// Leftovers is the number of unfinished files, of writers at work or dead.
	Leftovers int `json:"leftovers"`
	// Foreign is the number of things that the store did not make.
	Foreign int `json:"foreign"`
}
