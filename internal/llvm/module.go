package llvm

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"

	"github.com/kilnjit/kiln/internal/llvm/capi"
)

func wrap(what string, err error) error { return fmt.Errorf("%s: %w", what, err) }

// Module is a module in a context. It is closed once, by Close, by the
// context's Close, or by being linked into another.
type Module struct {
	handle
	context *Context
	ref     capi.Module
	name    string
}

func (c *Context) adopt(name string, ref capi.Module) *Module {
	m := &Module{context: c, ref: ref, name: name}
	m.owner = &c.handle
	c.modules[m] = struct{}{}
	m.born("module")
	return m
}

// NewModule returns an empty module.
func (c *Context) NewModule(name string) *Module {
	return c.adopt(name, capi.ModuleCreateWithNameInContext(name, c.ref))
}

// IsBitcode reports whether data starts as bitcode does, wrapped or not.
func IsBitcode(data []byte) bool {
	return bytes.HasPrefix(data, []byte("BC\xC0\xDE")) || bytes.HasPrefix(data, []byte{0xDE, 0xC0, 0x17, 0x0B})
}

// Parse reads a module, from bitcode or from textual IR, whole. name stands
// for it in errors, which have LLVM's own text. data is not kept.
func (c *Context) Parse(name string, data []byte) (*Module, error) {
	return c.parse(name, data, func() (ref capi.Module, err error) {
		if !IsBitcode(data) {
			return c.parseText(name, data)
		}
		buffer := capi.CreateMemoryBufferWithMemoryRange(data, name, false)
		failed := capi.ParseBitcodeInContext2(c.ref, buffer, &ref)
		capi.DisposeMemoryBuffer(buffer)
		runtime.KeepAlive(data)
		if failed {
			return 0, errors.New("LLVM gives no reason")
		}
		return ref, nil
	})
}

// ParseLazy is Parse that leaves the bodies of a bitcode module's functions
// unread until they are linked into another module. Until then such functions
// look like declarations.
func (c *Context) ParseLazy(name string, data []byte) (*Module, error) {
	if !IsBitcode(data) {
		return c.Parse(name, data)
	}
	return c.parse(name, data, func() (ref capi.Module, err error) {
		buffer := capi.CreateMemoryBufferWithMemoryRangeCopy(data, name)
		if capi.GetBitcodeModuleInContext2(c.ref, buffer, &ref) {
			return 0, errors.New("LLVM gives no reason")
		}
		return ref, nil
	})
}

func (c *Context) parse(name string, data []byte, read func() (capi.Module, error)) (*Module, error) {
	var m *Module
	err := c.attempt("parsing "+name, func() error {
		if len(data) == 0 {
			return errors.New("the module is empty")
		}
		ref, err := read()
		if err == nil {
			m = c.adopt(name, ref)
		}
		return err
	})
	if err != nil && m != nil {
		m.Close()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (c *Context) parseText(name string, data []byte) (capi.Module, error) {
	var ref capi.Module
	var message capi.Message
	buffer := capi.CreateMemoryBufferWithMemoryRangeCopy(data, name)
	if capi.ParseIRInContext(c.ref, buffer, &ref, &message) {
		return 0, errors.New(cleanMessage(message.Take()))
	}
	return ref, nil
}

// Ref returns the module's handle, which stays the module's.
func (m *Module) Ref() capi.Module { return m.ref }

// Context returns the context that the module lives in.
func (m *Module) Context() *Context { return m.context }

// Close frees the module. Closing again does nothing.
func (m *Module) Close() {
	if m.end() {
		delete(m.context.modules, m)
		capi.DisposeModule(m.ref)
	}
}

// attempt is Context.attempt that also looks at the module.
func (m *Module) attempt(what string, fn func() error) error {
	if err := m.use(); err != nil {
		return wrap(what, err)
	}
	return m.context.attempt(what, fn)
}

// Name returns the name that the module was made with.
func (m *Module) Name() string { return m.name }

// Print returns the module as textual IR; "" for a module that is not open.
func (m *Module) Print() string {
	if m.use() != nil {
		return ""
	}
	return capi.PrintModuleToString(m.ref).Take()
}

// Bitcode returns the module as bitcode.
func (m *Module) Bitcode() ([]byte, error) {
	var bitcode []byte
	err := m.attempt("writing bitcode", func() error {
		buffer := capi.WriteBitcodeToMemoryBuffer(m.ref)
		bitcode = capi.BufferBytes(buffer)
		capi.DisposeMemoryBuffer(buffer)
		return nil
	})
	return bitcode, err
}

// Verify returns an error with LLVM's text if the module is not well formed.
func (m *Module) Verify() error {
	return m.attempt("verifying "+m.name, func() error {
		var message capi.Message
		broken := capi.VerifyModule(m.ref, capi.ReturnStatusAction, &message)
		text := message.Take()
		if broken {
			return errors.New(cleanMessage(text))
		}
		return nil
	})
}

// Clone returns a copy of the module in the same context.
func (m *Module) Clone() (*Module, error) {
	var clone *Module
	err := m.attempt("cloning "+m.name, func() error {
		clone = m.context.adopt(m.name, capi.CloneModule(m.ref))
		return nil
	})
	return clone, err
}

// Link moves all of source, a module of the same context, into m, and closes
// source, on error too.
func (m *Module) Link(source *Module) error {
	what := fmt.Sprintf("linking %s into %s", source.name, m.name)
	if source.context != m.context {
		return wrap(what, errors.New("the modules are of different contexts"))
	}
	return m.attempt(what, func() error {
		if !source.end() {
			return source.use()
		}
		delete(source.context.modules, source)
		if capi.LinkModules2(m.ref, source.ref) {
			return errors.New("LLVM gives no reason")
		}
		return nil
	})
}

// cleanMessage drops the line ends that LLVM puts behind its texts.
func cleanMessage(text string) string {
	return string(bytes.TrimSpace([]byte(text)))
}
