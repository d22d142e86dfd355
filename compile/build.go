package compile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/elfload"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/spmd"
	"github.com/kilnjit/kiln/target"
)

// build is what the stages of one compile hand on to each other.
type build struct {
	*job
	context *llvm.Context
	module  *llvm.Module
	machine *llvm.Machine
	used    idleMachine
	code    *code
	// function is the kernel in the module, described by kernel.
	function capi.Value
	desc     *image.Kernel
	// slots are the variables that the module's kernels share; constructed
	// tells that they are set by code.
	slots       []slot
	constructed bool
	// fixed is each argument's constant value, zero where it has none.
	fixed        []capi.Value
	entry        string
	block        [3]uint32
	postPasses   string
	remarks      []string
	contextBytes uint64
	payload      []byte
	format       image.Format
	undefined    []string
	stackBytes   uint64
	gpuBuild
}

// gpuBuild is what a compile for a GPU settles: the features that LLVM is told
// of, the PTX version, AMD's wave size and code object version; then which
// slots the code names and holds, and what the kernel takes of the processor.
type gpuBuild struct {
	features         string
	ptx              target.PTXVersion
	wave, codeObject int
	addresses, held  []int
	named, holds     []image.Slot
	resources        image.Resources
}

// extract leaves the kernel and what it needs.
func (b *build) extract() error {
	b.code = newCode(b.context.Ref(), b.module.Ref())
	b.slots = b.code.slots()
	if b.request.Variables {
		return b.extractVariables()
	}
	var err error
	if b.function, err = b.code.find(b.request.Kernel); err != nil {
		return err
	}
	if b.desc, err = b.code.describe(b.function); err != nil {
		return fmt.Errorf("%q cannot be launched: %w", b.request.Kernel, err)
	}
	if err := b.request.Spec.Validate(b.desc); err != nil {
		return &fault{kind: ErrBadRequest, text: err.Error(), cause: err}
	}
	if err := b.checkFamily(); err != nil {
		return err
	}
	return b.reduce()
}

// checkMachine refuses host code of another kind of processor.
func (b *build) checkMachine() error {
	if b.desc.Convention != image.Host {
		return nil
	}
	if arch := b.code.arch; arch != b.request.Target.Arch() && capi.GetTarget(b.module.Ref()) != "" {
		return faultf(ErrUnsupported, "the module is code for %s, not for %s: compile the source for that", capi.GetTarget(b.module.Ref()), b.request.Target.Triple)
	}
	if capi.PointerSize(b.code.layout) != pointerBytes {
		return faultf(ErrUnsupported, "the module has %d-byte pointers", capi.PointerSize(b.code.layout))
	}
	return nil
}

// reduce drops what the kernel does not need and checks what is left.
func (b *build) reduce() error {
	b.constructed = b.desc.Convention == image.Host && b.code.constructed()
	link := func() error { return b.code.link(b.slots) }
	if b.gpu() {
		link = b.indirect
	}
	if err := link(); err != nil {
		return err
	}
	b.code.isolate(b.function, b.desc.Convention)
	if err := b.module.RunPasses("globaldce", nil, llvm.PassOptions{}); err != nil {
		return err
	}
	if err := b.code.checkExtracted(); err != nil {
		return err
	}
	return b.verify(ErrBadModule)
}

// verify checks the module by LLVM's rules, which its passes rely on.
func (b *build) verify(kind error) error {
	if err := b.module.Verify(); err != nil {
		return &fault{kind: kind, text: "the module breaks LLVM's rules: " + message(err), cause: err}
	}
	return nil
}

func (b *build) specialise() (err error) {
	b.fixed, err = b.code.specialise(b.function, b.desc, b.request.Spec.Constants)
	return err
}

// lower makes the entry of a GPU kernel, in a module of its own that takes the
// place of the one at hand.
func (b *build) lower() error {
	if err := b.takeMachine(); err != nil {
		return err
	}
	if b.request.Variables {
		return b.lowerVariables()
	}
	block := b.request.Spec.Block
	if block == ([3]uint32{}) {
		block = b.desc.ReqdBlock
	}
	lowered, err := spmd.Lower(b.module, b.desc.Name, spmd.Options{
		Triple:     b.machine.Triple(),
		DataLayout: b.machine.DataLayout(),
		Machine:    b.machine,
		Params:     b.desc.Params,
		Block:      block,
		Grid:       b.request.Spec.Grid,
		MaxBlock:   b.desc.MaxBlock,
	})
	if errors.Is(err, spmd.ErrUnsupported) {
		return &fault{kind: ErrUnsupported, text: err.Error(), cause: err}
	}
	if err != nil {
		return err
	}
	b.module.Close()
	b.module, b.code = lowered.Module, newCode(b.context.Ref(), lowered.Module.Ref())
	b.entry, b.block, b.postPasses, b.contextBytes = lowered.Entry, block, lowered.PostPasses, lowered.ContextBytes
	b.remarks = append(b.remarks, lowered.Remarks...)
	b.code.isolate(capi.GetNamedFunction(b.module.Ref(), b.entry), image.Grid)
	return b.prepare()
}

// wrap makes the entry of a host function.
func (b *build) wrap() error {
	if err := b.takeMachine(); err != nil {
		return err
	}
	if b.request.Variables {
		return b.prepare()
	}
	b.entry = b.code.wrap(b.function, b.desc, b.fixed)
	if err := b.prepare(); err != nil || b.request.Options.Opt == O0 {
		return err
	}
	// One function instead of two halves what the passes before LLVM's own
	// inliner have to do.
	if err := b.module.RunPasses("always-inline", nil, llvm.PassOptions{}); err != nil {
		return err
	}
	// The pass deletes a function that is marked to be inlined, and no other.
	b.function = capi.GetNamedFunction(b.module.Ref(), b.desc.Name)
	if b.function != 0 && capi.GetFirstUse(b.function) == 0 {
		capi.DeleteFunction(b.function)
	}
	return nil
}

// takeMachine makes ready the target machine, unless there is one.
func (b *build) takeMachine() error {
	if b.machine != nil {
		return nil
	}
	var err error
	features := b.features
	if !b.gpu() {
		features = b.request.Target.Features
	}
	b.used, err = b.compiler.machines.take(b.machineOptions(features))
	b.machine = b.used.machine
	return err
}

// prepare makes the module code for the request's machine.
func (b *build) prepare() error {
	capi.SetTarget(b.module.Ref(), b.machine.Triple())
	capi.SetDataLayout(b.module.Ref(), b.machine.DataLayout())
	b.code.retarget(b.entry, b.request)
	return b.verify(errors.New("kiln made a broken module"))
}

// optimise runs the request's pipeline or its level's.
func (b *build) optimise() error {
	o := b.request.Options
	var passes llvm.PassOptions
	pipeline := o.Pipeline
	if pipeline == "" {
		pipeline = "default<" + o.Opt.String() + ">"
		scalar := o.Opt == O0 || o.Opt == O1 || o.Opt == Oz
		passes.NoLoopVectorize, passes.NoSLPVectorize = scalar, scalar
	}
	err := b.module.RunPasses(pipeline, b.machine, passes)
	if _, ok := errors.AsType[*llvm.DiagnosticError](err); ok {
		return &fault{kind: ErrBadModule, text: message(err), cause: err}
	}
	if err != nil {
		return &fault{kind: ErrBadRequest, text: fmt.Sprintf("pipeline %q: %s", pipeline, message(err)), cause: err}
	}
	if b.postPasses == "" || o.Opt == O0 {
		return nil
	}
	return b.module.RunPasses(b.postPasses, b.machine, passes)
}

// generate makes the object and reads what a loader will ask of it.
func (b *build) generate() error {
	printed := b.toPrint()
	said := len(b.context.Diagnostics())
	object, err := b.machine.Emit(b.module, llvm.Object)
	if err != nil {
		return &fault{kind: ErrBadModule, text: message(err), cause: err}
	}
	b.dump.write(StageGenerate, ".o", object)
	if printed != nil {
		if text, err := b.machine.Emit(printed, llvm.Assembly); err == nil {
			b.dump.write(StageGenerate, ".s", text)
		}
	}
	b.readDiagnostics(b.context.Diagnostics()[said:])
	parsed, err := elfload.Parse(object)
	if err != nil {
		return &fault{kind: ErrUnsupported, text: "the object cannot be loaded: " + err.Error(), cause: err}
	}
	if !b.request.Variables && !slices.Contains(parsed.Defined(), b.entry) {
		return faultf(ErrBadRequest, "pipeline %q leaves no entry %q", b.request.Options.Pipeline, b.entry)
	}
	b.format, b.payload, b.undefined = image.Object, object, parsed.Undefined()
	b.named, b.holds = b.table()
	return nil
}

// toPrint returns a copy of the module for the dump of its assembly, nil where
// there is none: the code generator changes what it is given.
func (b *build) toPrint() *llvm.Module {
	if b.dump == nil {
		return nil
	}
	clone, err := b.module.Clone()
	if err != nil {
		b.warn(fmt.Errorf("dumping assembly: %w", err))
		return nil
	}
	return clone
}

// frameSize returns the size that the code generator's remark on a stack frame
// gives: "stack frame size (N) ...".
func frameSize(remark string) (bytes uint64, ok bool) {
	_, rest, ok := strings.Cut(remark, "stack frame size (")
	if !ok {
		return 0, false
	}
	digits, _, _ := strings.Cut(rest, ")")
	bytes, err := strconv.ParseUint(digits, 10, 64)
	return bytes, err == nil
}

// readDiagnostics adds up the frames that the code generator reports, as it is
// asked to by an attribute, and keeps what else it says.
func (b *build) readDiagnostics(said []llvm.Diagnostic) {
	for _, d := range said {
		if n, ok := frameSize(d.Message); ok {
			b.stackBytes += n
			continue
		}
		if d.Severity <= llvm.SeverityWarning {
			b.remarks = append(b.remarks, firstLine(d.Message))
		}
	}
}

// image puts together what the stages have made.
func (b *build) image(r *Request) (*image.Image, error) {
	if r.Target.Arch() == target.Unknown {
		return nil, faultf(ErrUnsupported, "no image format for %s", r.Target.Triple)
	}
	return &image.Image{
		Format:       b.format,
		Target:       r.Target,
		Kernel:       r.Kernel,
		Entry:        b.entry,
		Convention:   b.desc.Convention,
		Block:        b.block,
		Grid:         r.Spec.Grid,
		MaxBlock:     b.desc.MaxBlock,
		ParamBytes:   b.desc.ParamBytes,
		StackBytes:   uint32(min(b.stackBytes, 1<<32-1)),
		ContextBytes: b.contextBytes,
		Globals:      b.named,
		Variables:    b.holds,
		Constructors: b.constructed,
		Resources:    b.resources,
		Undefined:    b.undefined,
		Remarks:      b.remarks,
		Payload:      b.payload,
	}, nil
}
