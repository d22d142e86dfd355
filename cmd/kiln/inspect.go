package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/image"
)

type inspectCommand struct {
	File    string `arg:"" help:"Bitcode, textual IR, a source, an object or program, a bundle or fat binary, an image of kiln's own; - is the input."`
	Extract string `placeholder:"FOLDER" help:"Write every image inside the file into this folder."`
}

type inspectResult struct {
	File     string `json:"file"`
	Kind     string `json:"kind"`
	Bytes    int    `json:"bytes"`
	Version  string `json:"version,omitempty"`
	Producer string `json:"producer"`
	Target   string `json:"target"`
	Digest   string `json:"digest"`
	// Kernels and Globals are what a module holds, Code what machine code or
	// PTX says of its kernels, Images what is inside a program or container,
	// Entries what a program announces to its offload run time.
	Kernels []kernelResult `json:"kernels"`
	Globals []globalResult `json:"globals"`
	Code    []codeResult   `json:"code,omitempty"`
	Images  []imageResult  `json:"images,omitempty"`
	Entries []entryInfo    `json:"entries,omitempty"`
	Own     *ownImage      `json:"image,omitempty"`

	module bool
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
	result := &inspectResult{
		File: c.File, Bytes: len(data), Digest: fmt.Sprintf("%x", sha256.Sum256(data)), Kernels: []kernelResult{}, Globals: []globalResult{},
	}
	var found []*image.Found
	kind, unknown := image.Recognise(data)
	switch own, ownErr := image.UnmarshalImage(data); {
	case ownErr == nil:
		result.describeOwn(own)
	case bytes.HasPrefix(data, []byte("kilnimg")):
		return &inputError{fmt.Errorf("%s: %w", c.File, ownErr)}
	case unknown != nil:
		return &inputError{fmt.Errorf("%s: %w%s", c.File, unknown, sourceHint(c.File))}
	case isModule(kind):
		err = result.describeModule(ctx, s, data, kind)
	default:
		found, err = result.describeFile(ctx, s, data)
	}
	if err != nil {
		return err
	}
	if c.Extract != "" {
		if err := result.extract(found, c.Extract); err != nil {
			return err
		}
	}
	if s.json {
		return s.printJSON(result)
	}
	return printInspected(s, result)
}

// describeModule reads a module through LLVM, or its summary out of the cache.
func (r *inspectResult) describeModule(ctx context.Context, s *session, data []byte, kind image.Kind) error {
	r.Kind, r.module = kind.String(), true
	if language := source.LanguageOf(r.File); language != source.Module {
		r.Kind = language.String() + ", compiled to " + r.Kind
	}
	summary, err := s.summarise(ctx, r.File, data)
	if err != nil {
		return err
	}
	r.Producer, r.Target = summary.Producer, summary.Triple
	for i := range summary.Kernels {
		r.Kernels = append(r.Kernels, describe(&summary.Kernels[i]))
	}
	for _, g := range summary.Globals {
		r.Globals = append(r.Globals, globalResult{g.Name, g.Bytes, g.Align, g.Constant, g.Initialised, g.AddressSpace})
	}
	return nil
}

func (s *session) summarise(ctx context.Context, name string, data []byte) (*image.Summary, error) {
	engine, err := s.openEngine(&observed{})
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	end := s.progress.begin("reading " + name)
	defer end()
	module, err := engine.Load(ctx, kiln.Bytes(name, data))
	if err != nil {
		return nil, err
	}
	return module.Summary(), nil
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
	if plain := plainName(k.Name); plain != "" {
		notes = append(notes, "for short "+plain)
	}
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
