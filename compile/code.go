package compile

import (
	"strings"

	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// code is the parsed module of one compile, with what is asked of it again and
// again. It is valid until the module is changed for another.
type code struct {
	context capi.Context
	module  capi.Module
	layout  capi.TargetData
	// arch is that of the module's triple, Unknown where it has none.
	arch  target.Arch
	kinds attributeKinds
	// annotations are the old form of NVPTX's kernel properties, by function.
	annotations map[capi.Value]map[string]uint32
}

// attributeKinds are LLVM's numbers of the attributes and metadata kinds used here.
type attributeKinds struct {
	byval, byref, align           uint32
	readonly, readnone, writeonly uint32
	optnone, noinline             uint32
	kernelArgAddrSpace            uint32
	kernelArgName                 uint32
	reqdWorkGroupSize             uint32
	// inherited are those that an entry has from its function.
	inherited [3]uint32
}

func newCode(context capi.Context, module capi.Module) *code {
	attribute := capi.GetEnumAttributeKindForName
	metadata := func(name string) uint32 { return capi.GetMDKindIDInContext(context, name) }
	c := &code{
		context: context,
		module:  module,
		layout:  capi.GetModuleDataLayout(module),
		arch:    target.ArchOf(capi.GetTarget(module)),
		kinds: attributeKinds{
			byval: attribute("byval"), byref: attribute("byref"), align: attribute("align"),
			readonly: attribute("readonly"), readnone: attribute("readnone"), writeonly: attribute("writeonly"),
			optnone: attribute("optnone"), noinline: attribute("noinline"),
			kernelArgAddrSpace: metadata("kernel_arg_addr_space"),
			kernelArgName:      metadata("kernel_arg_name"),
			reqdWorkGroupSize:  metadata("reqd_work_group_size"),
			inherited:          [3]uint32{attribute("nounwind"), attribute("strictfp"), attribute("uwtable")},
		},
	}
	c.annotations = c.readAnnotations()
	return c
}

// hostArch tells that the module's triple is a processor's, or absent: its
// plain functions can be kernels, and its pointers are the host's.
func (c *code) hostArch() bool {
	switch c.arch {
	case target.NVPTX, target.AMDGPU, target.SPIR:
		return false
	}
	return true
}

// functions calls yield for each function of the module in order.
func (c *code) functions(yield func(capi.Value) bool) {
	for f := capi.GetFirstFunction(c.module); f != 0; f = capi.GetNextFunction(f) {
		if !yield(f) {
			return
		}
	}
}

// globals calls yield for each variable of the module in order.
func (c *code) globals(yield func(capi.Value) bool) {
	for g := capi.GetFirstGlobal(c.module); g != 0; g = capi.GetNextGlobal(g) {
		if !yield(g) {
			return
		}
	}
}

// enum tells whether the function or parameter at index has the attribute.
func enum(f capi.Value, index capi.AttributeIndex, kind uint32) bool {
	return capi.GetEnumAttributeAtIndex(f, index, kind) != 0
}

// flag makes an attribute without a value.
func (c *code) flag(name string) capi.Attribute {
	return capi.CreateEnumAttribute(c.context, capi.GetEnumAttributeKindForName(name), 0)
}

// text returns the value of a string attribute of the function itself.
func text(f capi.Value, name string) (string, bool) {
	a := capi.GetStringAttributeAtIndex(f, capi.AttributeFunctionIndex, name)
	if a == 0 {
		return "", false
	}
	return capi.GetStringAttributeValue(a), true
}

// attached returns the operands of the metadata of the given kind that hangs
// on a function or variable, nil where there is none.
func (c *code) attached(global capi.Value, kind uint32) []capi.Value {
	var n uint64
	entries := capi.GlobalCopyAllMetadata(global, &n)
	if entries == 0 {
		return nil
	}
	defer capi.DisposeValueMetadataEntries(entries)
	for i := range uint32(n) {
		if capi.ValueMetadataEntriesGetKind(entries, i) == kind {
			node := capi.MetadataAsValue(c.context, capi.ValueMetadataEntriesGetMetadata(entries, i))
			return capi.MDNodeOperands(node)
		}
	}
	return nil
}

// readAnnotations reads !nvvm.annotations: {function, name, number, …}.
func (c *code) readAnnotations() map[capi.Value]map[string]uint32 {
	var all map[capi.Value]map[string]uint32
	for _, node := range capi.NamedMetadataOperands(c.module, "nvvm.annotations") {
		operands := capi.MDNodeOperands(node)
		if len(operands) == 0 || operands[0] == 0 || capi.IsAFunction(operands[0]) == 0 {
			continue
		}
		for i := 1; i+1 < len(operands); i += 2 {
			if operands[i] == 0 || operands[i+1] == 0 || capi.IsAMDString(operands[i]) == 0 || capi.IsAConstantInt(operands[i+1]) == 0 {
				continue
			}
			if all == nil {
				all = map[capi.Value]map[string]uint32{}
			}
			if all[operands[0]] == nil {
				all[operands[0]] = map[string]uint32{}
			}
			all[operands[0]][capi.GetMDString(operands[i])] = uint32(capi.ConstIntGetZExtValue(operands[i+1]))
		}
	}
	return all
}

// typeName returns a type as LLVM spells it where it is used: "i32",
// "<4 x float>", "%struct.box".
func typeName(t capi.Type) string {
	name, _, _ := strings.Cut(capi.PrintTypeToString(t).Take(), " = type")
	return name
}
