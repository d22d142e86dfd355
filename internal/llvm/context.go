package llvm

import (
	"slices"

	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// Context is an LLVM context: modules, types and constants live in one. It is
// made and used inside [Run], by one goroutine at a time.
type Context struct {
	handle
	ref         capi.Context
	collector   uintptr
	diagnostics diagnostics
	modules     map[*Module]struct{}
}

// NewContext returns a new context, to be closed once. What LLVM says about it
// is collected, and nothing that it says ends the process.
func NewContext() *Context {
	c := &Context{ref: capi.ContextCreate(), collector: lastCollector.Add(1), modules: map[*Module]struct{}{}}
	collectors.Store(c.collector, &c.diagnostics)
	capi.ContextSetDiagnosticHandler(c.ref, diagnosticHandler, c.collector)
	c.born("context")
	return c
}

// Ref returns the context's handle, which stays the context's.
func (c *Context) Ref() capi.Context { return c.ref }

// Close frees the context and all that lives in it, its modules included.
// Closing again does nothing.
func (c *Context) Close() {
	if !c.end() {
		return
	}
	for m := range c.modules {
		if m.end() {
			capi.DisposeModule(m.ref)
		}
	}
	c.modules = nil
	capi.ContextDispose(c.ref)
	collectors.Delete(c.collector)
}

// Diagnostics returns what LLVM has said about the context so far, bounded in
// number.
func (c *Context) Diagnostics() []Diagnostic {
	c.diagnostics.Lock()
	defer c.diagnostics.Unlock()
	return slices.Clone(c.diagnostics.list)
}

// attempt calls fn and returns its error or, failing that, the errors that
// LLVM reported meanwhile.
func (c *Context) attempt(what string, fn func() error) error {
	if err := c.use(); err != nil {
		return wrap(what, err)
	}
	length, errors := c.diagnostics.mark()
	err := fn()
	if reported := c.diagnostics.since(length, errors, what); reported != nil {
		return reported
	}
	if err != nil {
		return wrap(what, err)
	}
	return nil
}
