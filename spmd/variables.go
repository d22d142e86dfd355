package spmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/spmd/internal/irtext"
	"github.com/kilnjit/kiln/target"
)

// Variables makes the named variables of m, a module of any supported device
// target, variables of the host: a new module in m's context, the caller's to
// close, in which they are external and all that they start with is local. Of
// opt it needs Triple and DataLayout. m stays as it is.
//
// A variable that starts with the address of a function that is not lowered by
// itself, such as one that reads its work-item's id, is an error that wraps
// ErrUnsupported. Variables must be called inside llvm.Run.
func Variables(m *llvm.Module, names []string, opt Options) (*llvm.Module, error) {
	if err := opt.check(); err != nil {
		return nil, fmt.Errorf("lowering variables: %w", err)
	}
	source, err := irtext.ParseModule(m.Print())
	if err != nil {
		return nil, err
	}
	in := &ingest1{opt: &opt, source: source, arch: target.ArchOf(source.Triple), lib: newLibrary(&opt)}
	roots := make([]string, len(names))
	for i, name := range names {
		roots[i] = globalName(name)
	}
	if err := in.take(roots); err != nil {
		return nil, err
	}
	for i := range in.out.Globals {
		if g := &in.out.Globals[i]; slices.Contains(roots, g.Name) {
			g.Line = strings.Replace(g.Line, " internal ", " ", 1)
		}
	}
	for _, e := range in.out.Defines {
		if usesIDs(&e) {
			in.missing.add(calleeIDs, e.Name[1:])
		}
	}
	if err := in.missing.err(""); err != nil {
		return nil, err
	}
	out, err := m.Context().Parse("variables for the host", []byte(in.out.Text()))
	if err != nil {
		return nil, fmt.Errorf("lowering variables: %w", err)
	}
	return out, nil
}
