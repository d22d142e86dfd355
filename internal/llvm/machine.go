package llvm

import (
	"errors"
	"fmt"

	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// CodegenLevel is how hard the code generator works; the zero value is
// aggressive.
type CodegenLevel uint8

// The code generator's levels.
const (
	CodegenAggressive CodegenLevel = iota
	CodegenDefault
	CodegenLess
	CodegenNone
)

// MachineOptions say what code is generated for. Only Triple is needed.
type MachineOptions struct {
	// Triple is LLVM's target triple.
	Triple string
	// CPU and Features are LLVM's names; LLVM prints a warning and goes on
	// if it does not know one, so they are checked before.
	CPU, Features string
	// ABI is the name of the target's ABI variant.
	ABI   string
	Level CodegenLevel
	// Reloc is the relocation model; the zero value is PIC, not LLVM's own
	// default.
	Reloc capi.RelocMode
	// Model is the code model; the zero value is small, not LLVM's own
	// default for this interface.
	Model capi.CodeModel
	// FastISel and GlobalISel choose another instruction selector.
	FastISel, GlobalISel bool
}

// Machine is a target machine. It is closed once, by Close, and is for one
// goroutine at a time.
type Machine struct {
	handle
	ref    capi.TargetMachine
	triple string
}

// NewMachine makes ready the back end for the triple and returns a machine for
// it. Errors name the triple.
func NewMachine(options MachineOptions) (*Machine, error) {
	what := "making a target machine for " + options.Triple
	target, err := lookupTarget(options.Triple)
	if err != nil {
		return nil, wrap(what, err)
	}
	o := capi.CreateTargetMachineOptions()
	defer capi.DisposeTargetMachineOptions(o)
	capi.TargetMachineOptionsSetCPU(o, options.CPU)
	capi.TargetMachineOptionsSetFeatures(o, options.Features)
	capi.TargetMachineOptionsSetABI(o, options.ABI)
	capi.TargetMachineOptionsSetCodeGenOptLevel(o, options.Level.capi())
	reloc, model := options.Reloc, options.Model
	if reloc == capi.RelocDefault {
		reloc = capi.RelocPIC
	}
	if model == capi.CodeModelDefault {
		model = capi.CodeModelSmall
	}
	capi.TargetMachineOptionsSetRelocMode(o, reloc)
	capi.TargetMachineOptionsSetCodeModel(o, model)
	ref := capi.CreateTargetMachineWithOptions(target, options.Triple, o)
	if ref == 0 {
		return nil, wrap(what, errors.New("LLVM refuses it"))
	}
	if options.FastISel {
		capi.SetTargetMachineFastISel(ref, true)
	}
	if options.GlobalISel {
		capi.SetTargetMachineGlobalISel(ref, true)
	}
	m := &Machine{ref: ref, triple: options.Triple}
	m.born("target machine")
	return m, nil
}

func (l CodegenLevel) capi() capi.CodeGenOptLevel {
	switch l {
	case CodegenDefault:
		return capi.CodeGenLevelDefault
	case CodegenLess:
		return capi.CodeGenLevelLess
	case CodegenNone:
		return capi.CodeGenLevelNone
	}
	return capi.CodeGenLevelAggressive
}

// Ref returns the machine's handle, which stays the machine's.
func (t *Machine) Ref() capi.TargetMachine { return t.ref }

// Triple returns the triple that the machine was made for.
func (t *Machine) Triple() string { return t.triple }

// Close frees the machine. Closing again does nothing.
func (t *Machine) Close() {
	if t.end() {
		capi.DisposeTargetMachine(t.ref)
	}
}

// DataLayout returns the data layout of code for the machine, as text.
func (t *Machine) DataLayout() string {
	data := capi.CreateTargetDataLayout(t.ref)
	defer capi.DisposeTargetData(data)
	return capi.CopyStringRepOfTargetData(data).Take()
}

// Output is a form of generated code.
type Output uint8

// The forms of generated code.
const (
	Object Output = iota
	Assembly
)

// Emit generates code for the module, which must have the machine's triple and
// data layout. The code generator changes the module: emit once, or a clone.
func (t *Machine) Emit(m *Module, output Output) ([]byte, error) {
	what := fmt.Sprintf("generating code for %s (%s)", m.name, t.triple)
	if err := t.use(); err != nil {
		return nil, wrap(what, err)
	}
	file := capi.ObjectFile
	if output == Assembly {
		file = capi.AssemblyFile
	}
	var code []byte
	err := m.attempt(what, func() error {
		var message capi.Message
		var buffer capi.MemoryBuffer
		if capi.TargetMachineEmitToMemoryBuffer(t.ref, m.ref, file, &message, &buffer) {
			return errors.New(cleanMessage(message.Take()))
		}
		code = capi.BufferBytes(buffer)
		capi.DisposeMemoryBuffer(buffer)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return code, nil
}

// HostTriple returns the triple that LLVM was built to run on.
func HostTriple() string { return capi.GetDefaultTargetTriple().Take() }
