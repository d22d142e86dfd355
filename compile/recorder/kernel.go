// Package recorder writes down what kernels a run uses, as manifests that package
// manifest reads. It is linked into every program, and so uses no JSON package.
package recorder

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// ErrKernel is matched where a kernel of a manifest asks for what there is not.
var ErrKernel = errors.New("bad kernel in a manifest")

// Kernel is one compile, but for the LLVM and the tools that do it, and for the
// limits of a device at hand.
type Kernel struct {
	// Module is the file of the module, from the manifest's folder.
	Module string `json:"module"`
	// Kernel is empty where Variables is set.
	Kernel    string `json:"kernel,omitempty"`
	Variables bool   `json:"variables,omitempty"`
	// Target is what target.Parse takes; empty means this machine.
	Target string `json:"target,omitempty"`
	// Constants are values by an argument's position from 0 or its name: what a
	// command line takes, or "bytes:" and the bytes in hex.
	Constants map[string]string `json:"constants,omitempty"`
	Block     [3]uint32         `json:"block,omitzero"`
	Grid      [3]uint32         `json:"grid,omitzero"`
	// MaxBlock and MinBlocks are a GPU kernel's launch bounds.
	MaxBlock  uint32 `json:"maxBlock,omitempty"`
	MinBlocks uint32 `json:"minBlocks,omitempty"`
	// Opt and Codegen are the levels as package compile spells them; empty
	// means the best.
	Opt      string `json:"opt,omitempty"`
	Codegen  string `json:"codegen,omitempty"`
	Pipeline string `json:"pipeline,omitempty"`
	Debug    bool   `json:"debug,omitempty"`
	// CodeObject is the version of AMD's format.
	CodeObject uint8 `json:"codeObject,omitempty"`
}

// rawPrefix begins a constant that is given by its bytes.
const rawPrefix = "bytes:"

// Of returns r as an entry of a manifest. It is an error if a name in r is no
// valid UTF-8, which a manifest cannot hold.
func Of(r *compile.Request, module string) (Kernel, error) {
	for _, text := range []string{module, r.Kernel, r.Target.String(), r.Options.Pipeline} {
		if !utf8.ValidString(text) {
			return Kernel{}, fmt.Errorf("recording kernel %q: %q is no UTF-8", r.Kernel, text)
		}
	}
	k := Kernel{
		Module: module, Kernel: r.Kernel, Variables: r.Variables, Target: r.Target.String(), Block: r.Spec.Block, Grid: r.Spec.Grid,
		Opt: r.Options.Opt.String(), Codegen: r.Options.Codegen.String(), Pipeline: r.Options.Pipeline, Debug: r.Options.Debug,
		MaxBlock: r.Spec.MaxBlock, MinBlocks: r.Spec.MinBlocks, CodeObject: r.Options.CodeObject,
	}
	for _, c := range r.Spec.Constants {
		if k.Constants == nil {
			k.Constants = map[string]string{}
		}
		k.Constants[strconv.Itoa(c.Index)] = rawPrefix + hex.EncodeToString(c.Bytes)
	}
	return k, nil
}

// Request returns the compile that k asks for, without its module, toolchain and tools.
// The LLVM that will compile has the major version given. constant reads the
// value of an argument that is not given by its bytes.
func (k *Kernel) Request(major int, constant func(argument, value string) (specialize.Constant, error)) (compile.Request, error) {
	r := compile.Request{
		Kernel: k.Kernel, Variables: k.Variables, Spec: specialize.Spec{Block: k.Block, Grid: k.Grid, MaxBlock: k.MaxBlock, MinBlocks: k.MinBlocks},
		Options: compile.Options{Pipeline: k.Pipeline, Debug: k.Debug, CodeObject: k.CodeObject},
	}
	wrong := func(err error) (compile.Request, error) {
		return compile.Request{}, fmt.Errorf("%w: kernel %q of %s: %w", ErrKernel, k.Kernel, k.Module, err)
	}
	var err error
	if k.Target == "" {
		r.Target, err = target.Native()
		r.Target = r.Target.Narrow(major)
	} else {
		r.Target, err = target.Parse(k.Target)
	}
	if err != nil {
		return wrong(err)
	}
	if k.Opt != "" {
		if r.Options.Opt, err = compile.ParseOptLevel(k.Opt); err != nil {
			return wrong(err)
		}
	}
	if k.Codegen != "" {
		if r.Options.Codegen, err = compile.ParseCodegenLevel(k.Codegen); err != nil {
			return wrong(err)
		}
	}
	for argument, value := range k.Constants {
		var c specialize.Constant
		if raw, ok := strings.CutPrefix(value, rawPrefix); ok {
			if c.Index, err = strconv.Atoi(argument); err == nil {
				c.Bytes, err = hex.DecodeString(raw)
			}
		} else {
			c, err = constant(argument, value)
		}
		if err != nil {
			return wrong(fmt.Errorf("constant %s=%s: %w", argument, value, err))
		}
		r.Spec.Constants = append(r.Spec.Constants, c)
	}
	slices.SortFunc(r.Spec.Constants, func(a, b specialize.Constant) int { return a.Index - b.Index })
	return r, nil
}
