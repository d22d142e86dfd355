package elfload

import (
	"sync"

	"github.com/kilnjit/kiln/internal/ffi"
)

// Image is an object loaded into this process. All but Close may be used by
// any number of goroutines at once. An image that is never closed stays until
// the process ends.
type Image struct {
	memory      placement
	arenas      *arenas
	textSize    uintptr
	exports     []export
	destructors []uint64
	finalize    uintptr // __cxa_finalize, 0 if no code can have registered
	frames      []uintptr
	deregister  uintptr
	close       sync.Once
	closeErr    error
}

type export struct {
	name string
	addr uintptr
}

// Symbol returns the address of a global or weak symbol that the object
// defines, good until the image is closed. It allocates nothing; its cost
// grows with the number of such symbols, about 1 ns for each.
func (im *Image) Symbol(name string) (uintptr, bool) {
	for i := range im.exports {
		if im.exports[i].name == name {
			return im.exports[i].addr, true
		}
	}
	return 0, false
}

// Bytes returns how many bytes of memory the image takes, in whole pages.
func (im *Image) Bytes() int {
	n := 0
	for c := range im.memory.zones {
		n += len(im.memory.pages(class(c)))
	}
	return n
}

// TextRange returns the bounds of the image's code, stubs included: a program
// counter inside the object lies in [lo, hi).
func (im *Image) TextRange() (lo, hi uintptr) {
	lo = addressOf(im.memory.zones[classText])
	return lo, lo + im.textSize
}

// Close runs the image's destructors on the calling goroutine's thread, in the
// order of a process that ends (static objects first, then destructor
// functions), takes its unwind tables back and unmaps it. No thread may be
// inside the image, then or later, and no address of it may be used again.
// Closing again does nothing and returns the same error, one of unmapping.
func (im *Image) Close() error {
	im.close.Do(func() {
		if im.finalize != 0 {
			lo, _ := im.TextRange()
			ffi.Call(im.finalize, lo)
		}
		for _, f := range im.destructors {
			ffi.Call(uintptr(f))
		}
		for _, f := range im.frames {
			ffi.Call(im.deregister, f)
		}
		if err := im.arenas.give(&im.memory); err != nil {
			im.closeErr = &Error{Kind: ErrMemory, Reason: "unmapping the image", Cause: err}
		}
	})
	return im.closeErr
}

// register hands the unwind tables at the given offsets in the constants to
// libgcc's unwinder.
func (im *Image) register(frames []uint64, r *resolver) error {
	lib, err := r.openOnce(libGCC)
	if err != nil {
		return unwinderError("__register_frame", err)
	}
	register, err := lib.Lookup("__register_frame")
	if err != nil {
		return unwinderError("__register_frame", err)
	}
	if im.deregister, err = lib.Lookup("__deregister_frame"); err != nil {
		return unwinderError("__deregister_frame", err)
	}
	for _, at := range frames {
		f := addressOf(im.memory.zones[classConst]) + uintptr(at)
		ffi.Call(register, f)
		im.frames = append(im.frames, f)
	}
	return nil
}

func unwinderError(name string, cause error) error {
	return &Error{Kind: ErrUndefined, Symbol: name, Names: []string{name},
		Reason: name + ", which unwinding through the object needs", Cause: cause}
}
