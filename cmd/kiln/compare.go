package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// measures are what an image's code takes.
type measures struct {
	// Instructions are those of PTX, which has no sizes yet.
	Instructions int `json:"instructions,omitzero"`
	// CodeBytes and ConstantBytes are of the object's sections, 0 for PTX.
	CodeBytes     uint64 `json:"code_bytes"`
	ConstantBytes uint64 `json:"constant_bytes"`
	// StackBytes is the entry's own frame, ContextBytes what a worker needs beside it.
	StackBytes   uint32 `json:"stack_bytes"`
	ContextBytes uint64 `json:"context_bytes"`
	ParamBytes   uint32 `json:"param_bytes"`
	// Resources is what the kernel takes of a GPU, left out for a CPU and for PTX.
	Resources *resources `json:"resources,omitempty"`
}

// resources are those of [image.Resources].
type resources struct {
	Registers    uint32 `json:"registers"`
	Scalars      uint32 `json:"scalars,omitzero"`
	Accumulators uint32 `json:"accumulators,omitzero"`
	SpillBytes   uint32 `json:"spill_bytes"`
	LocalBytes   uint32 `json:"local_bytes"`
	SharedBytes  uint32 `json:"shared_bytes"`
	Wave         uint32 `json:"wave"`
}

// compared is one version of a kernel.
type compared struct {
	Target    string `json:"target"`
	Generic   bool   `json:"generic"`
	processor string
	arch      target.Arch
	measures
}

func measure(im *image.Image) measures {
	m := measures{StackBytes: im.StackBytes, ContextBytes: im.ContextBytes, ParamBytes: im.ParamBytes}
	if im.Resources != (image.Resources{}) {
		r := resources(im.Resources)
		m.Resources = &r
	}
	payload := im.Payload
	switch im.Format {
	case image.PTX:
		m.Instructions = ptxInstructions(string(payload))
		return m
	case image.CubinCode:
		// The version in the header of older cubins is not that of other ELF files.
		if payload = bytes.Clone(payload); len(payload) >= 24 {
			binary.LittleEndian.PutUint32(payload[20:], uint32(elf.EV_CURRENT))
		}
	}
	object, err := elf.NewFile(bytes.NewReader(payload))
	if err != nil {
		return m
	}
	for _, section := range object.Sections {
		switch {
		case section.Flags&elf.SHF_ALLOC == 0:
		case section.Flags&elf.SHF_EXECINSTR != 0:
			m.CodeBytes += section.Size
		case section.Name != ".eh_frame":
			m.ConstantBytes += section.Size
		}
	}
	return m
}

// ptxInstructions counts those in PTX: what ends a line and is no directive.
func ptxInstructions(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, ";") && !strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}

// cell is one measure of a version in words.
type cell struct{ name, value string }

// cells returns what is worth telling of the code.
func (m *measures) cells(arch target.Arch) []cell {
	bytes := func(n uint64) string { return size(int64(n)) }
	if arch != target.NVPTX && arch != target.AMDGPU {
		return []cell{
			{"code", bytes(m.CodeBytes)}, {"constants", bytes(m.ConstantBytes)},
			{"stack", bytes(uint64(m.StackBytes))}, {"parameters", bytes(uint64(m.ParamBytes))},
		}
	}
	var cells []cell
	if m.Instructions > 0 {
		cells = append(cells, cell{"instructions", fmt.Sprint(m.Instructions)})
	}
	if r := m.Resources; r != nil {
		cells = append(cells, cell{"registers", fmt.Sprint(r.Registers)})
		if arch == target.AMDGPU {
			cells = append(cells, cell{"scalars", fmt.Sprint(r.Scalars)}, cell{"accumulators", fmt.Sprint(r.Accumulators)})
		}
		cells = append(cells, cell{"spills", bytes(uint64(r.SpillBytes))}, cell{"shared", bytes(uint64(r.SharedBytes))},
			cell{"local", bytes(uint64(r.LocalBytes))}, cell{"code", bytes(m.CodeBytes)})
	}
	return append(cells, cell{"parameters", bytes(uint64(m.ParamBytes))})
}

// compare compiles what the kernel's code is held against: generic code, where
// something is compiled in, and code for other targets.
func (c *compileCommand) compare(ctx context.Context, s *session, r *compile.Request, im *image.Image) ([]compared, error) {
	specialised := len(r.Spec.Constants) > 0 || r.Spec.Block != [3]uint32{} || r.Spec.Grid != [3]uint32{}
	if !specialised && len(c.Compare) == 0 {
		return nil, nil
	}
	compiler, err := s.openCompiler(compile.Config{LLVM: s.config.LLVM, Tools: s.tools()})
	if err != nil {
		return nil, err
	}
	defer compiler.Close()
	versions := []compared{versionOf(im, !specialised)}
	add := func(other compile.Request, generic bool) error {
		end := s.progress.begin("compiling " + c.Kernel + " for " + other.Target.Processor)
		made, err := compiler.Compile(ctx, other)
		end()
		if err == nil {
			versions = append(versions, versionOf(made, generic))
		}
		return err
	}
	generic := *r
	generic.Spec = specialize.Spec{MaxBlock: r.Spec.MaxBlock, MinBlocks: r.Spec.MinBlocks}
	if specialised {
		if err := add(generic, true); err != nil {
			return nil, err
		}
	}
	for _, text := range c.Compare {
		other := *r
		if other.Target, err = parseTarget("--compare", text, compiler.LLVMMajor()); err != nil {
			return nil, err
		}
		if other.Tools, err = compiler.Tools(other.Target); err != nil {
			return nil, err
		}
		if err := add(other, !specialised); err != nil {
			return nil, err
		}
	}
	return versions, nil
}

func versionOf(im *image.Image, generic bool) compared {
	return compared{im.Target.String(), generic, im.Target.Processor, im.Target.Arch(), measure(im)}
}

// printVersions prints a table, with a column for each measure that some version has.
func printVersions(w io.Writer, versions []compared) {
	if len(versions) == 0 {
		return
	}
	var columns []string
	rows := make([][]cell, len(versions))
	for i := range versions {
		rows[i] = versions[i].cells(versions[i].arch)
		for _, c := range rows[i] {
			if !slices.Contains(columns, c.name) {
				columns = append(columns, c.name)
			}
		}
	}
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(out, "  processor\tcode is\t%s\n", strings.Join(columns, "\t"))
	for i, v := range versions {
		kind := "specialised"
		if v.Generic {
			kind = "generic"
		}
		fmt.Fprintf(out, "  %s\t%s", v.processor, kind)
		for _, name := range columns {
			value := "-"
			if at := slices.IndexFunc(rows[i], func(c cell) bool { return c.name == name }); at >= 0 {
				value = rows[i][at].value
			}
			fmt.Fprintf(out, "\t%s", value)
		}
		fmt.Fprintln(out)
	}
	out.Flush()
}
