package kiln

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
)

// Global is a variable of a module on the engine's device: every kernel of the
// module, in all its compiled forms, sees the one that the host reads and
// writes. Safe for concurrent use, in the way that memory is. It lives as long
// as the engine.
type Global struct {
	slot   image.Slot
	memory *region
}

// variables is a module's variables as they are loaded.
type variables struct {
	library device.Library
	image   *image.Image
}

// Global returns the named variable. The first of a module compiles and loads
// all its variables, which sets them to what the module says; ctx bounds that.
// Modules of the same bytes are the same module. The error matches
// [ErrNoGlobal] where there is no such variable or it is a constant, which
// kernels have compiled in.
func (m *Module) Global(ctx context.Context, name string) (*Global, error) {
	if m.engine.closed.Load() {
		return nil, ErrClosed
	}
	known := slices.ContainsFunc(m.summary.Globals, func(g image.Global) bool { return g.Name == name })
	if !known {
		return nil, m.noGlobal(name)
	}
	v, err := m.engine.variables(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("variable %q of %s: %w", name, m.name, err)
	}
	i := slices.IndexFunc(v.image.Variables, func(s image.Slot) bool { return s.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: %s: %w", m.name, v.missing(name), ErrNoGlobal)
	}
	buffer, err := v.library.Variable(i)
	if err != nil {
		return nil, err
	}
	return &Global{v.image.Variables[i], newRegion(m.engine, buffer, false)}, nil
}

// missing tells why the variable is not among those that are loaded.
func (v *variables) missing(name string) string {
	quoted := fmt.Sprintf("variable %q ", name)
	for _, remark := range v.image.Remarks {
		if strings.HasPrefix(remark, quoted) {
			return remark
		}
	}
	return quoted + "is a constant, or defined elsewhere: kernels have no memory of it"
}

func (m *Module) noGlobal(name string) error {
	names := make([]string, len(m.summary.Globals))
	for i := range names {
		names[i] = m.summary.Globals[i].Name
	}
	has := "none"
	if len(names) > 0 {
		has = strings.Join(names[:min(len(names), 12)], ", ")
	}
	return fmt.Errorf("%s has no variable %q; it has %s: %w", m.name, name, has, ErrNoGlobal)
}

// Name returns the variable's name in its module.
func (g *Global) Name() string { return g.slot.Name }

// Bytes returns the variable's size.
func (g *Global) Bytes() int { return int(g.slot.Bytes) }

// Read copies the variable's first bytes to dst, at once. More than there are
// is an error.
func (g *Global) Read(dst []byte) error { return g.memory.buffer.Read(dst, 0) }

// Write copies src to the variable's first bytes, at once: launches that have
// returned have seen what was there before. More than there are is an error.
func (g *Global) Write(src []byte) error { return g.memory.buffer.Write(0, src) }

// View returns the variable as a buffer of T, which cannot be freed. The
// variable's size must be a multiple of T's, and T without pointers.
func View[T any](g *Global) (*Buffer[T], error) {
	size, err := elementSize[T]()
	if err != nil {
		return nil, err
	}
	if g.slot.Bytes%size != 0 {
		return nil, fmt.Errorf("%w: variable %q of %d bytes is no array of elements of %d", ErrArgument, g.slot.Name, g.slot.Bytes, size)
	}
	return &Buffer[T]{memory: g.memory, length: int(g.slot.Bytes / size)}, nil
}

// variables returns the variables of m, loaded by the first who asks.
func (e *Engine) variables(ctx context.Context, m *Module) (*variables, error) {
	find := func() *variables {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.storage[m.digest]
	}
	if v := find(); v != nil {
		return v, nil
	}
	return e.storing.do(e.base, ctx, cache.Key(m.digest), func(ctx context.Context) (*variables, error) {
		if v := find(); v != nil {
			return v, nil
		}
		toolchain, err := e.toolchain()
		if err != nil {
			return nil, err
		}
		target, err := e.target()
		if err != nil {
			return nil, err
		}
		im, err := e.image(ctx, compile.Request{
			Module: m.data, ModuleDigest: m.digest, Variables: true, Target: target, Toolchain: toolchain,
		})
		if err != nil {
			return nil, err
		}
		library, err := e.device.Load(ctx, im)
		if err != nil {
			return nil, err
		}
		v := &variables{library, im}
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.libraries == nil {
			library.Close()
			return nil, ErrClosed
		}
		e.storage[m.digest] = v
		e.stats.codeBytes.Add(int64(library.Bytes()))
		return v, nil
	})
}

// load makes im, an image of one of m's kernels, callable.
func (m *Module) load(ctx context.Context, im *image.Image) (device.Library, error) {
	if len(im.Globals) == 0 && !im.Constructors {
		return m.engine.device.Load(ctx, im)
	}
	v, err := m.engine.variables(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("the variables of %s, which kernel %q needs: %w", m.name, im.Kernel, err)
	}
	addresses := make([]uint64, len(im.Globals))
	for i := range im.Globals {
		at := slices.IndexFunc(v.image.Variables, func(s image.Slot) bool { return s.Index == im.Globals[i].Index })
		if at < 0 {
			return nil, fmt.Errorf("kernel %q needs a variable of %s that cannot be had: %s: %w", im.Kernel, m.name, v.missing(im.Globals[i].Name), compile.ErrUnsupported)
		}
		buffer, err := v.library.Variable(at)
		if err != nil {
			return nil, err
		}
		addresses[i] = buffer.Address()
	}
	return m.engine.device.Load(ctx, im, addresses...)
}
