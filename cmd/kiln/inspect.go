package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/image"
)

type inspectCommand struct {
	File string `arg:"" help:"Bitcode, textual IR or a source, as for run."`
}

type inspectResult struct {
	File     string         `json:"file"`
	Kind     string         `json:"kind"`
	Bytes    int            `json:"bytes"`
	Producer string         `json:"producer"`
	Target   string         `json:"target"`
	Digest   string         `json:"digest"`
	Kernels  []kernelResult `json:"kernels"`
	Globals  []globalResult `json:"globals"`
}

type kernelResult struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
	// Convention is "host" for a plain function, "grid" for a GPU kernel.
	Convention    string        `json:"convention"`
	Params        []paramResult `json:"params"`
	Result        string        `json:"result,omitempty"`
	RequiredBlock [3]uint32     `json:"required_block,omitzero"`
	MaxBlock      uint32        `json:"max_block,omitzero"`
	SharedBytes   uint32        `json:"shared_bytes"`
	DynamicShared bool          `json:"dynamic_shared"`
}

type globalResult struct {
	Name         string `json:"name"`
	Bytes        uint64 `json:"bytes"`
	Align        uint32 `json:"align"`
	Constant     bool   `json:"constant"`
	Initialised  bool   `json:"initialised"`
	AddressSpace uint32 `json:"address_space"`
}

type paramResult struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Type     string `json:"type"`
	Bytes    uint32 `json:"bytes"`
	ReadOnly bool   `json:"read_only"`
}

// Run shows what is in the file.
func (c *inspectCommand) Run(s *session) error {
	ctx := context.Background()
	data, err := s.readFile(ctx, c.File)
	if err != nil {
		return err
	}
	kind, err := image.Recognise(data)
	if err != nil {
		return &inputError{fmt.Errorf("%s: %w", c.File, err)}
	}
	engine, err := s.openEngine(&observed{})
	if err != nil {
		return err
	}
	defer engine.Close()
	end := s.progress.begin("reading " + c.File)
	module, err := engine.Load(ctx, kiln.Bytes(c.File, data))
	end()
	if err != nil {
		return err
	}
	summary := module.Summary()
	result := &inspectResult{
		File: c.File, Kind: kind.String(), Bytes: len(data), Producer: summary.Producer, Target: summary.Triple,
		Digest: fmt.Sprintf("%x", module.Digest()), Kernels: []kernelResult{}, Globals: []globalResult{},
	}
	if language := source.LanguageOf(c.File); language != source.Module {
		result.Kind = language.String() + ", compiled to " + result.Kind
	}
	for i := range summary.Kernels {
		result.Kernels = append(result.Kernels, describe(&summary.Kernels[i]))
	}
	for _, g := range summary.Globals {
		result.Globals = append(result.Globals, globalResult(g))
	}
	if s.json {
		return s.printJSON(result)
	}
	return printInspected(s, result)
}

func describe(k *image.Kernel) kernelResult {
	r := kernelResult{
		Name: k.Name, Signature: signature(k), Convention: k.Convention.String(), Params: []paramResult{}, Result: typeName(k.Result.Type),
		RequiredBlock: k.ReqdBlock, MaxBlock: k.MaxBlock, SharedBytes: k.SharedBytes, DynamicShared: k.DynamicShared,
	}
	for i := range k.Params {
		p := &k.Params[i]
		r.Params = append(r.Params, paramResult{sourceName(p), p.Kind.String(), typeName(p.Type), p.Size, p.ReadOnly})
	}
	return r
}

// notes are the bounds of a kernel that matter for launching it.
func (k *kernelResult) notes() string {
	var notes []string
	if k.RequiredBlock != [3]uint32{} {
		notes = append(notes, "block "+extent{dims: k.RequiredBlock}.String())
	}
	if k.MaxBlock > 0 {
		notes = append(notes, fmt.Sprintf("at most %d work-items", k.MaxBlock))
	}
	if k.SharedBytes > 0 {
		notes = append(notes, size(int64(k.SharedBytes))+" shared")
	}
	if k.DynamicShared {
		notes = append(notes, "shared memory sized at launch")
	}
	return strings.Join(notes, ", ")
}

func printInspected(s *session, r *inspectResult) error {
	out := tabwriter.NewWriter(s.stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(out, "%s\t%s, %s\n", r.File, r.Kind, size(int64(r.Bytes)))
	for _, field := range [][2]string{{"producer", r.Producer}, {"target", r.Target}, {"sha256", r.Digest}} {
		if field[1] != "" {
			fmt.Fprintf(out, "  %s\t%s\n", field[0], field[1])
		}
	}
	out.Flush()
	fmt.Fprintf(s.stdout, "kernels (%d)\n", len(r.Kernels))
	for i := range r.Kernels {
		k := &r.Kernels[i]
		fmt.Fprintf(out, "  %s\t%s", k.Convention, k.Signature)
		if notes := k.notes(); notes != "" {
			fmt.Fprintf(out, "\t%s", notes)
		}
		fmt.Fprintln(out)
	}
	out.Flush()
	if len(r.Globals) > 0 {
		fmt.Fprintf(s.stdout, "globals (%d)\n", len(r.Globals))
	}
	for _, g := range r.Globals {
		word := "variable"
		if g.Constant {
			word = "constant"
		}
		fmt.Fprintf(out, "  %s\t%s\t%s\taddress space %d\n", word, g.Name, size(int64(g.Bytes)), g.AddressSpace)
	}
	return out.Flush()
}
