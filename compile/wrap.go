package compile

import (
	"slices"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// entryPrefix begins the name of the entry that calls a host function.
const entryPrefix = "kiln.entry."

// blockAlign is the most alignment that the entry takes for granted of a
// parameter's place, in bytes: that of any heap block.
const blockAlign = 8

// wrap makes the entry of a host function: int32 entry(struct kiln_frame *),
// which loads the arguments from the parameter block, calls f and stores the
// result. Parameters with a value in fixed are passed that. f becomes local.
// It returns the entry's symbol.
func (c *code) wrap(f capi.Value, k *image.Kernel, fixed []capi.Value) string {
	pointer := capi.PointerTypeInContext(c.context, 0)
	i32 := capi.Int32TypeInContext(c.context)
	entry := capi.AddFunction(c.module, entryPrefix+k.Name, capi.FunctionType(i32, []capi.Type{pointer}, false))
	w := &wrapper{code: c, builder: capi.CreateBuilderInContext(c.context), i8: capi.Int8TypeInContext(c.context)}
	defer capi.DisposeBuilder(w.builder)
	capi.PositionBuilderAtEnd(w.builder, capi.AppendBasicBlockInContext(c.context, entry, ""))
	// The parameter block is the frame's first member.
	w.block = capi.BuildLoad2(w.builder, pointer, capi.GetParam(entry, 0), "params")

	params := capi.Params(f)
	arguments := make([]capi.Value, len(params))
	for i, v := range params {
		switch p := &k.Params[i]; {
		case i < len(fixed) && fixed[i] != 0:
			arguments[i] = fixed[i]
		case p.Kind == image.Aggregate && capi.GetTypeKind(capi.TypeOf(v)) == capi.PointerTypeKind:
			arguments[i] = w.at(p.Offset)
		default:
			arguments[i] = w.load(capi.TypeOf(v), p)
		}
	}
	call := capi.BuildCall2(w.builder, capi.GlobalGetValueType(f), f, arguments, "")
	capi.SetInstructionCallConv(call, capi.GetFunctionCallConv(f))
	capi.AddCallSiteAttribute(call, capi.AttributeFunctionIndex, c.flag("alwaysinline"))
	for index := range capi.AttributeIndex(len(params) + 1) {
		for _, a := range capi.AttributesAtIndex(f, index) {
			capi.AddCallSiteAttribute(call, index, a)
		}
	}
	if k.Result.Type != "" {
		w.store(call, &k.Result)
	}
	capi.BuildRet(w.builder, capi.ConstInt(i32, 0, false))
	c.inherit(entry, f)
	capi.SetLinkage(f, capi.InternalLinkage)
	return capi.GetValueName2(entry)
}

// inherit gives the entry those attributes of f that code keeps only where its
// new surroundings have them too.
func (c *code) inherit(entry, f capi.Value) {
	for _, a := range capi.AttributesAtIndex(f, capi.AttributeFunctionIndex) {
		if capi.IsStringAttribute(a) || slices.Contains(c.kinds.inherited[:], capi.GetEnumAttributeKind(a)) {
			capi.AddAttributeAtIndex(entry, capi.AttributeFunctionIndex, a)
		}
	}
}

type wrapper struct {
	*code
	builder capi.Builder
	block   capi.Value
	i8      capi.Type
}

// at returns the address in the parameter block, an offset in bytes.
func (w *wrapper) at(offset uint32) capi.Value {
	if offset == 0 {
		return w.block
	}
	index := capi.ConstInt(capi.Int64TypeInContext(w.context), uint64(offset), false)
	return capi.BuildInBoundsGEP2(w.builder, w.i8, w.block, []capi.Value{index}, "")
}

func (w *wrapper) load(t capi.Type, p *image.Param) capi.Value {
	bit := isBit(t)
	if bit {
		t = w.i8
	}
	v := capi.BuildLoad2(w.builder, t, w.at(p.Offset), "")
	capi.SetAlignment(v, min(p.Align, blockAlign))
	if bit {
		v = capi.BuildICmp(w.builder, capi.IntNE, v, capi.ConstInt(w.i8, 0, false), "")
	}
	return v
}

func (w *wrapper) store(v capi.Value, p *image.Param) {
	if isBit(capi.TypeOf(v)) {
		v = capi.BuildZExt(w.builder, v, w.i8, "")
	}
	s := capi.BuildStore(w.builder, v, w.at(p.Offset))
	capi.SetAlignment(s, min(p.Align, blockAlign))
}

// isBit tells that t is a C bool, which takes a byte of memory.
func isBit(t capi.Type) bool {
	return capi.GetTypeKind(t) == capi.IntegerTypeKind && capi.GetIntTypeWidth(t) == 1
}
