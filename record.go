package kiln

import (
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/recorder"
)

// record writes down that r was asked for, where that is wanted.
func (e *Engine) record(r *compile.Request) {
	if e.recorder == nil || r.Module == nil {
		return
	}
	if err := e.recorder.Record(r); err != nil {
		e.warn("record", err)
	}
}

func newRecorder(dir string) *recorder.Recorder {
	if dir == "" {
		return nil
	}
	return recorder.New(dir)
}
