package compile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// assemble makes machine code of what LLVM has written, where the request
// names an assembler.
func (b *build) assemble() error {
	b.format = image.PTX
	t, err := b.assembler()
	if t == nil || err != nil {
		return err
	}
	if b.request.Target.Arch() == target.AMDGPU {
		return b.linkObject(t)
	}
	made, err := t.Assemble(b.ctx, b.payload, b.request.Target.Processor, b.request.Options.Debug)
	if err != nil {
		return b.toolFault(err)
	}
	// It speaks of each function alone; registers are those of the kernel with
	// all it calls, which its code has.
	usage := tool.ParseUsage(made.Log)
	b.resources = usage.Functions[b.entry]
	for _, w := range usage.Warnings {
		b.remarks = append(b.remarks, strings.ReplaceAll(w, b.entry, b.request.Kernel))
	}
	b.format, b.payload = image.CubinCode, made.Cubin
	b.dump.write(StageAssemble, ".cubin", made.Cubin)
	k, err := b.kernelCode()
	if k == nil || err != nil {
		return err
	}
	b.resources.Wave, b.resources.Registers = k.Wavefront, k.Registers
	b.resources.LocalBytes = max(b.resources.LocalBytes, k.PrivateBytes)
	// What the code says of shared memory counts the system's part.
	if _, said := usage.Functions[b.entry]; !said {
		b.resources.SharedBytes = k.SharedBytes
	}
	return nil
}

// linkObject makes a code object and reads what it says of the kernel.
func (b *build) linkObject(t *tool.Tool) error {
	code, err := t.Link(b.ctx, b.payload)
	if err != nil {
		return b.toolFault(err)
	}
	b.format, b.payload = image.CodeObject, code
	b.dump.write(StageAssemble, ".hsaco", code)
	k, err := b.kernelCode()
	if k == nil || err != nil {
		return err
	}
	const registerBytes = 4
	b.resources = image.Resources{
		Registers: k.Registers, Scalars: k.Scalars, Accumulators: k.Accumulators,
		SpillBytes: k.Spills * registerBytes, LocalBytes: k.PrivateBytes, SharedBytes: k.SharedBytes, Wave: k.Wavefront,
	}
	return b.checkKernarg(k)
}

// kernelCode returns what the payload says of the kernel, nil where it is of
// the module's variables alone.
func (b *build) kernelCode() (*image.KernelCode, error) {
	f, err := image.Open(b.payload)
	if err != nil {
		return nil, fmt.Errorf("reading the assembler's output: %w", err)
	}
	if b.request.Variables {
		return nil, nil
	}
	kernels, err := f.Kernels()
	if err != nil {
		return nil, fmt.Errorf("reading the assembler's output: %w", err)
	}
	for i := range kernels {
		if kernels[i].Name == b.entry {
			return &kernels[i], nil
		}
	}
	return nil, fmt.Errorf("the assembler's output has no kernel %q", b.entry)
}

// checkKernarg holds the code object's own layout of the arguments against the
// one that callers go by.
func (b *build) checkKernarg(k *image.KernelCode) error {
	i := 0
	for _, p := range k.Params {
		if p.Hidden {
			continue
		}
		if i >= len(b.desc.Params) {
			return fmt.Errorf("the code object has more arguments than the kernel's %d", len(b.desc.Params))
		}
		if want := &b.desc.Params[i]; p.Offset != want.Offset {
			return faultf(ErrUnsupported, "argument %d (%s) lies at byte %d in the code object, at %d by the rules of C", i, want.Type, p.Offset, want.Offset)
		}
		i++
	}
	return nil
}

// toolFault tells faults of the module from those of the toolchain, with the
// kernel's own name.
func (b *build) toolFault(err error) error {
	refused, ok := errors.AsType[*tool.Error](err)
	if !ok {
		return err
	}
	text := refused.Error() + "\n" + refused.Log
	if b.entry != "" {
		text = strings.ReplaceAll(text, b.entry, b.request.Kernel)
	}
	return &fault{kind: ErrBadModule, text: text, cause: err}
}
