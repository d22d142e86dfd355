package cpu

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/kilnjit/kiln/internal/elfload"
)

//go:generate go test -run TestNativeObjects -update .

// nativeRuntime is the loaded runtime: addresses of what Go calls.
type nativeRuntime struct {
	launch, takeError, open, close, free uintptr
	object                               *elfload.Object
	image                                *elfload.Image
}

// loadRuntime returns the process's one runtime. It is never unloaded, since
// the process's signal handlers lead into it.
var loadRuntime = sync.OnceValues(func() (*nativeRuntime, error) {
	object, im, err := loadObject(runtimeObject)
	if err != nil {
		return nil, fmt.Errorf("loading its runtime: %w", err)
	}
	r := nativeRuntime{object: object, image: im}
	var start uintptr
	for name, address := range map[string]*uintptr{
		"kiln_start":        &start,
		"kiln_launch":       &r.launch,
		"kiln_error_take":   &r.takeError,
		"kiln_device_open":  &r.open,
		"kiln_device_close": &r.close,
		"kiln_device_free":  &r.free,
	} {
		var ok bool
		if *address, ok = im.Symbol(name); !ok {
			return nil, fmt.Errorf("loading its runtime: no function %s", name)
		}
	}
	if err := startRuntime(start, runtime.NumCPU()-1); err != nil {
		return nil, fmt.Errorf("starting its runtime: %w", err)
	}
	return &r, nil
})

// loadBarrier returns the address of the exception barrier, and opens the C++
// library for it. Like the runtime it stays.
var loadBarrier = sync.OnceValues(func() (uintptr, error) {
	_, im, err := loadObject(barrierObject)
	if err != nil {
		return 0, fmt.Errorf("loading the exception barrier: %w", err)
	}
	barrier, ok := im.Symbol("kiln_barrier")
	if !ok {
		return 0, errors.New("loading the exception barrier: no function kiln_barrier")
	}
	return barrier, nil
})

func loadObject(object []byte) (*elfload.Object, *elfload.Image, error) {
	if object == nil {
		return nil, nil, fmt.Errorf("there is none for %s/%s: %w", runtime.GOOS, runtime.GOARCH, errors.ErrUnsupported)
	}
	o, err := elfload.Parse(object)
	if err != nil {
		return nil, nil, err
	}
	im, err := o.Load(elfload.Options{})
	return o, im, err
}
