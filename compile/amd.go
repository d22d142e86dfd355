package compile

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// settleWave chooses the wave size: that of the processor the module was made
// for, since code counts on it, else the target's own.
func (b *build) settleWave() error {
	to := b.request.Target
	b.features = to.Features
	b.wave = to.WaveSize()
	made, processor := b.code.madeForWave()
	if made == 0 || made == b.wave {
		return nil
	}
	if own, other := target.WaveSizes(to.Processor); made != own && made != other {
		return faultf(ErrUnsupported, "the module was compiled for %s, whose waves have %d work-items; those of %s have %d: compile the source for that",
			processor, made, to.Processor, own)
	}
	if strings.Contains(to.Features, "wavefrontsize") {
		return faultf(ErrUnsupported, "the module was compiled for waves of %d work-items (%s), the target asks for %d: leave the wave size open, or compile the source for it",
			made, processor, b.wave)
	}
	// A feature string in normal form has this one near its end.
	merged, err := target.MergeFeatures(to.Features, fmt.Sprintf("+wavefrontsize%d", made))
	if err != nil {
		return err
	}
	b.features, b.wave = merged, made
	b.remarks = append(b.remarks, fmt.Sprintf("waves of %d work-items, as the module was compiled for %s", made, processor))
	return nil
}

// madeForWave returns the wave size that the module's functions were compiled
// for, and the processor; 0 where none says.
func (c *code) madeForWave() (size int, processor string) {
	for f := range c.functions {
		if capi.IsDeclaration(f) {
			continue
		}
		name, ok := text(f, "target-cpu")
		if !ok {
			continue
		}
		features, _ := text(f, "target-features")
		is := target.Target{Triple: "amdgcn-amd-amdhsa", Processor: name, Features: features}
		if n := is.WaveSize(); n != 0 {
			return n, name
		}
	}
	return 0, ""
}

// The versions of code objects that can be made. What they put behind the
// kernel's own arguments changed with version 5.
const (
	oldestCodeObject = 4
	newestCodeObject = 6
	hiddenArguments  = 5
	usualCodeObject  = 5
	codeObjectFlag   = "amdhsa_code_object_version"
)

// settleCodeObject chooses the code object version: what is asked for, else
// what the module was made for.
func (b *build) settleCodeObject() error {
	made := b.code.codeObject()
	version := int(b.request.Options.CodeObject)
	if version == 0 {
		version = made
	}
	if version == 0 {
		version = usualCodeObject
	}
	if strings.HasSuffix(b.request.Target.Processor, "-generic") {
		if b.request.Options.CodeObject != 0 && version < newestCodeObject {
			return faultf(ErrBadRequest, "code for %s needs code object version %d, the request asks for %d", b.request.Target.Processor, newestCodeObject, version)
		}
		version = newestCodeObject
	}
	if made != 0 && (made < hiddenArguments) != (version < hiddenArguments) && b.code.readsHidden() {
		return faultf(ErrUnsupported, "the module was compiled for code object version %d and reads what lies behind its arguments, which version %d has elsewhere: compile the source with -mcode-object-version=%d",
			made, version, version)
	}
	b.codeObject = version
	if made != version {
		b.code.setCodeObject(version)
	}
	return nil
}

// readsHidden tells whether the module looks at the arguments that the run
// time adds.
func (c *code) readsHidden() bool {
	f := capi.GetNamedFunction(c.module, "llvm.amdgcn.implicitarg.ptr")
	return f != 0 && capi.GetFirstUse(f) != 0
}

// codeObject returns the version that the module was compiled for, 0 where it
// does not say.
func (c *code) codeObject() int {
	flag := capi.GetModuleFlag(c.module, codeObjectFlag)
	if flag == 0 {
		return 0
	}
	value := capi.MetadataAsValue(c.context, flag)
	if constants := capi.MDNodeOperands(value); len(constants) == 1 && constants[0] != 0 {
		value = constants[0]
	}
	if capi.IsAConstantInt(value) == 0 {
		return 0
	}
	return int(capi.ConstIntGetZExtValue(value) / 100)
}

// setCodeObject makes the module's flag say version.
func (c *code) setCodeObject(version int) {
	i32 := capi.Int32TypeInContext(c.context)
	value := capi.ValueAsMetadata(capi.ConstInt(i32, uint64(version*100), false))
	for _, node := range capi.NamedMetadataOperands(c.module, "llvm.module.flags") {
		operands := capi.MDNodeOperands(node)
		if len(operands) == 3 && capi.IsAMDString(operands[1]) != 0 && capi.GetMDString(operands[1]) == codeObjectFlag {
			capi.ReplaceMDNodeOperandWith(node, 2, value)
			return
		}
	}
	capi.AddModuleFlag(c.module, capi.ModuleFlagBehaviorError, codeObjectFlag, value)
}
