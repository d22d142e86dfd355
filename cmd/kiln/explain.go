package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/image"
)

// explanation is what --explain tells beside the stages.
type explanation struct {
	// CodeBytes and ConstantBytes are of the object's sections.
	CodeBytes     uint64 `json:"code_bytes"`
	ConstantBytes uint64 `json:"constant_bytes"`
	// StackBytes is the entry's own frame, ContextBytes what a worker needs beside it.
	StackBytes   uint32 `json:"stack_bytes"`
	ContextBytes uint64 `json:"context_bytes"`
	ParamBytes   uint32 `json:"param_bytes"`
	// LLVM is what LLVM said of the kernel.
	LLVM []remark `json:"llvm"`
}

// explain measures the stages and lets LLVM talk.
func (c *compileCommand) explain(ctx context.Context, s *session, r *compile.Request, im *image.Image, d *dumps, stages []stageResult) (*explanation, error) {
	folder, err := d.compiled()
	if err != nil {
		return nil, err
	}
	for i := range stages {
		if found, _ := filepath.Glob(filepath.Join(folder, "*-"+stages[i].Stage+".ll")); len(found) == 1 {
			text, err := os.ReadFile(found[0])
			if err != nil {
				return nil, err
			}
			stages[i].Instructions = instructions(string(text))
		}
	}
	e := &explanation{StackBytes: im.StackBytes, ContextBytes: im.ContextBytes, ParamBytes: im.ParamBytes}
	if object, err := elf.NewFile(bytes.NewReader(im.Payload)); err == nil {
		for _, section := range object.Sections {
			switch {
			case section.Flags&elf.SHF_ALLOC == 0:
			case section.Flags&elf.SHF_EXECINSTR != 0:
				e.CodeBytes += section.Size
			case section.Name != ".eh_frame":
				e.ConstantBytes += section.Size
			}
		}
	}
	ir, err := c.withLines(ctx, s, r)
	if err != nil {
		if ir, err = d.read("ir"); err != nil {
			return nil, err
		}
	}
	end := s.progress.begin("asking LLVM about " + c.Kernel)
	defer end()
	e.LLVM, err = s.gatherRemarks(ctx, ir, r.Target, cmp.Or(c.Pipeline, "default<"+c.O.String()+">"))
	return e, err
}

// withLines returns what the optimiser begins with, with the source's lines in
// it. They are left out of every other compile: they would be part of the key.
func (c *compileCommand) withLines(ctx context.Context, s *session, r *compile.Request) ([]byte, error) {
	lined := *r
	lined.Options.Debug, lined.ModuleDigest = true, [32]byte{}
	if source.LanguageOf(c.File) != source.Module {
		end := s.progress.begin("clang " + c.File)
		module, err := source.CompileWithLines(ctx, c.File)
		end()
		if err != nil {
			return nil, err
		}
		lined.Module = module
	}
	d, err := newDumps("", true)
	if err != nil {
		return nil, err
	}
	defer d.remove()
	compiler, err := s.openCompiler(compile.Config{LLVM: s.config.LLVM, DumpDir: d.folder})
	if err != nil {
		return nil, err
	}
	defer compiler.Close()
	if _, err := compiler.Compile(ctx, lined); err != nil {
		return nil, err
	}
	return d.read("ir")
}

// instructions counts those in the text of a module.
func instructions(text string) int {
	n, inside := 0, false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "define "):
			inside = true
		case strings.HasPrefix(line, "}"):
			inside = false
		case inside && strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") && !strings.HasPrefix(line, "  ]") && !strings.HasPrefix(line, "  ;"):
			n++
		}
	}
	return n
}

func printCompiled(w io.Writer, r *compileResult) {
	for i, e := range r.Outputs {
		fmt.Fprintf(w, "%s: %s for %s, %s", e.File, map[string]string{
			"ir": "IR", "opt-ir": "optimised IR", "asm": "assembly", "obj": r.Format, "image": "image",
		}[e.Kind], r.processor, size(int64(e.Bytes)))
		if i == len(r.Outputs)-1 {
			fmt.Fprintf(w, ", entry %s, in %s", r.Entry, duration(r.CompileNS))
		}
		fmt.Fprintln(w)
	}
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, stage := range r.Stages {
		fmt.Fprintf(out, "  %s\t%s", stage.Stage, duration(stage.NS))
		if stage.Instructions > 0 {
			fmt.Fprintf(out, "\t%d instructions", stage.Instructions)
		}
		fmt.Fprintln(out)
	}
	out.Flush()
	if e := r.Explained; e != nil {
		fmt.Fprintf(w, "  code %s, constants %s, stack %s, parameters %s\n",
			size(int64(e.CodeBytes)), size(int64(e.ConstantBytes)), size(int64(e.StackBytes)), size(int64(e.ParamBytes)))
	}
	if len(r.Undefined) > 0 {
		fmt.Fprintf(w, "  needs      %s\n", strings.Join(r.Undefined, " "))
	}
	for _, remark := range r.Remarks {
		fmt.Fprintf(w, "  remark     %s\n", remark)
	}
	if r.Explained == nil {
		return
	}
	for i := range r.Explained.LLVM {
		fmt.Fprintf(w, "  LLVM       %s\n", &r.Explained.LLVM[i])
	}
}
