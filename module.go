package kiln

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/fsx"
)

// Source is where a module's bytes come from.
type Source struct {
	name string
	read func() ([]byte, error)
}

// maxModule is the most bytes that are read of a file; a device such as
// /dev/zero has no end.
const maxModule = 2 << 30

// File is a module in a file of at most 2 GiB: bitcode or textual IR.
func File(path string) Source {
	return Source{path, func() ([]byte, error) {
		return fsx.ReadSource(path, maxModule)
	}}
}

// Bytes is a module in memory. The engine keeps data; it must not be modified.
func Bytes(name string, data []byte) Source {
	return Source{name, func() ([]byte, error) { return data, nil }}
}

// Module is device code that was read and understood but not yet compiled.
// Safe for concurrent use; it needs no closing.
type Module struct {
	engine  *Engine
	name    string
	data    []byte
	digest  [32]byte
	summary *image.Summary
	kernels sync.Map // *Kernel of the engine's options by name
}

// Load reads a module and its summary: from the cache where the same bytes
// were seen before, else through LLVM. Nothing is compiled.
func (e *Engine) Load(ctx context.Context, source Source) (*Module, error) {
	if e.closed.Load() {
		return nil, ErrClosed
	}
	if source.read == nil {
		return nil, fmt.Errorf("loading a module: the source is empty: use File or Bytes")
	}
	data, err := source.read()
	if err != nil {
		return nil, fmt.Errorf("loading a module: %w", err)
	}
	kind, err := image.Recognise(data)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", source.name, err)
	}
	switch kind {
	case image.Bitcode, image.WrappedBitcode, image.TextIR:
	default:
		return nil, fmt.Errorf("loading %s: this is %s; a module is LLVM bitcode or textual IR", source.name, kind)
	}
	m := &Module{engine: e, name: source.name, data: data, digest: sha256.Sum256(data)}
	if m.summary, err = e.summarise(ctx, m); err != nil {
		return nil, fmt.Errorf("loading %s: %w", source.name, err)
	}
	return m, nil
}

// Name returns the path or name the module was loaded under.
func (m *Module) Name() string { return m.name }

// Digest returns the SHA-256 of the module's bytes.
func (m *Module) Digest() [32]byte { return m.digest }

// Summary returns what the module says of itself. It must not be modified.
func (m *Module) Summary() *image.Summary { return m.summary }

// Kernel returns the named kernel with the engine's options: the same one each
// time, so that what one caller has compiled and loaded is there for all. The
// error matches [ErrNoKernel] and lists what there is.
func (m *Module) Kernel(name string) (*Kernel, error) {
	if k, ok := m.kernels.Load(name); ok {
		return k.(*Kernel), nil
	}
	k, err := m.KernelWithOptions(name, KernelOptions{Compile: m.engine.options.Compile})
	if err != nil {
		return nil, err
	}
	first, _ := m.kernels.LoadOrStore(name, k)
	return first.(*Kernel), nil
}

// KernelWithOptions returns the named kernel with options of its own, which
// replace the engine's. It is another one each time, and loads what it launches
// for itself until the engine is closed: keep it.
func (m *Module) KernelWithOptions(name string, opts KernelOptions) (*Kernel, error) {
	i := slices.IndexFunc(m.summary.Kernels, func(k image.Kernel) bool { return k.Name == name })
	if i < 0 {
		return nil, &compile.Error{Stage: "extract", Kernel: name, Summary: m.noKernel(name), Err: ErrNoKernel}
	}
	return newKernel(m, &m.summary.Kernels[i], opts)
}

func (m *Module) noKernel(name string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s has no kernel %q", m.name, name)
	names := make([]string, len(m.summary.Kernels))
	for i := range names {
		names[i] = m.summary.Kernels[i].Name
	}
	switch {
	case len(names) == 0:
		b.WriteString(" and no other")
	case len(names) > 12:
		fmt.Fprintf(&b, "; it has %s and %d more", strings.Join(names[:12], ", "), len(names)-12)
	default:
		fmt.Fprintf(&b, "; it has %s", strings.Join(names, ", "))
	}
	return b.String()
}
