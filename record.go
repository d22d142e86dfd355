package kiln

import (
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/manifest"
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

func newRecorder(dir string) *manifest.Recorder {
	if dir == "" {
		return nil
	}
	return manifest.NewRecorder(dir)
}
