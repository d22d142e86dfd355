package ffi

import (
	"fmt"
	"runtime"

	"github.com/ebitengine/purego"
)

// Library is an opened shared library. It stays open for the life of the
// process and is safe for concurrent use.
type Library struct {
	path   string
	handle uintptr
}

// Open opens the shared library at path, or by the loader's usual search when
// path is a bare file name. All its symbols are bound at once, and none is
// made visible to libraries opened later. The error carries the loader's text.
func Open(path string) (*Library, error) {
	// The loader keeps its error text per thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("opening library %s: %w", path, err)
	}
	return &Library{path: path, handle: handle}, nil
}

// Path returns the name that the library was opened under.
func (l *Library) Path() string { return l.path }

// Lookup returns the address of a symbol of l or of a library that l was
// linked to. The error names symbol and library.
func (l *Library) Lookup(symbol string) (uintptr, error) {
	if address := dlsym(l.handle, symbol); address != 0 {
		return address, nil
	}
	return 0, fmt.Errorf("looking up %s: no such symbol in %s", symbol, l.path)
}

// Symbol returns the address of a symbol that the process itself can see: of
// the executable and the libraries that it was started with. It costs a few
// hundred ns, hit or miss; callers that ask again keep the answer.
func Symbol(name string) (uintptr, bool) {
	address := dlsym(purego.RTLD_DEFAULT, name)
	return address, address != 0
}

var (
	dlsymAddress  = mustFind("dlsym")
	strlenAddress = mustFind("strlen")
)

// mustFind returns the address of a function of the C library.
func mustFind(name string) uintptr {
	address, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
	if err != nil {
		panic("ffi: the C library has no " + name + ": " + err.Error())
	}
	return address
}

func dlsym(handle uintptr, symbol string) uintptr {
	f := Enter(dlsymAddress)
	f.Word(handle)
	f.Text(symbol)
	return f.Call()
}
