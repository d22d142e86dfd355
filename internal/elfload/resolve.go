package elfload

import (
	"strings"
	"sync"

	"github.com/kilnjit/kiln/internal/ffi"
)

// library is what resolving needs of an opened library; *ffi.Library is one.
type library interface {
	Lookup(name string) (uintptr, error)
}

// resolver finds symbols in the process and in the libraries that compiled
// code needs without naming them, each opened when a name asks for it. Answers
// are kept, so what a name was found in must stay loaded, as it must for the
// images that use it.
type resolver struct {
	process func(name string) (uintptr, bool)
	open    func(soname string) (library, error)

	mu     sync.RWMutex
	found  map[string]uintptr
	opened map[string]library
}

var defaultResolver = resolver{
	process: ffi.Symbol,
	open:    func(soname string) (library, error) { return ffi.Open(soname) },
}

const (
	libMath       = "libm.so.6"
	libGCC        = "libgcc_s.so.1"
	libCxx        = "libstdc++.so.6"
	libVectorMath = "libmvec.so.1"
)

// homes returns the libraries that may define name, likeliest first.
func homes(name string) []string {
	has := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	switch {
	case has("_ZGV"):
		return []string{libVectorMath, libCxx}
	case has("_Z"), has("__cxa"), has("__gxx"), name == "__dynamic_cast":
		return []string{libCxx}
	case has("_"):
		return []string{libGCC, libMath}
	}
	return []string{libMath, libGCC}
}

// resolve returns the address of name. The error is nil when name is merely
// not there; otherwise a library that should define it cannot be opened.
func (r *resolver) resolve(name string) (addr uintptr, ok bool, err error) {
	r.mu.RLock()
	addr, ok = r.found[name]
	r.mu.RUnlock()
	if ok {
		return addr, true, nil
	}
	if addr, ok = r.process(name); ok {
		r.keep(name, addr)
		return addr, true, nil
	}
	for _, soname := range homes(name) {
		lib, e := r.openOnce(soname)
		if e != nil {
			if err == nil {
				err = e
			}
			continue
		}
		if addr, e := lib.Lookup(name); e == nil {
			r.keep(name, addr)
			return addr, true, nil
		}
	}
	return 0, false, err
}

func (r *resolver) keep(name string, addr uintptr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found == nil {
		r.found = map[string]uintptr{}
	}
	// The name is part of an object's whole string table.
	r.found[strings.Clone(name)] = addr
}

func (r *resolver) openOnce(soname string) (library, error) {
	r.mu.RLock()
	lib := r.opened[soname]
	r.mu.RUnlock()
	if lib != nil {
		return lib, nil
	}
	lib, err := r.open(soname)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened == nil {
		r.opened = map[string]library{}
	}
	r.opened[soname] = lib
	return lib, nil
}

// function tells whether r found name at addr and it is code, so that a jump
// may stand for it.
func (r *resolver) function(name string, addr uint64) bool {
	r.mu.RLock()
	found, ok := r.found[name]
	r.mu.RUnlock()
	return ok && uint64(found) == addr && isCode(r, uintptr(addr))
}

// isCode asks the dynamic loader what a library defines at addr.
func isCode(r *resolver, addr uintptr) bool {
	dladdr1, ok, _ := r.resolve("dladdr1")
	if !ok {
		return false
	}
	const (
		wantSymbol = 1 // RTLD_DL_SYMENT
		typeFunc   = 2
	)
	var info struct{ file, base, name, addr uintptr }
	var entry uintptr
	f := ffi.Enter(dladdr1)
	f.Word(addr)
	ffi.Pointer(f, &info)
	ffi.Pointer(f, &entry)
	f.Word(wantSymbol)
	if int32(f.Call()) == 0 {
		return false
	}
	if entry == 0 || info.addr != addr {
		// An exported name whose address is no exported symbol's: the version
		// that an indirect function chose.
		return true
	}
	typ := ffi.View(entry, symbolSize)[4] & 15
	return typ == typeFunc || typ == symIfunc
}
