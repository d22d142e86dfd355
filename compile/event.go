package compile

import (
	"time"

	"github.com/kilnjit/kiln/target"
)

// Event tells an observer that a stage has ended, or of something that went
// wrong beside the compile.
type Event struct {
	Stage  Stage
	Kernel string
	Target target.Target
	// Duration is the stage's wall time.
	Duration time.Duration
	// Err is why the stage and with it the compile ended, nil where it went well.
	Err error
	// Warning is a fault that does not end the compile, such as a dump that
	// could not be written; such an event has no Duration.
	Warning error
}
