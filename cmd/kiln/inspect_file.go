package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kilnjit/kiln/image"
)

// imageResult is one piece of device code inside a file.
type imageResult struct {
	// Path are the labels of the containers around it and its own.
	Path     []string `json:"path"`
	Kind     string   `json:"kind"`
	Version  string   `json:"version,omitempty"`
	Target   string   `json:"target,omitempty"`
	Model    string   `json:"model,omitempty"`
	Name     string   `json:"name,omitempty"`
	Options  string   `json:"options,omitempty"`
	Offset   uint64   `json:"offset"`
	Bytes    uint64   `json:"bytes"`
	Packing  string   `json:"packing"`
	Unpacked uint64   `json:"unpacked,omitzero"`
	// Registered tells that the program hands it to its run time by itself.
	Registered bool              `json:"registered"`
	Properties map[string]string `json:"properties,omitempty"`
	// Kernels are a module's by their signatures, Code those of machine code.
	Kernels []string     `json:"kernels,omitempty"`
	Code    []codeResult `json:"code,omitempty"`
	Fault   string       `json:"fault,omitempty"`
	// Extracted is the file that --extract wrote.
	Extracted string `json:"extracted,omitempty"`
}

// codeResult is what machine code says of one kernel; see image.KernelCode.
type codeResult struct {
	Name          string    `json:"name"`
	Params        int       `json:"params"`
	ParamBytes    uint32    `json:"param_bytes"`
	SharedBytes   uint32    `json:"shared_bytes"`
	PrivateBytes  uint32    `json:"private_bytes"`
	Registers     uint32    `json:"registers,omitzero"`
	Spills        uint32    `json:"spills,omitzero"`
	MaxBlock      uint32    `json:"max_block,omitzero"`
	RequiredBlock [3]uint32 `json:"required_block,omitzero"`
}

// entryInfo is one function or variable of an offloading program.
type entryInfo struct {
	Name  string `json:"name"`
	Model string `json:"model"`
	Bytes uint64 `json:"bytes"`
}

// ownImage is what an image of kiln's own says of itself.
type ownImage struct {
	Kernel     string    `json:"kernel"`
	Entry      string    `json:"entry"`
	Convention string    `json:"convention"`
	Block      [3]uint32 `json:"block,omitzero"`
	Grid       [3]uint32 `json:"grid,omitzero"`
	ParamBytes uint32    `json:"param_bytes"`
	Undefined  []string  `json:"undefined"`
	Remarks    []string  `json:"remarks"`
}

func (r *inspectResult) describeOwn(im *image.Image) {
	r.Kind, r.Target = "image of kiln, "+im.Format.String(), im.Target.String()
	r.Own = &ownImage{
		im.Kernel, im.Entry, im.Convention.String(), im.Block, im.Grid, im.ParamBytes,
		append([]string{}, im.Undefined...), append([]string{}, im.Remarks...),
	}
}

// describeFile opens machine code, a program or a container and returns what
// is inside.
func (r *inspectResult) describeFile(ctx context.Context, s *session, data []byte) ([]*image.Found, error) {
	file, err := image.Open(data)
	if err != nil {
		return nil, &inputError{fmt.Errorf("%s: %w", r.File, err)}
	}
	r.Kind, r.Version, r.Producer, r.Target = file.Kind.String(), file.Version, file.Producer, targetText(file)
	if r.Code, err = describeCode(file); err != nil {
		return nil, &inputError{fmt.Errorf("%s: %w", r.File, err)}
	}
	entries, err := file.Entries()
	if err != nil {
		return nil, &inputError{fmt.Errorf("%s: %w", r.File, err)}
	}
	for _, e := range entries {
		r.Entries = append(r.Entries, entryInfo{e.Name, e.Model, e.Bytes})
	}
	var all []*image.Found
	for found, err := range file.All() {
		if err != nil {
			r.Images = append(r.Images, imageResult{Path: []string{}, Kind: "damaged", Fault: err.Error()})
			all = append(all, nil)
			continue
		}
		r.Images = append(r.Images, describeFound(ctx, s, r.File, found))
		all = append(all, found)
	}
	return all, nil
}

func targetText(f *image.File) string {
	if f.Target.Triple == "" {
		return ""
	}
	return f.Target.String()
}

func describeFound(ctx context.Context, s *session, file string, found *image.Found) imageResult {
	p := found.Part
	r := imageResult{
		Path: found.Path, Kind: p.Kind.String(), Model: p.Model, Name: p.Name, Options: p.Options, Offset: p.Offset, Bytes: p.Size,
		Packing: p.Packing.String(), Unpacked: p.Unpacked, Registered: p.Registered, Properties: p.Properties,
	}
	if p.Target.Triple != "" {
		r.Target = p.Target.String()
	}
	if found.File == nil {
		return r
	}
	r.Version = found.File.Version
	if text := targetText(found.File); text != "" {
		r.Target = text
	}
	if isModule(p.Kind) {
		summary, err := s.summarise(ctx, file, found.File.Bytes())
		if err != nil {
			r.Fault = err.Error()
			return r
		}
		if r.Target == "" {
			r.Target = summary.Triple
		}
		for i := range summary.Kernels {
			r.Kernels = append(r.Kernels, signature(&summary.Kernels[i]))
		}
		return r
	}
	var err error
	if r.Code, err = describeCode(found.File); err != nil {
		r.Fault = err.Error()
	}
	return r
}

func describeCode(f *image.File) ([]codeResult, error) {
	kernels, err := f.Kernels()
	var list []codeResult
	for i := range kernels {
		k := &kernels[i]
		params := 0
		for _, p := range k.Params {
			if !p.Hidden {
				params++
			}
		}
		list = append(list, codeResult{
			k.Name, params, k.ParamBytes, k.SharedBytes, k.PrivateBytes, k.Registers, k.Spills, k.MaxBlock, k.ReqdBlock,
		})
	}
	return list, err
}

// extract writes each image into the folder.
func (r *inspectResult) extract(found []*image.Found, folder string) error {
	if len(found) == 0 {
		return &inputError{fmt.Errorf("%s holds no other images", r.File)}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return &inputError{err}
	}
	for i, f := range found {
		if f == nil || f.File == nil {
			continue
		}
		ending := map[image.Kind]string{
			image.Bitcode: ".bc", image.WrappedBitcode: ".bc", image.TextIR: ".ll", image.PTXText: ".ptx",
			image.Cubin: ".cubin", image.AMDGPUObject: ".co", image.ELF: ".o", image.LTOIR: ".ltoir",
		}[f.Part.Kind]
		name := fmt.Sprintf("%02d-%s%s", i+1, fileName(f.Path[len(f.Path)-1]), ending)
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, f.File.Bytes(), 0o644); err != nil {
			return &inputError{err}
		}
		r.Images[i].Extracted = path
	}
	return nil
}

// fileName makes a part of a file's name of a label.
func fileName(label string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.+", r) {
			return r
		}
		return '_'
	}, label)
	return strings.Trim(name, "._")
}
