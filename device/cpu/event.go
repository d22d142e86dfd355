package cpu

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kilnjit/kiln/device"
)

// point is a place that a stream's work passes once.
type point struct {
	done chan struct{}
	// at and err are set before done is closed.
	at  time.Time
	err error
}

func newPoint() *point { return &point{done: make(chan struct{})} }

func (p *point) pass(err error) {
	p.at, p.err = time.Now(), err
	close(p.done)
}

func (p *point) passed() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// await returns once the point is passed, or the error of ctx.
func (p *point) await(ctx context.Context) error {
	if p.passed() {
		return nil
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// event stands for the point that was last recorded.
type event struct {
	device *Device
	mu     sync.Mutex
	point  *point // nil before the first
}

// Event returns an event that stands for nothing yet.
func (d *Device) Event() (device.Event, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, fmt.Errorf("making an event: %w", device.ErrClosed)
	}
	return &event{device: d}, nil
}

func (e *event) recorded() *point {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.point
}

func (e *event) Query() (bool, error) {
	switch p := e.recorded(); {
	case p == nil:
		return true, nil
	case !p.passed():
		return false, nil
	default:
		return true, p.err
	}
}

func (e *event) Synchronize(ctx context.Context) error {
	p := e.recorded()
	if p == nil {
		return nil
	}
	if err := p.await(ctx); err != nil {
		return fmt.Errorf("waiting for an event: %w", err)
	}
	return p.err
}

func (e *event) Since(start device.Event) (time.Duration, error) {
	const what = "time between events"
	from, err := eventOf(start)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	begin, end := from.recorded(), e.recorded()
	if begin == nil || end == nil {
		return 0, fmt.Errorf("%s: one was never recorded: %w", what, device.ErrArgument)
	}
	if !begin.passed() || !end.passed() {
		return 0, fmt.Errorf("%s: one is not done yet: %w", what, device.ErrArgument)
	}
	if err := errors.Join(begin.err, end.err); err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	return end.at.Sub(begin.at), nil
}

func eventOf(e device.Event) (*event, error) {
	if own, ok := e.(*event); ok && own != nil {
		return own, nil
	}
	return nil, fmt.Errorf("a %T is no event of a CPU device: %w", e, device.ErrArgument)
}

func (s *stream) Record(e device.Event) error {
	const what = "recording an event"
	own, err := eventOf(e)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	p, err := s.enqueue(operation{ctx: context.Background(), what: what})
	if err == nil {
		own.point = p
	}
	return err
}

func (s *stream) Wait(ctx context.Context, e device.Event) error {
	const what = "waiting for an event in a stream"
	own, err := eventOf(e)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	p := own.recorded()
	if p == nil {
		return nil
	}
	_, err = s.enqueue(operation{ctx: ctx, what: what, run: func(ctx context.Context) error {
		if err := p.await(ctx); err != nil {
			return err
		}
		return p.err
	}})
	return err
}
