package devicetest

import (
	"context"
	"errors"
	"time"

	"github.com/kilnjit/kiln/device"
)

func closes(b *bench) {
	ctx := context.Background()
	d, lib, p, s, e := b.device, b.load(b.image("empty")), b.alloc(8), b.stream(), b.event()
	variables := b.load(b.image(""))
	variable, err := variables.Variable(0)
	b.check(err)
	for range 2 {
		if err := d.Close(); err != nil {
			b.Errorf("closing: %v", err)
		}
	}
	_, load := d.Load(ctx, b.image("empty"))
	_, alloc := d.Alloc(8)
	_, stream := d.Stream()
	_, event := d.Event()
	_, query := s.Query()
	_, again := variables.Variable(0)
	for name, err := range map[string]error{
		"load": load, "alloc": alloc, "stream": stream, "event": event, "query": query, "variable": again,
		"launch":      lib.Function().Launch(over(1, nil)),
		"queue":       s.Launch(ctx, lib.Function(), over(1, nil), nil),
		"record":      s.Record(e),
		"wait":        s.Synchronize(ctx),
		"synchronize": d.Synchronize(ctx),
		"read":        variable.Read(make([]byte, 1), 0),
	} {
		if !errors.Is(err, device.ErrClosed) {
			b.Errorf("%s on a closed device: %v", name, err)
		}
	}
	if err := p.Write(0, []byte{1}); err == nil {
		b.Error("memory of a closed device was written to")
	}
	b.check(lib.Close())
	b.check(s.Close())
}

// closeUnderStreams: what has begun ends, what has not is dropped, and nothing
// hangs.
func closeUnderStreams(b *bench) {
	ctx := context.Background()
	spin, done, e := b.function("spin"), b.alloc(4), b.event()
	outcomes := make(chan error, 40)
	var streams []device.Stream
	for range 4 {
		s := b.stream()
		for range 10 {
			b.check(s.Launch(ctx, spin, spins(done, 5), func(err error) { outcomes <- err }))
			b.check(s.Record(e))
			b.check(s.Wait(ctx, e))
		}
		streams = append(streams, s)
	}
	b.check(b.device.Close())
	ran := 0
	for range 40 {
		select {
		case err := <-outcomes:
			if err == nil {
				ran++
			} else if !errors.Is(err, device.ErrClosed) {
				b.Errorf("a launch ended with %v", err)
			}
		case <-time.After(limit):
			b.Fatal("a launch does not end")
		}
	}
	if ran == 40 {
		b.Error("everything was done")
	}
	for _, s := range streams {
		if err := s.Synchronize(ctx); !errors.Is(err, device.ErrClosed) {
			b.Errorf("a stream of a closed device: %v", err)
		}
	}
}
