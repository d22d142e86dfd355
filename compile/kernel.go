package compile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// oclBody begins the name of the second copy that clang makes of an OpenCL
// kernel's body, for other kernels to call.
const oclBody = "__clang_ocl_kern_imp_"

// isGrid tells that f is marked as a GPU kernel, in any of the ways the
// device compilers have.
func (c *code) isGrid(f capi.Value) bool {
	switch capi.CallConv(capi.GetFunctionCallConv(f)) {
	case capi.PTXKernelCallConv, capi.AMDGPUKERNELCallConv, capi.SPIRKERNELCallConv:
		return true
	}
	if c.annotations[f]["kernel"] != 0 {
		return true
	}
	// OpenCL for a CPU by older compilers has the metadata alone.
	return c.hostArch() && c.attached(f, c.kinds.kernelArgAddrSpace) != nil &&
		!strings.HasPrefix(capi.GetValueName2(f), oclBody)
}

// describe returns what the launch of f needs to know. The error says why f
// cannot be launched and matches ErrUnsupported.
func (c *code) describe(f capi.Value) (*image.Kernel, error) {
	k := &image.Kernel{Name: capi.GetValueName2(f), Convention: image.Host}
	typ := capi.GlobalGetValueType(f)
	if c.isGrid(f) {
		k.Convention = image.Grid
		if capi.GetTypeKind(capi.GetReturnType(typ)) != capi.VoidTypeKind {
			return nil, faultf(ErrUnsupported, "it is a GPU kernel and returns %s", typeName(capi.GetReturnType(typ)))
		}
	} else if err := c.checkHost(f); err != nil {
		return nil, err
	}
	if capi.IsFunctionVarArg(typ) {
		return nil, faultf(ErrUnsupported, "it takes a variable number of arguments")
	}
	for i, v := range capi.Params(f) {
		p, err := c.param(f, i, v)
		if err != nil {
			return nil, fmt.Errorf("parameter %d: %w", i, err)
		}
		k.Params = append(k.Params, p)
	}
	if k.Convention == image.Grid {
		c.nameParams(f, k)
	}
	if result := capi.GetReturnType(typ); capi.GetTypeKind(result) != capi.VoidTypeKind {
		p, err := c.value(result)
		if err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
		k.Result = p
	}
	var err error
	if k.ParamBytes, k.ParamAlign, err = image.Layout(k.Params, &k.Result); err != nil {
		return nil, &fault{kind: ErrUnsupported, text: err.Error()}
	}
	c.bounds(f, k)
	return k, nil
}

// checkHost tells why f is no plain function of the host's C ABI.
func (c *code) checkHost(f capi.Value) error {
	if !c.hostArch() {
		return faultf(ErrUnsupported, "it is a device function, not a kernel")
	}
	switch capi.GetLinkage(f) {
	case capi.InternalLinkage, capi.PrivateLinkage:
		return faultf(ErrUnsupported, "it is local to the module (static)")
	}
	switch cc := capi.CallConv(capi.GetFunctionCallConv(f)); cc {
	case capi.CCallConv, capi.X8664SysVCallConv:
	default:
		return faultf(ErrUnsupported, "its calling convention is number %d of LLVM's, not the C ABI's", cc)
	}
	return nil
}

// param describes the parameter v, the i-th of f.
func (c *code) param(f capi.Value, i int, v capi.Value) (image.Param, error) {
	index := capi.AttributeIndex(i + 1)
	for _, kind := range [...]uint32{c.kinds.byval, c.kinds.byref} {
		if a := capi.GetEnumAttributeAtIndex(f, index, kind); a != 0 {
			p, err := c.value(capi.GetTypeAttributeValue(a))
			if err != nil {
				return p, err
			}
			p.Name, p.Kind = capi.GetValueName2(v), image.Aggregate
			if a := capi.GetEnumAttributeAtIndex(f, index, c.kinds.align); a != 0 {
				p.Align = max(p.Align, uint32(capi.GetEnumAttributeValue(a)))
			}
			return p, nil
		}
	}
	p, err := c.value(capi.TypeOf(v))
	if err != nil {
		return p, err
	}
	p.Name = capi.GetValueName2(v)
	if p.Kind == image.Pointer {
		p.ReadOnly = enum(f, index, c.kinds.readonly) || enum(f, index, c.kinds.readnone)
		p.WriteOnly = enum(f, index, c.kinds.writeonly)
		if !c.hostArch() && capi.GetPointerAddressSpace(capi.TypeOf(v)) == sharedSpace {
			p.Kind = image.SharedPointer
		}
	}
	return p, nil
}

// pointerBytes is the size of an address in the parameter block, which is the
// host's also where the device's own are shorter.
const pointerBytes = 8

// value describes a parameter or result of type t.
func (c *code) value(t capi.Type) (image.Param, error) {
	p := image.Param{Type: typeName(t)}
	switch kind := capi.GetTypeKind(t); kind {
	case capi.PointerTypeKind:
		p.Kind, p.Size, p.Align = image.Pointer, pointerBytes, pointerBytes
		return p, nil
	case capi.IntegerTypeKind, capi.HalfTypeKind, capi.BFloatTypeKind, capi.FloatTypeKind, capi.DoubleTypeKind,
		capi.X86_FP80TypeKind, capi.FP128TypeKind, capi.VectorTypeKind:
		p.Kind = image.Scalar
	case capi.StructTypeKind, capi.ArrayTypeKind:
		p.Kind = image.Aggregate
	default:
		return p, faultf(ErrUnsupported, "type %s cannot be passed to a kernel", p.Type)
	}
	if !capi.TypeIsSized(t) {
		return p, faultf(ErrUnsupported, "type %s has no size", p.Type)
	}
	size := capi.ABISizeOfType(c.layout, t)
	if size > math.MaxUint32 {
		return p, faultf(ErrUnsupported, "type %s has %d bytes", p.Type, size)
	}
	p.Size, p.Align = uint32(size), capi.ABIAlignmentOfType(c.layout, t)
	return p, nil
}

// nameParams reads what OpenCL's metadata says of the parameters: their names,
// and on targets with one address space which of them are local memory.
func (c *code) nameParams(f capi.Value, k *image.Kernel) {
	const local = 3
	for i, v := range c.attached(f, c.kinds.kernelArgAddrSpace) {
		if i < len(k.Params) && k.Params[i].Kind == image.Pointer && capi.IsAConstantInt(v) != 0 && capi.ConstIntGetZExtValue(v) == local {
			k.Params[i].Kind = image.SharedPointer
		}
	}
	for i, v := range c.attached(f, c.kinds.kernelArgName) {
		if i < len(k.Params) && k.Params[i].Name == "" && capi.IsAMDString(v) != 0 {
			k.Params[i].Name = capi.GetMDString(v)
		}
	}
}

// bounds reads the block sizes that the kernel is compiled for.
func (c *code) bounds(f capi.Value, k *image.Kernel) {
	if k.Convention != image.Grid {
		return
	}
	if operands := c.attached(f, c.kinds.reqdWorkGroupSize); len(operands) == 3 {
		for i, v := range operands {
			if capi.IsAConstantInt(v) != 0 {
				k.ReqdBlock[i] = uint32(capi.ConstIntGetZExtValue(v))
			}
		}
	}
	if s, ok := text(f, "nvvm.reqntid"); ok {
		k.ReqdBlock, _ = dims(s)
	}
	if a := c.annotations[f]; a["reqntidx"] != 0 {
		k.ReqdBlock = [3]uint32{a["reqntidx"], max(a["reqntidy"], 1), max(a["reqntidz"], 1)}
	}
	if s, ok := text(f, "nvvm.maxntid"); ok {
		_, k.MaxBlock = dims(s)
	}
	if a := c.annotations[f]; a["maxntidx"] != 0 {
		k.MaxBlock = a["maxntidx"] * max(a["maxntidy"], 1) * max(a["maxntidz"], 1)
	}
	if s, ok := text(f, "amdgpu-flat-work-group-size"); ok {
		_, high, _ := strings.Cut(s, ",")
		if n, err := strconv.ParseUint(strings.TrimSpace(high), 10, 32); err == nil {
			k.MaxBlock = uint32(n)
		}
	}
}

// dims reads "x", "x,y" or "x,y,z" and returns the extents, 1 where absent,
// and their product; zeros for anything else.
func dims(s string) (d [3]uint32, product uint32) {
	d = [3]uint32{1, 1, 1}
	parts := strings.Split(s, ",")
	if len(parts) > 3 {
		return [3]uint32{}, 0
	}
	total := uint64(1)
	for i, part := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 16)
		if err != nil || n == 0 {
			return [3]uint32{}, 0
		}
		d[i] = uint32(n)
		total *= n
	}
	if total > math.MaxUint32 {
		return [3]uint32{}, 0
	}
	return d, uint32(total)
}
