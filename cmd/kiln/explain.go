package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// explanation is what --explain tells beside the stages.
type explanation struct {
	measures
	// Versions are the kernel's code, then generic code and code for the targets
	// of --compare; empty where there is nothing to compare with.
	Versions []compared `json:"versions,omitempty"`
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
	e := &explanation{measures: measure(im)}
	if e.Versions, err = c.compare(ctx, s, r, im); err != nil {
		return nil, err
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
	if lined.Target.Arch() == target.NVPTX {
		lined.Tools.Assembler = tool.Identity{} // IR is all that is wanted
	}
	if source.LanguageOf(c.File) != source.Module {
		end := s.progress.begin("clang " + c.File)
		module, err := source.CompileWithLines(ctx, c.File, r.Target)
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
	compiler, err := s.openCompiler(compile.Config{LLVM: s.config.LLVM, DumpDir: d.folder, Tools: s.tools()})
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
			"ptx": "PTX", "cubin": "cubin", "sass": "SASS", "hsaco": "code object",
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
		var words []string
		for _, c := range e.cells(r.arch) {
			words = append(words, c.name+" "+c.value)
		}
		fmt.Fprintf(w, "  %s\n", strings.Join(words, ", "))
		printVersions(w, e.Versions)
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
