package compile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// check refuses what can be told to be wrong before LLVM is opened.
func (j *job) check() error {
	r := j.request
	if t := j.compiler.toolchain; r.Toolchain != t {
		return faultf(ErrUnsupported, "the request is for LLVM %s (build %s), this compiler has %s (build %s)",
			r.Toolchain.Version, r.Toolchain.BuildID, t.Version, t.BuildID)
	}
	if r.ModuleDigest != ([32]byte{}) && r.ModuleDigest != sha256.Sum256(r.Module) {
		return faultf(ErrBadRequest, "the module is not the one whose digest the request gives")
	}
	if strings.ContainsRune(r.Kernel, 0) || strings.ContainsRune(r.Options.Pipeline, 0) {
		return faultf(ErrBadRequest, "a zero byte in the kernel's name or the pipeline")
	}
	if int(r.Options.Opt) >= len(optNames) || int(r.Options.Codegen) >= len(codegenNames) {
		return faultf(ErrBadRequest, "unknown level: %s, %s", r.Options.Opt, r.Options.Codegen)
	}
	if err := r.Target.Validate(j.compiler.library.Major); err != nil {
		return &fault{kind: ErrBadRequest, text: err.Error(), cause: err}
	}
	if a := r.Target.Arch(); a != target.X86_64 && !isGPU(a) {
		return faultf(ErrUnsupported, "code for %s: kiln generates code for x86_64, nvptx64 and amdgcn", r.Target.Triple)
	}
	return j.checkGPU()
}

// compile runs the stages behind check.
func (j *job) compile(context *llvm.Context) (*image.Image, error) {
	m, _, err := j.parse(context)
	if err != nil {
		return nil, err
	}
	b := &build{job: j, context: context, module: m}
	im, err := j.build(b)
	switch {
	case b.used.machine == nil:
	case err != nil:
		b.used.machine.Close()
	default:
		j.compiler.machines.give(b.used)
	}
	return im, err
}

// build runs the stages behind parse.
func (j *job) build(b *build) (*image.Image, error) {
	// What the kernel is shows when it is extracted.
	entry := func() (Stage, func() error) {
		if b.gpu() {
			return StageLink, b.linkGPU
		}
		if b.desc.Convention == image.Grid {
			return StageSPMD, b.lower
		}
		return StageWrap, b.wrap
	}
	for _, next := range []func() (Stage, func() error){
		func() (Stage, func() error) { return StageExtract, b.extract },
		func() (Stage, func() error) { return StageSpecialise, b.specialise },
		entry,
		func() (Stage, func() error) { return StageOptimise, b.optimise },
	} {
		stage, run := next()
		err := j.step(stage, func() error {
			err := run()
			if err == nil && j.dump != nil {
				j.dump.write(stage, ".ll", []byte(b.module.Print()))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	generate := b.generate
	if b.gpu() {
		generate = b.generateGPU
	}
	if err := j.step(StageGenerate, generate); err != nil {
		return nil, err
	}
	if b.gpu() {
		if err := j.step(StageAssemble, b.assemble); err != nil {
			return nil, err
		}
	}
	var im *image.Image
	err := j.step(StageImage, func() (err error) {
		im, err = b.image(j.request)
		return err
	})
	return im, err
}

// parse reads the module.
func (j *job) parse(context *llvm.Context) (m *llvm.Module, identity image.Identity, err error) {
	err = j.step(StageParse, func() error {
		module := j.request.Module
		reader := "LLVM " + j.compiler.toolchain.Version
		if _, err := image.Recognise(module); err != nil {
			return &fault{kind: ErrBadModule, text: err.Error(), cause: err}
		}
		identity, err = image.Identify(module)
		if err != nil {
			return &fault{kind: ErrBadModule, text: fmt.Sprintf("%v (reader is %s)", err, reader), cause: err}
		}
		m, err = context.Parse("module", module)
		if err != nil {
			text := message(err)
			if identity.Producer != "" {
				text = fmt.Sprintf("bitcode made by %s, reader is %s: %s", identity.Producer, reader, text)
			}
			return &fault{kind: ErrBadModule, text: text, cause: err}
		}
		if !j.request.Options.Debug {
			capi.StripModuleDebugInfo(m.Ref())
		}
		if capi.GetDataLayoutStr(m.Ref()) == "" {
			if err := completeLayout(m); err != nil {
				return err
			}
		}
		if j.dump != nil {
			j.dump.write(StageParse, ".ll", []byte(m.Print()))
		}
		return nil
	})
	return m, identity, err
}

// hostTriple stands for the triple of a module without one.
const hostTriple = "x86_64-unknown-linux-gnu"

// spirLayout is how clang lays out data for SPIR, which an LLVM need have no
// back end for.
const spirLayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"

// completeLayout gives a module without a data layout that of its triple.
// LLVM's own default is that of no machine.
func completeLayout(m *llvm.Module) error {
	triple := capi.GetTarget(m.Ref())
	if triple == "" {
		triple = hostTriple
	}
	if architecture, _, _ := strings.Cut(triple, "-"); architecture == "spir64" || architecture == "spirv64" {
		capi.SetDataLayout(m.Ref(), spirLayout)
		return nil
	}
	machine, err := llvm.NewMachine(llvm.MachineOptions{Triple: triple})
	if err != nil {
		return &fault{kind: ErrBadModule, text: "the module has no data layout: " + err.Error(), cause: err}
	}
	defer machine.Close()
	capi.SetDataLayout(m.Ref(), machine.DataLayout())
	return nil
}

// machineOptions says what code is generated for, with features in the place of
// the target's own.
func (j *job) machineOptions(features string) llvm.MachineOptions {
	levels := [...]llvm.CodegenLevel{
		CodegenAggressive: llvm.CodegenAggressive,
		CodegenDefault:    llvm.CodegenDefault,
		CodegenLess:       llvm.CodegenLess,
		CodegenNone:       llvm.CodegenNone,
	}
	return llvm.MachineOptions{
		Triple:   j.request.Target.Triple,
		CPU:      j.request.Target.Processor,
		Features: features,
		Level:    levels[j.request.Options.Codegen],
	}
}

// message returns what LLVM said, without what it was doing.
func message(err error) string {
	if d, ok := errors.AsType[*llvm.DiagnosticError](err); ok {
		for _, diagnostic := range d.Diagnostics {
			if diagnostic.Severity == llvm.SeverityError {
				return diagnostic.Message
			}
		}
	}
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return err.Error()
}
