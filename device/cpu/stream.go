package cpu

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/kilnjit/kiln/device"
)

// stream is a queue that a goroutine works through while it is not empty.
type stream struct {
	device *Device

	mu      sync.Mutex
	queue   []operation
	working bool
	closed  bool
	failed  error  // not returned yet; the queue is empty then
	last    *point // of the last operation queued, nil before the first
	current *point // of the last operation begun
}

// operation is one piece of a stream's work.
type operation struct {
	ctx  context.Context
	what string
	run  func(ctx context.Context) error // nil: only a point
	// ended, unless nil, is told of the outcome, that of an operation that was
	// dropped included.
	ended func(error)
	point *point
}

func (o *operation) end(err error) {
	if o.ended != nil {
		o.ended(err)
	}
	o.point.pass(err)
}

// Stream returns an idle stream, which costs a few hundred bytes. While it has
// work a goroutine goes through it.
func (d *Device) Stream() (device.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, fmt.Errorf("making a stream: %w", device.ErrClosed)
	}
	s := &stream{device: d}
	d.streams[s] = struct{}{}
	return s, nil
}

// enqueue adds an operation, unless there is an error to return first, and
// returns its point.
func (s *stream) enqueue(o operation) (*point, error) {
	o.point = newPoint()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.take(); err != nil {
		return nil, err
	}
	if s.closed {
		return nil, fmt.Errorf("%s: %w", o.what, device.ErrClosed)
	}
	s.queue = append(s.queue, o)
	s.last = o.point
	if !s.working {
		s.working = true
		go s.work()
	}
	return o.point, nil
}

// take returns the stream's error and forgets it. It needs the lock.
func (s *stream) take() error {
	err := s.failed
	s.failed = nil
	return err
}

func (s *stream) work() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.working, s.queue = false, nil
			s.mu.Unlock()
			return
		}
		o := s.queue[0]
		s.queue[0] = operation{}
		s.queue = s.queue[1:]
		s.current = o.point
		s.mu.Unlock()

		err := o.ctx.Err()
		if err == nil && o.run != nil {
			err = o.run(o.ctx)
		}
		if err == nil {
			o.end(nil)
		} else {
			s.fail(&o, fmt.Errorf("%s: %w", o.what, err))
		}
	}
}

// fail ends the operation and all that is queued behind it. Whoever calls the
// stream next gets the error.
func (s *stream) fail(o *operation, err error) {
	s.mu.Lock()
	dropped := s.queue
	s.queue, s.failed = nil, err
	s.mu.Unlock()
	o.end(err)
	for i := range dropped {
		dropped[i].end(fmt.Errorf("%s, behind what went wrong before: %w", dropped[i].what, err))
	}
}

func (s *stream) Launch(ctx context.Context, f device.Function, l *device.Launch, ended func(error)) error {
	own, ok := f.(*function)
	if !ok || own.library.device != s.device {
		return fmt.Errorf("launching in a stream: the function is not one of %s: %w", s.device.name, device.ErrArgument)
	}
	if own.closed.Load() {
		return own.failed(device.ErrClosed)
	}
	_, err := s.enqueue(operation{
		ctx: ctx, what: "launching in a stream", ended: ended,
		run: func(ctx context.Context) error { return own.launchUntil(ctx, l) },
	})
	return err
}

// launchUntil is Launch that takes no further groups once ctx has ended.
func (f *function) launchUntil(ctx context.Context, l *device.Launch) error {
	if ctx.Done() == nil {
		return f.Launch(l)
	}
	stop := new(stopFlag)
	forget := context.AfterFunc(ctx, stop.set)
	defer forget()
	err := f.launch(l, stop)
	if errors.Is(err, errStopped) {
		return f.failed(ctx.Err())
	}
	return err
}

func (s *stream) Query() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false, fmt.Errorf("asking a stream: %w", device.ErrClosed)
	}
	return s.last == nil || s.last.passed(), s.take()
}

func (s *stream) Synchronize(ctx context.Context) error {
	s.mu.Lock()
	last, closed := s.last, s.closed
	s.mu.Unlock()
	if closed {
		return fmt.Errorf("waiting for a stream: %w", device.ErrClosed)
	}
	return s.await(ctx, last)
}

// await waits for the point and takes the stream's error.
func (s *stream) await(ctx context.Context, last *point) error {
	if last != nil {
		if err := last.await(ctx); err != nil {
			return fmt.Errorf("waiting for a stream: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take()
}

func (s *stream) Close() error {
	s.device.mu.Lock()
	delete(s.device.streams, s)
	s.device.mu.Unlock()
	return s.shut()
}

func (s *stream) shut() error {
	s.mu.Lock()
	closed, last := s.closed, s.last
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	return s.await(context.Background(), last)
}

// abandon drops what has not begun and returns the point of what has.
func (s *stream) abandon() *point {
	s.mu.Lock()
	dropped := s.queue
	s.closed, s.queue = true, nil
	current := s.current
	s.mu.Unlock()
	for i := range dropped {
		dropped[i].end(fmt.Errorf("%s: %w", dropped[i].what, device.ErrClosed))
	}
	return current
}

// Synchronize waits for all streams.
func (d *Device) Synchronize(ctx context.Context) error {
	d.mu.Lock()
	closed := d.closed
	streams := make([]*stream, 0, len(d.streams))
	for s := range d.streams {
		streams = append(streams, s)
	}
	d.mu.Unlock()
	if closed {
		return fmt.Errorf("waiting for a device: %w", device.ErrClosed)
	}
	last := make([]*point, len(streams))
	for i, s := range streams {
		s.mu.Lock()
		last[i] = s.last
		s.mu.Unlock()
	}
	var errs []error
	for i, s := range streams {
		errs = append(errs, s.await(ctx, last[i]))
	}
	return errors.Join(errs...)
}
