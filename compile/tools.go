package compile

import (
	"context"
	"fmt"
	"sync"

	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// Tools identifies what beside LLVM makes an image for a GPU.
type Tools struct {
	// Assembler makes the image of what LLVM writes. Zero leaves PTX to the
	// device's driver; code for AMD's GPUs needs one.
	Assembler tool.Identity
	// Library is the vendor's device library; zero is none, which kernels that
	// call none of its functions do without.
	Library tool.Identity
}

// tools is what was found for each vendor, looked for once.
type tools struct {
	nvidia, amd func() findings
}

// findings are the assemblers and device libraries for one vendor's GPUs.
type findings struct{ assemblers, libraries *tool.Found }

func newTools(search tool.Search, llvmMajor int) *tools {
	return &tools{
		nvidia: sync.OnceValue(func() findings { return findings{search.Assemblers(), search.Libdevice()} }),
		amd:    sync.OnceValue(func() findings { return findings{search.Linkers(llvmMajor), search.DeviceLibs()} }),
	}
}

// found returns the assemblers and libraries for a family of GPUs.
func (t *tools) found(arch target.Arch) findings {
	if arch == target.AMDGPU {
		return t.amd()
	}
	return t.nvidia()
}

// isGPU tells whether code for the family is made without SPMD.
func isGPU(arch target.Arch) bool { return arch == target.NVPTX || arch == target.AMDGPU }

// Tools returns what the compiler would make images for a target with, for
// requests to carry: the first assembler found that takes the processor, and
// the device library; zero for a CPU. It looks for them once and reads what it
// finds, and runs nothing. What is not found is zero: whether a kernel needs it
// shows in a compile. Errors are those of reading a file that is there.
func (c *Compiler) Tools(t target.Target) (Tools, error) {
	var ids Tools
	if !isGPU(t.Arch()) {
		return ids, nil
	}
	found := c.tools.found(t.Arch())
	for _, a := range found.assemblers.Tools {
		takes := true
		var err error
		if t.Arch() == target.NVPTX {
			takes, err = a.Takes(t.Processor)
		}
		if err != nil {
			return ids, err
		}
		if !takes {
			continue
		}
		if ids.Assembler, err = a.Identity(); err != nil {
			return ids, err
		}
		break
	}
	if len(found.libraries.Tools) > 0 {
		var err error
		if ids.Library, err = found.libraries.Tools[0].Identity(); err != nil {
			return ids, err
		}
	}
	return ids, nil
}

// Disassemble prints the machine code of an image for an NVIDIA GPU, by
// nvdisasm, which is looked for where assemblers are. Errors match ErrMissing
// where there is none, and ErrUnsupported for other images.
func (c *Compiler) Disassemble(ctx context.Context, im *image.Image) ([]byte, error) {
	if im.Format != image.CubinCode {
		return nil, faultf(ErrUnsupported, "disassembling %s: only cubins are; a compile's dump has the assembly of others", im.Format)
	}
	found := c.config.Tools.Disassemblers()
	if len(found.Tools) == 0 {
		return nil, faultf(ErrMissing, "no nvdisasm: %s", found.Missing())
	}
	return found.Tools[0].Disassemble(ctx, im.Payload)
}

// assembler returns the tool that the request names, nil where it names none.
func (j *job) assembler() (*tool.Tool, error) {
	id := j.request.Tools.Assembler
	if id.IsZero() {
		return nil, nil
	}
	return pick(id, j.compiler.tools.found(j.target.Arch()).assemblers)
}

// library returns the device library that the request names.
func (j *job) library() (*tool.Tool, error) {
	libraries := j.compiler.tools.found(j.target.Arch()).libraries
	id := j.request.Tools.Library
	if id.IsZero() {
		return nil, faultf(ErrMissing, "%s", libraries.Missing())
	}
	return pick(id, libraries)
}

// pick returns the tool that is the one identified.
func pick(id tool.Identity, found *tool.Found) (*tool.Tool, error) {
	have := ""
	for _, t := range found.Tools {
		if t.Name != id.Name {
			continue
		}
		is, err := t.Identity()
		if err != nil {
			return nil, err
		}
		if is == id {
			return t, nil
		}
		have += fmt.Sprintf("; %s is %s", t.Path, is)
	}
	return nil, faultf(ErrMissing, "the request is for %s, which is not here%s: %s", id, have, found.Missing())
}
