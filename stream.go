package kiln

import (
	"context"
	"errors"
	"fmt"

	"github.com/kilnjit/kiln/device"
)

// Stream is a queue of work on the engine's device. See package device for its
// rules of order and errors.
type Stream = device.Stream

// Event is a point in a stream's work.
type Event = device.Event

// Stream returns a new stream, the caller's to close.
func (e *Engine) Stream() (Stream, error) {
	if e.closed.Load() {
		return nil, ErrClosed
	}
	return e.device.Stream()
}

// Event returns a new event.
func (e *Engine) Event() (Event, error) {
	if e.closed.Load() {
		return nil, ErrClosed
	}
	return e.device.Event()
}

// LaunchOn queues a launch in a stream of the engine's device and returns. The
// arguments are checked, and what is not compiled yet is compiled, before it
// does; such errors are its own. What goes wrong later is an error of the
// stream. When ctx ends, a launch that has not begun is dropped, and a running
// one takes no further work-groups.
//
// Slices, pointers and buffers that are arguments stay alive until the launch
// has ended, when the result of a host function is there, too. Closing the
// engine waits for the launch.
func (k *Kernel) LaunchOn(ctx context.Context, s Stream, args ...LaunchArg) error {
	if s == nil {
		return fmt.Errorf("launching kernel %q: %w: no stream is given", k.info.Name, ErrArgument)
	}
	r := k.records.Get().(*record)
	r.queued = true
	queued, err := k.launchOn(ctx, s, r, args)
	if !queued {
		r.forget()
		k.records.Put(r)
	}
	return err
}

func (k *Kernel) launchOn(ctx context.Context, s Stream, r *record, args []LaunchArg) (queued bool, err error) {
	if err := k.fill(r, args); err != nil {
		return false, err
	}
	if run, err := device.Check(&k.limits, &k.facts, &r.launch); !run {
		return false, err
	}
	r.stripe.enter()
	form, err := k.form(ctx, r)
	if err == nil {
		err = r.hold(args)
	}
	if err == nil {
		err = s.Launch(ctx, form.function, &r.launch, func(err error) { k.ended(r, err) })
	}
	if err != nil {
		r.release()
		r.stripe.leave()
		return false, err
	}
	return true, nil
}

// ended is called when a queued launch has ended or was dropped.
func (k *Kernel) ended(r *record, err error) {
	if err == nil && r.result.tag != 0 {
		r.result.take(r.launch.Params[k.result.offset:])
	}
	r.release()
	r.stripe.leave()
	r.forget()
	k.records.Put(r)
}

// form returns the compiled form of the kernel that r asks for.
func (k *Kernel) form(ctx context.Context, r *record) (*specialisation, error) {
	if k.engine.closed.Load() {
		return nil, ErrClosed
	}
	hash := hashWords(r.words)
	if s := k.table.Load().find(r.words, hash); s != nil {
		return s, nil
	}
	return k.specialise(ctx, r, hash)
}

// hold keeps the buffers among the arguments from being freed.
func (r *record) hold(args []LaunchArg) error {
	var errs []error
	for i := range args {
		if m := args[i].region(); m != nil {
			if err := m.use(); err != nil {
				errs = append(errs, err)
				continue
			}
			r.held = append(r.held, m)
		}
	}
	return errors.Join(errs...)
}

func (r *record) release() {
	for i, m := range r.held {
		m.done()
		r.held[i] = nil
	}
	r.held = r.held[:0]
}
