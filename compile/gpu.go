package compile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// Code for a GPU is made of modules for that vendor's GPUs: the kernel stays
// as it is, and what a CPU's loader and SPMD do has no part in it.

// checkGPU refuses requests that name what the target has no use for.
func (j *job) checkGPU() error {
	r := j.request
	if !isGPU(r.Target.Arch()) {
		if r.Tools != (Tools{}) || r.Limits != (target.Limits{}) || r.Options.CodeObject != 0 {
			return faultf(ErrBadRequest, "tools, limits and a code object version are for GPUs, not for %s", r.Target.Triple)
		}
		return nil
	}
	switch v := r.Options.CodeObject; {
	case v == 0:
	case r.Target.Arch() == target.NVPTX:
		return faultf(ErrBadRequest, "a code object version is for AMD's GPUs")
	case v < oldestCodeObject || v > newestCodeObject:
		return faultf(ErrBadRequest, "code object version %d: want %d to %d", v, oldestCodeObject, newestCodeObject)
	}
	if r.Target.Arch() == target.AMDGPU && r.Tools.Assembler.IsZero() {
		return faultf(ErrMissing, "code for %s needs ld.lld of LLVM: %s", r.Target.Processor, j.compiler.tools.found(target.AMDGPU).assemblers.Missing())
	}
	if _, err := j.assembler(); err != nil {
		return err
	}
	if r.Tools.Library.IsZero() {
		return nil
	}
	_, err := j.library()
	return err
}

// checkFamily refuses modules that are not for the target's family of GPUs.
func (b *build) checkFamily() error {
	if !b.gpu() {
		return b.checkMachine()
	}
	triple, to := capi.GetTarget(b.module.Ref()), b.request.Target
	if b.code.arch != to.Arch() {
		if triple == "" {
			triple = hostTriple
		}
		return faultf(ErrUnsupported, "the module is code for %s, not for %s: compile the source for that", triple, to.Triple)
	}
	if b.desc.Convention == image.Host {
		return faultf(ErrUnsupported, "%q is no GPU kernel", b.request.Kernel)
	}
	return nil
}

func (b *build) gpu() bool { return isGPU(b.request.Target.Arch()) }

// linkGPU settles all that depends on the target: device libraries, dims and
// bounds, names, attributes, and what LLVM is told of the processor.
func (b *build) linkGPU() error {
	amd := b.request.Target.Arch() == target.AMDGPU
	if amd {
		if err := b.settleWave(); err != nil {
			return err
		}
		if err := b.settleCodeObject(); err != nil {
			return err
		}
	}
	// What device libraries have for other processors is dropped later.
	if err := b.checkIntrinsics(); err != nil {
		return err
	}
	if !amd {
		if err := b.settlePTX(); err != nil {
			return err
		}
	}
	if err := b.linkLibrary(); err != nil {
		return err
	}
	if !b.request.Variables {
		b.block = b.request.Spec.Block
		if b.block == ([3]uint32{}) {
			b.block = b.desc.ReqdBlock
		}
		b.code.fixDims(b.block, &b.request.Spec)
		b.code.setBounds(b.function, b.block, b.desc, &b.request.Spec, b.compiler.library.Major)
	}
	if err := b.checkLimits(); err != nil {
		return err
	}
	b.code.repairNames()
	if !b.request.Variables {
		b.entry = capi.GetValueName2(b.function)
		visibility := capi.DefaultVisibility
		if amd {
			visibility = capi.ProtectedVisibility
		}
		capi.SetVisibility(b.function, visibility)
	}
	if err := b.takeMachine(); err != nil {
		return err
	}
	capi.SetTarget(b.module.Ref(), b.machine.Triple())
	capi.SetDataLayout(b.module.Ref(), b.machine.DataLayout())
	b.code.retargetGPU(b.request, b.features)
	return b.verify(errors.New("kiln made a broken module"))
}

// retargetGPU makes every function code for the request's processor.
func (c *code) retargetGPU(r *Request, features string) {
	const self = capi.AttributeFunctionIndex
	set := []capi.Attribute{capi.CreateStringAttribute(c.context, "target-cpu", r.Target.Processor)}
	if features != "" {
		set = append(set, capi.CreateStringAttribute(c.context, "target-features", features))
	}
	switch r.Options.Opt {
	case Os:
		set = append(set, c.flag("optsize"))
	case Oz:
		set = append(set, c.flag("optsize"), c.flag("minsize"))
	}
	for f := range c.functions {
		for _, name := range [...]string{"tune-cpu", "target-features", "target-cpu"} {
			capi.RemoveStringAttributeAtIndex(f, self, name)
		}
		if capi.IsDeclaration(f) {
			continue
		}
		if r.Options.Opt != O0 && enum(f, self, c.kinds.optnone) {
			capi.RemoveEnumAttributeAtIndex(f, self, c.kinds.optnone)
			capi.RemoveEnumAttributeAtIndex(f, self, c.kinds.noinline)
		}
		for _, a := range set {
			capi.AddAttributeAtIndex(f, self, a)
		}
	}
}

// generateGPU makes PTX, or an object for AMD's linker.
func (b *build) generateGPU() error {
	if f := capi.GetNamedFunction(b.module.Ref(), b.entry); !b.request.Variables && (f == 0 || capi.IsDeclaration(f)) {
		return faultf(ErrBadRequest, "pipeline %q leaves no entry %q", b.request.Options.Pipeline, b.entry)
	}
	b.slotsLeft()
	said := len(b.context.Diagnostics())
	output, extension := llvm.Assembly, ".ptx"
	if b.request.Target.Arch() == target.AMDGPU {
		output, extension = llvm.Object, ".o"
		if printed := b.toPrint(); printed != nil {
			if text, err := b.machine.Emit(printed, llvm.Assembly); err == nil {
				b.dump.write(StageGenerate, ".s", text)
			}
		}
	}
	code, err := b.machine.Emit(b.module, output)
	if err != nil {
		return &fault{kind: ErrBadModule, text: message(err), cause: err}
	}
	// LLVM ends its text with a zero, which ptxas of CUDA 13 takes for a fault.
	if output == llvm.Assembly {
		code = trimZeros(code)
	}
	b.dump.write(StageGenerate, extension, code)
	b.readDiagnostics(b.context.Diagnostics()[said:])
	b.payload = code
	return nil
}

func trimZeros(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return b
}

// settlePTX chooses the PTX version: the least that processor, intrinsics and
// parameters need, if it is one that LLVM writes, the assembler takes and the
// device's driver as well.
func (b *build) settlePTX() error {
	processor := b.request.Target.Processor
	need, why := target.LeastPTX(processor), processor
	if need == 0 {
		return faultf(ErrUnsupported, "kiln does not know which PTX %s needs", processor)
	}
	for f := range b.code.functions {
		if v := leastOf(capi.GetValueName2(f)); v != nil && v.ptx > need {
			need, why = v.ptx, capi.GetValueName2(f)
		}
	}
	if b.desc != nil && b.desc.ParamBytes > target.ShortParamBytes && target.SM(processor) >= 70 && need < target.LongParamsPTX {
		need, why = target.LongParamsPTX, fmt.Sprintf("a parameter block of %d bytes", b.desc.ParamBytes)
	}
	asked := b.request.Target.PTX()
	if asked != 0 {
		if asked < need {
			return faultf(ErrBadRequest, "the target asks for PTX %s, but %s needs %s", asked, why, need)
		}
		need, why = asked, "the target"
	}
	newest, whose := target.PTXOfLLVM(b.compiler.library.Major), "LLVM "+b.compiler.toolchain.Version
	assembler, err := b.assembler()
	if err != nil {
		return err
	}
	if assembler != nil {
		takes, err := assembler.PTX()
		if err != nil {
			return err
		}
		if takes != 0 && takes < newest {
			newest, whose = takes, b.request.Tools.Assembler.String()
		}
	}
	if l := b.request.Limits.PTX; l != 0 && l < newest {
		newest, whose = l, "the device's driver"
	}
	if need > newest {
		return faultf(ErrUnsupported, "%s needs PTX %s, but %s goes up to %s: update that, or choose an older processor", why, need, whose, newest)
	}
	b.ptx = need
	b.features = withoutPTX(b.request.Target.Features)
	if b.features != "" {
		b.features += ","
	}
	b.features += need.Feature()
	return nil
}

func withoutPTX(features string) string {
	var kept []string
	for f := range strings.SplitSeq(features, ",") {
		if f != "" && !strings.HasPrefix(f[1:], "ptx") {
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, ",")
}
