package compile

import (
	"fmt"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/specialize"
)

// specialise puts the constants in the place of the parameters of f. The
// signature stays as it is. It returns the value that each fixed parameter
// has, zero for the others, for a caller of f to pass.
func (c *code) specialise(f capi.Value, k *image.Kernel, constants []specialize.Constant) ([]capi.Value, error) {
	if len(constants) == 0 {
		return nil, nil
	}
	// Calls of f from within the module pass values of their own.
	called := capi.GetFirstUse(f) != 0
	if called && k.Convention == image.Grid {
		return nil, faultf(ErrUnsupported, "other code of the module calls the kernel, so its arguments cannot be fixed")
	}
	params := capi.Params(f)
	fixed := make([]capi.Value, len(params))
	for _, constant := range constants {
		i := constant.Index
		p := &k.Params[i]
		byAddress := p.Kind == image.Aggregate && capi.GetTypeKind(capi.TypeOf(params[i])) == capi.PointerTypeKind
		if byAddress {
			fixed[i] = c.object(fmt.Sprintf("argument.%d", i), params[i], p.Align, constant.Bytes)
			if k.Convention == image.Grid {
				capi.ReplaceAllUsesWith(params[i], c.private(f, i, p, fixed[i]))
			}
			continue
		}
		v, err := c.constant(capi.TypeOf(params[i]), constant.Bytes)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i, err)
		}
		fixed[i] = v
		if !called {
			capi.ReplaceAllUsesWith(params[i], v)
		}
	}
	return fixed, nil
}

// object makes a constant with the bytes b in the address space of the
// parameter, which is a pointer, and returns its address.
func (c *code) object(name string, param capi.Value, align uint32, b []byte) capi.Value {
	data := capi.ConstStringInContext2(c.context, string(b), true)
	space := capi.GetPointerAddressSpace(capi.TypeOf(param))
	g := capi.AddGlobalInAddressSpace(c.module, capi.TypeOf(data), name, space)
	capi.SetInitializer(g, data)
	capi.SetLinkage(g, capi.PrivateLinkage)
	capi.SetGlobalConstant(g, true)
	capi.SetUnnamedAddress(g, capi.GlobalUnnamedAddr)
	capi.SetAlignment(g, align)
	return g
}

// private returns what a kernel may use in place of its i-th parameter, an
// aggregate: the constant itself where it is only read, else a copy. A byval
// parameter is the kernel's own to write to.
func (c *code) private(f capi.Value, i int, p *image.Param, object capi.Value) capi.Value {
	index := capi.AttributeIndex(i + 1)
	if !enum(f, index, c.kinds.byval) || enum(f, index, c.kinds.readonly) || enum(f, index, c.kinds.readnone) {
		return object
	}
	b := capi.CreateBuilderInContext(c.context)
	defer capi.DisposeBuilder(b)
	entry := capi.GetEntryBasicBlock(f)
	capi.PositionBuilderBefore(b, capi.GetFirstInstruction(entry))
	own := capi.BuildAlloca(b, capi.GlobalGetValueType(object), "")
	capi.SetAlignment(own, p.Align)
	size := capi.ConstInt(capi.Int64TypeInContext(c.context), uint64(p.Size), false)
	capi.BuildMemCpy(b, own, p.Align, object, p.Align, size)
	return own
}
