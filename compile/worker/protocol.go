package worker

import (
	"context"
	"errors"
	"io/fs"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// The two ends speak over two pipes: the child reads file 3 and writes file 4. A greeting is answered by a welcome;
// then each question is answered by any number of messages, of which the last
// is Done. The child ends when its pipe does.

// protocol is the version of what follows.
const protocol = 4

const (
	requestFile = 3
	replyFile   = 4
)

// greeting is the first thing that a child reads.
type greeting struct {
	Protocol, Revision int
	// Library is the path of libLLVM.
	Library string
	Dump    string
	Memory  int64
	Tools   tool.Search
}

// welcome answers it. Fault says why the child is of no use.
type welcome struct {
	Protocol, Revision int
	Toolchain          compile.Toolchain
	Fault              string
}

// question asks for an image, or for the summary of the request's module.
type question struct {
	Summarise bool
	Request   compile.Request
}

// message is a part of an answer.
type message struct {
	// Event has come before what the message tells besides.
	Event *event
	// Begun is the stage that begins.
	Begun compile.Stage
	Done  bool
	// Reply is the image or summary, encoded.
	Reply []byte
	Fault *failure
}

// event is a compile.Event.
type event struct {
	compile.Event
	Fault   *failure
	Warning string
}

func packEvent(e compile.Event) *event {
	packed := &event{Event: e, Fault: packError(e.Err)}
	if e.Warning != nil {
		packed.Warning = e.Warning.Error()
	}
	packed.Event.Err, packed.Event.Warning = nil, nil
	return packed
}

func (e *event) unpack() compile.Event {
	event := e.Event
	if e.Fault != nil {
		event.Err = e.Fault.unpack()
	}
	if e.Warning != "" {
		event.Warning = errors.New(e.Warning)
	}
	return event
}

// failure is a compile.Error whose cause is known by what it matches.
type failure struct {
	Stage        compile.Stage
	Kernel       string
	Target       target.Target
	Summary, Log string
	Text         string
	Matches      []int
}

// sentinels are the errors that a cause can match, in the order that failures
// count them by.
var sentinels = [...]error{
	compile.ErrBadModule, compile.ErrNoKernel, compile.ErrUnsupported, compile.ErrBadRequest, compile.ErrFault,
	compile.ErrTooManyFaults, compile.ErrNoLLVM, specialize.ErrInvalid,
	target.ErrUnknownProcessor, target.ErrUnknownFeature, target.ErrUnknownTriple,
	compile.ErrMissing, context.Canceled, context.DeadlineExceeded, fs.ErrNotExist, fs.ErrPermission,
}

func packError(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error()}
	if e, ok := errors.AsType[*compile.Error](err); ok {
		f.Stage, f.Kernel, f.Target, f.Summary, f.Log = e.Stage, e.Kernel, e.Target, e.Summary, e.Log
		if e.Err != nil {
			f.Text = e.Err.Error()
		}
	} else {
		f.Summary = f.Text
	}
	for i, sentinel := range sentinels {
		if errors.Is(err, sentinel) {
			f.Matches = append(f.Matches, i)
		}
	}
	return f
}

func (f *failure) unpack() error {
	c := &cause{text: f.Text}
	for _, i := range f.Matches {
		if i >= 0 && i < len(sentinels) {
			c.matches = append(c.matches, sentinels[i])
		}
	}
	return &compile.Error{Stage: f.Stage, Kernel: f.Kernel, Target: f.Target, Summary: f.Summary, Log: f.Log, Err: c}
}

// cause is an error that reads as text and matches others.
type cause struct {
	text    string
	matches []error
}

func (c *cause) Error() string   { return c.text }
func (c *cause) Unwrap() []error { return c.matches }
