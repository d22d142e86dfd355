package llvm

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/kilnjit/kiln/internal/ffi"
	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// ErrNotOpen is returned by [Run] before [Open] has succeeded.
var ErrNotOpen = errors.New("LLVM is not open")

var current struct {
	sync.Mutex
	library Library
	failed  error
	open    atomic.Bool
}

// Open opens the library, once a process: a second call for the same file is
// answered at once, one for another file is an error. The file must still be
// the one that [Locate] saw, and the library of the version that its name
// says. A library that was loaded and then refused stays loaded, and the
// error stays.
func Open(library Library) error {
	current.Lock()
	defer current.Unlock()
	if current.library.Path != "" && current.library != library {
		return fmt.Errorf("opening LLVM: %s (build %s) is open in this process, %s (build %s) cannot be as well",
			current.library.Path, current.library.BuildID, library.Path, library.BuildID)
	}
	if current.open.Load() || current.failed != nil {
		return current.failed
	}
	handle, err := ffi.Open(library.Path)
	if err != nil {
		return fmt.Errorf("opening LLVM: %w", err)
	}
	current.library = library
	if current.failed = bind(library, handle); current.failed == nil {
		current.open.Store(true)
	}
	return current.failed
}

// Opened reports whether [Open] has succeeded.
func Opened() bool { return current.open.Load() }

// Current returns the library that is open; its Path is empty before that.
func Current() Library {
	if !Opened() {
		return Library{}
	}
	current.Lock()
	defer current.Unlock()
	return current.library
}

func bind(library Library, handle *ffi.Library) error {
	now, err := identify(library.Path)
	if err != nil {
		return err
	}
	if now != library {
		return fmt.Errorf("opening LLVM: %s has changed since it was located (build %s, now %s)", library.Path, library.BuildID, now.BuildID)
	}
	if err := capi.Bind(handle); err != nil {
		return err
	}
	if !capi.Has("GetVersion") {
		return fmt.Errorf("opening LLVM: %s has no LLVMGetVersion: %s", library.Path, install)
	}
	var major, minor, patch uint32
	capi.GetVersion(&major, &minor, &patch)
	if version := fmt.Sprintf("%d.%d", major, minor); version != library.Version {
		return fmt.Errorf("opening LLVM: %s is named as version %s and is %s", library.Path, library.Version, version)
	}
	capi.InstallFatalErrorHandler(capi.FatalErrorHandler(ffi.Callback(onFatalError)))
	diagnosticHandler = capi.DiagnosticHandler(ffi.Callback(onDiagnostic))
	return nil
}
