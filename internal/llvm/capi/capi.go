// Package capi is LLVM's C API in Go: for each C function of the headers a
// typed Go function, with the prefix LLVM dropped. Handles are words of
// distinct types. Nothing here owns anything: a handle is disposed of by the
// caller through the function that LLVM names for it.
//
// Text goes in and out as Go strings. Text that LLVM gives away comes as a
// [Message], whose Take copies and frees it. An array with its length is a
// slice. A variable whose address is passed moves to the heap.
//
// The functions need [Bind] first, and panic with a [*MissingSymbol] where
// the library in use lacks a function; package llvm's Run turns that into an
// error. What LLVM says about threads holds here: a context and all it owns
// belong to one thread at a time.
package capi

//go:generate go run ./gen

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kilnjit/kiln/internal/ffi"
)

type symbol int

type versionSet uint8

const (
	in19 versionSet = 1 << iota
	in22
)

type symbolInfo struct {
	name string
	in   versionSet
}

var (
	library   atomic.Pointer[ffi.Library]
	addresses [symbolCount]atomic.Uintptr
)

// Bind makes l the library that all functions call. It can be given once; any
// later call returns an error unless l is the same library.
func Bind(l *ffi.Library) error {
	if !library.CompareAndSwap(nil, l) && library.Load() != l {
		return fmt.Errorf("binding LLVM: %s is in use, %s cannot be", library.Load().Path(), l.Path())
	}
	return nil
}

// MissingSymbol is what a call of a function panics with where the library in
// use does not have it.
type MissingSymbol struct {
	// Symbol is the C name.
	Symbol string
	// Library is the path of the library in use; "" if there is none yet.
	Library string
	// Versions says in words which versions of LLVM have the symbol.
	Versions string
}

// Error names the symbol, the library and the versions that have the symbol.
func (e *MissingSymbol) Error() string {
	if e.Library == "" {
		return fmt.Sprintf("calling %s: no LLVM library is open", e.Symbol)
	}
	return fmt.Sprintf("calling %s: %s does not have it; %s does", e.Symbol, e.Library, e.Versions)
}

// Has reports whether the library in use has the C function called name, with
// or without its prefix LLVM. Only functions of this package are known.
func Has(name string) bool {
	s, ok := symbolNames()[name]
	if !ok {
		s, ok = symbolNames()["LLVM"+name]
	}
	return ok && resolve(s) != 0
}

var symbolNames = sync.OnceValue(func() map[string]symbol {
	names := make(map[string]symbol, symbolCount)
	for s, info := range symbols {
		names[info.name] = symbol(s)
	}
	return names
})

// resolve returns the address of s, or 0.
func resolve(s symbol) uintptr {
	if a := addresses[s].Load(); a != 0 {
		return a
	}
	l := library.Load()
	if l == nil {
		return 0
	}
	a, err := l.Lookup(symbols[s].name)
	if err != nil {
		return 0
	}
	addresses[s].Store(a)
	return a
}

// enter begins a call of s.
func enter(s symbol) *ffi.Frame {
	a := addresses[s].Load()
	if a == 0 {
		a = mustResolve(s)
	}
	return ffi.Enter(a)
}

func mustResolve(s symbol) uintptr {
	a := resolve(s)
	if a == 0 {
		missing := &MissingSymbol{Symbol: symbols[s].name, Versions: symbols[s].in.String()}
		if l := library.Load(); l != nil {
			missing.Library = l.Path()
		}
		panic(missing)
	}
	return a
}

// String says which versions are in v, in words.
func (v versionSet) String() string {
	switch v {
	case in19:
		return "LLVM 19"
	case in22:
		return "LLVM 22"
	}
	return "LLVM 19 to 22"
}

// Message is text that LLVM has given away; zero is none. It is to be freed
// once, by Take or [DisposeMessage].
type Message uintptr

// Take returns a copy of the text and frees LLVM's; "" for no message.
func (m Message) Take() string {
	if m == 0 {
		return ""
	}
	s := ffi.GoString(uintptr(m))
	DisposeMessage(m)
	return s
}

// ErrorMessage is the text of an [Error], given away by LLVM; zero is none.
type ErrorMessage uintptr

// Take returns a copy of the text and frees LLVM's; "" for no message.
func (m ErrorMessage) Take() string {
	if m == 0 {
		return ""
	}
	s := ffi.GoString(uintptr(m))
	DisposeErrorMessage(m)
	return s
}

// binding is a C function that is called through a Go function variable.
type binding[F any] struct {
	once sync.Once
	fn   F
}

func (b *binding[F]) get(s symbol) F {
	a := mustResolve(s)
	b.once.Do(func() { ffi.Bind(&b.fn, a) })
	return b.fn
}

var retainedTexts struct {
	sync.Mutex
	texts []*ffi.Text
}

// retain returns the address of a copy of s that stays for good. Equal texts
// share one.
func retain(s string) uintptr {
	retainedTexts.Lock()
	defer retainedTexts.Unlock()
	i := slices.IndexFunc(retainedTexts.texts, func(t *ffi.Text) bool { return t.String() == s })
	if i < 0 {
		i = len(retainedTexts.texts)
		retainedTexts.texts = append(retainedTexts.texts, ffi.NewText(s))
	}
	return retainedTexts.texts[i].Address()
}
