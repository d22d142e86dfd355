package main

import (
	"fmt"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/target"
)

// tools says where the environment has assemblers and device libraries.
func (s *session) tools() tool.Search {
	return tool.Search{CUDA: s.config.CUDA, ROCm: s.config.ROCm, Path: s.config.Path, Assembler: s.config.Assembler}
}

// noAssembler says why PTX for t is not assembled.
func (s *session) noAssembler(t target.Target) error {
	if s.config.Assembler == "none" {
		return usage("machine code for %s needs an assembler, and KILN_ASSEMBLER=none asks for none; --emit ptx does without", t.Processor)
	}
	search := s.tools()
	found := search.Assemblers()
	text := found.Missing()
	if len(found.Tools) > 0 {
		text = ""
		for _, a := range found.Tools {
			id, err := a.Identity()
			if err != nil {
				return err
			}
			text += fmt.Sprintf("\n  %s %s at %s does not take it", id.Name, id.Version, a.Path)
		}
	}
	return &missingError{fmt.Sprintf("machine code for %s needs an assembler, nvJitLink or ptxas; --emit ptx does without, and kiln doctor says what to type: %s", t.Processor, text)}
}

// sought is one kind of tool that doctor lists.
type sought struct {
	name, purpose, fix string
	find               func() *tool.Found
}

const (
	nvidiaWheels = "python3 -m venv kiln-tools && . kiln-tools/bin/activate && pip install "
	rocmPackage  = "apt-get install rocm-device-libs"
)

// findGPUTools reports what code for GPUs is made with beside LLVM.
func (s *session) findGPUTools() []finding {
	major := llvm.NewestMajor
	if used, err := llvm.Locate(s.config.LLVM); err == nil {
		major = used.Major
	}
	assembler := func(name string) func() *tool.Found {
		search := s.tools()
		search.Assembler = name
		return search.Assemblers
	}
	search := s.tools()
	var findings []finding
	for _, w := range []sought{
		{tool.NVJitLink, "assembles code for NVIDIA GPUs in kiln's own process", nvidiaWheels + "nvidia-nvjitlink", assembler(tool.NVJitLink)},
		{tool.PTXAS, "assembles code for NVIDIA GPUs", nvidiaWheels + "nvidia-cuda-nvcc", assembler(tool.PTXAS)},
		{tool.Libdevice, "mathematics for NVIDIA GPUs", nvidiaWheels + "nvidia-nvvm", search.Libdevice},
		{tool.NVDisasm, "for compile --emit sass", nvidiaWheels + "nvidia-cuda-nvdisasm", search.Disassemblers},
		{"ld.lld", "links code for AMD GPUs", fmt.Sprintf("apt-get install lld-%d", major), func() *tool.Found { return search.Linkers(major) }},
		{"ROCm device libraries", "mathematics for AMD GPUs", rocmPackage, search.DeviceLibs},
	} {
		f := w.finding()
		if chosen := s.config.Assembler; chosen != "" && chosen != f.Name && (f.Name == tool.NVJitLink || f.Name == tool.PTXAS) {
			f = finding{f.Name, "absent", "left out by KILN_ASSEMBLER=" + chosen, "unset KILN_ASSEMBLER"}
		}
		findings = append(findings, f)
	}
	return findings
}

// finding describes the one that is used.
func (w *sought) finding() finding {
	found := w.find()
	if len(found.Tools) == 0 {
		return finding{w.name, "absent", w.purpose, w.fix}
	}
	used := found.Tools[0]
	id, err := used.Identity()
	if err != nil {
		return finding{w.name, "absent", err.Error(), w.fix}
	}
	where := used.Path
	if id.Version != "" {
		where = id.Version + " at " + where
	}
	return finding{w.name, "ok", where + ", " + w.purpose, ""}
}

// settleTools puts into a request for a GPU what its image is made with. PTX
// that is wanted alone is not assembled.
func (c *compileCommand) settleTools(s *session, compiler *compiler, r *compile.Request, outputs []emitted) error {
	var err error
	if r.Tools, err = compiler.Tools(r.Target); err != nil || r.Target.Arch() != target.NVPTX {
		return err
	}
	assembled := c.Explain
	for _, o := range outputs {
		assembled = assembled || o.stageFile(r.Target.Arch()) == ""
		if (o.Kind == "cubin" || o.Kind == "sass") && r.Tools.Assembler.IsZero() {
			return s.noAssembler(r.Target)
		}
	}
	if !assembled {
		r.Tools.Assembler = tool.Identity{}
	}
	return nil
}
