package device

import (
	"context"
	"time"
)

// Stream is a queue of work on a device, done in the order it was given while
// the caller goes on. Safe for concurrent use. See the package's rules of
// order and errors.
//
// A context that is given with work cancels that piece of it: not begun yet,
// it is dropped with the context's error; a running kernel takes no further
// groups. Either is an error of the stream like any other.
type Stream interface {
	// Launch queues a launch, for which Check must have been called. l and what
	// it refers to belong to the stream until the launch has ended. ended,
	// unless nil, is called once then, with the launch's error or that for
	// which it was dropped, and neither blocks nor calls the stream. When Launch
	// returns an error nothing was queued, and ended is not called.
	Launch(ctx context.Context, f Function, l *Launch, ended func(error)) error
	// Write queues a copy of src to dst from offset on, Read one of src from
	// offset on to dst. The host's side must not be touched until it has ended.
	Write(ctx context.Context, dst Buffer, offset uint64, src []byte) error
	Read(ctx context.Context, dst []byte, src Buffer, offset uint64) error
	// Copy queues a copy of n bytes, between devices too where both can.
	Copy(ctx context.Context, dst Buffer, dstOffset uint64, src Buffer, srcOffset, n uint64) error
	// Fill queues n bytes of a repeated pattern of 1, 2, 4, 8 or 16 bytes, n
	// being a multiple of that.
	Fill(ctx context.Context, dst Buffer, offset, n uint64, pattern []byte) error
	// Record makes e stand for all that the stream was given so far.
	Record(e Event) error
	// Wait makes what the stream is given from now on wait for what e stands
	// for at this moment: recording e again later changes nothing. An event that was never
	// recorded is waited for by nobody. Where what e stands for went wrong, so
	// does the wait.
	Wait(ctx context.Context, e Event) error
	// Query tells whether all is done.
	Query() (done bool, err error)
	// Synchronize waits until all that was given before the call is done, or
	// until ctx ends, whose error it then returns.
	Synchronize(ctx context.Context) error
	// Close waits for what was given and returns an error not returned before.
	// Every later call gets [ErrClosed].
	Close() error
}

// Event is a point in a stream's work. Safe for concurrent use.
type Event interface {
	// Query tells whether what was recorded is done; true where nothing was. The
	// error is that for which it was not.
	Query() (done bool, err error)
	// Synchronize waits for what was recorded before the call and returns its
	// error, or that of ctx.
	Synchronize(ctx context.Context) error
	// Since returns the time from when start was passed to when this event was,
	// in ns, negative for the reverse. It is an error if one was not recorded or
	// is not done.
	Since(start Event) (time.Duration, error)
}
