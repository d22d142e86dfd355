package target

import "sync"

// Native returns the processor this process runs on, with every feature that
// LLVM's own detection would turn on or off, by asking the processor alone: no
// file is read and LLVM is not opened. A feature whose registers the operating
// system does not save counts as absent. A processor of no known model becomes
// the x86-64 level it reaches.
//
// Names are those of LLVM 22; [Target.Narrow] fits them to an older one. The
// answer is worked out once. Native fails where kiln has no detection: on other
// systems than Linux on x86-64 and arm64.
func Native() (Target, error) { return native() }

var native = sync.OnceValues(detect)
