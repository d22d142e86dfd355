package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/target"
)

// emitted is one thing that compile writes.
type emitted struct {
	// Kind is as --emit has it.
	Kind  string `json:"kind"`
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
}

// endings are the ends of the file names of each kind.
var endings = map[string]string{
	"bc": ".bc", "ir": ".ir.ll", "opt-ir": ".ll", "asm": ".s", "obj": ".o", "image": ".kimg",
	"ptx": ".ptx", "cubin": ".cubin", "sass": ".sass", "hsaco": ".hsaco",
}

// stageFile returns what ends the name of the stage's file that holds the kind,
// empty where the image does.
func (e *emitted) stageFile(arch target.Arch) string {
	kind := e.Kind
	if kind == "asm" && arch == target.NVPTX {
		kind = "ptx"
	}
	return map[string]string{"ir": "ir", "opt-ir": "optimise.ll", "asm": "generate.s", "ptx": "generate.ptx"}[kind]
}

// checkKinds refuses what is not made for the target.
func checkKinds(outputs []emitted, t target.Target) error {
	for i := range outputs {
		switch kind := outputs[i].Kind; {
		case t.Arch() != target.NVPTX && (kind == "ptx" || kind == "cubin" || kind == "sass"):
			return usage("%s is code for NVIDIA's GPUs, not for %s; add --target sm_80 or another of theirs", kind, t.Processor)
		case t.Arch() != target.AMDGPU && kind == "hsaco":
			return usage("hsaco is code for AMD's GPUs, not for %s; add --target gfx90a or another of theirs", t.Processor)
		}
	}
	return nil
}

// nameObjects gives machine code that has no file's name one by its format.
func (r *compileResult) nameObjects(format image.Format) {
	for i := range r.Outputs {
		if o := &r.Outputs[i]; o.File == "" {
			kind := map[image.Format]string{image.PTX: "ptx", image.CubinCode: "cubin", image.CodeObject: "hsaco"}[format]
			o.File = strings.ReplaceAll(r.Kernel, "/", "_") + endings[cmp.Or(kind, "obj")]
		}
	}
	r.Output = r.Outputs[0].File
}

// outputs returns what is to be written and where.
func (c *compileCommand) outputs() ([]emitted, error) {
	kinds := c.Emit
	if len(kinds) == 0 {
		kinds = []string{"obj"}
		for _, kind := range []string{"bc", "opt-ir", "asm", "image", "ptx", "cubin", "sass", "hsaco"} {
			if strings.HasSuffix(c.Output, endings[kind]) {
				kinds[0] = kind
			}
		}
	}
	if len(kinds) > 1 && c.Output != "" {
		return nil, usage("--output=%s: that is one file, --emit asks for %s; leave --output out and each gets a name of its own", c.Output, strings.Join(kinds, " and "))
	}
	switch module := slices.Contains(kinds, "bc"); {
	case module && len(kinds) > 1:
		return nil, usage("--emit bc is the whole module and goes alone")
	case module && (c.Kernel != "" || c.Explain):
		return nil, usage("--emit bc is the whole module: it takes neither a kernel nor --explain")
	case !module && c.Kernel == "":
		return nil, usage("no kernel is named; kiln inspect %s lists them, and --emit bc takes none", c.File)
	}
	var outputs []emitted
	for _, kind := range kinds {
		file := c.Output
		switch {
		case file == "" && kind == "bc":
			base := filepath.Base(c.File)
			file = strings.TrimSuffix(base, filepath.Ext(base)) + endings[kind]
		case file == "" && kind != "obj":
			file = strings.ReplaceAll(c.Kernel, "/", "_") + endings[kind]
		}
		outputs = append(outputs, emitted{Kind: kind, File: file})
	}
	return outputs, nil
}

// write puts everything where it is wanted and says so, unless it goes to the
// output itself.
func (c *compileCommand) write(ctx context.Context, s *session, compiler *compiler, im *image.Image, d *dumps, result *compileResult) error {
	for i := range result.Outputs {
		e := &result.Outputs[i]
		content, err := e.content(ctx, compiler, im, d)
		if err != nil {
			return err
		}
		e.Bytes = len(content)
		if e.File == "-" {
			if _, err := s.stdout.Write(content); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(e.File, content, 0o644); err != nil {
			return &inputError{err}
		}
	}
	switch {
	case c.Output == "-" && c.Explain:
		printCompiled(s.stderr, result)
	case c.Output == "-":
	case s.json:
		return s.printJSON(result)
	default:
		printCompiled(s.stdout, result)
	}
	return nil
}

// writeModule writes the file's module as it is loaded. A file that is one
// already is not written over.
func (c *compileCommand) writeModule(ctx context.Context, s *session, e emitted) error {
	module, err := s.readModule(ctx, c.File)
	if err != nil {
		return err
	}
	if e.File == "-" {
		_, err := s.stdout.Write(module)
		return err
	}
	if e.File == c.File {
		return usage("%s is a module already", c.File)
	}
	if err := os.WriteFile(e.File, module, 0o644); err != nil {
		return &inputError{err}
	}
	e.Bytes = len(module)
	if s.json {
		return s.printJSON(e)
	}
	kind, _ := image.Recognise(module) // readModule has looked
	_, err = fmt.Fprintf(s.stdout, "%s: %s, %s\n", e.File, kind, size(int64(e.Bytes)))
	return err
}

func (e *emitted) content(ctx context.Context, compiler *compiler, im *image.Image, d *dumps) ([]byte, error) {
	switch e.Kind {
	case "obj", "cubin", "hsaco":
		return im.Payload, nil
	case "image":
		return im.Marshal(), nil
	case "sass":
		return compiler.Disassemble(ctx, im)
	}
	return d.read(e.stageFile(im.Target.Arch()))
}

// dumps is where a compile writes its stages, for what is wanted of them.
type dumps struct {
	// folder is given to the compiler, wanted is KILN_DUMP.
	folder, wanted string
	temporary      bool
}

// newDumps returns the folder that KILN_DUMP names, or a temporary one where
// stages are needed here.
func newDumps(wanted string, needed bool) (*dumps, error) {
	if !needed {
		return &dumps{folder: wanted}, nil
	}
	folder, err := temporaryFolder("kiln-stages-")
	return &dumps{folder, wanted, true}, err
}

func (d *dumps) remove() {
	if d.temporary {
		os.RemoveAll(d.folder)
	}
}

// compiled returns the folder of the one compile.
func (d *dumps) compiled() (string, error) {
	entries, err := os.ReadDir(d.folder)
	if err == nil && len(entries) != 1 {
		err = errors.New("the compile's stages could not be written")
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(d.folder, entries[0].Name()), nil
}

// keep copies the stages to where KILN_DUMP wants them.
func (d *dumps) keep() error {
	if !d.temporary || d.wanted == "" {
		return nil
	}
	from, err := d.compiled()
	if err != nil {
		return err
	}
	to := filepath.Join(d.wanted, filepath.Base(from))
	for i := 2; ; i++ {
		if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
			return os.CopyFS(to, os.DirFS(from))
		}
		to = filepath.Join(d.wanted, fmt.Sprintf("%s.%d", filepath.Base(from), i))
	}
}

// read returns a stage's file: "ir" is what the optimiser begins with.
func (d *dumps) read(name string) ([]byte, error) {
	folder, err := d.compiled()
	if err != nil {
		return nil, err
	}
	patterns := []string{"*-" + name}
	if name == "ir" {
		patterns = []string{"*-spmd.ll", "*-wrap.ll", "*-link.ll"}
	}
	for _, pattern := range patterns {
		if found, _ := filepath.Glob(filepath.Join(folder, pattern)); len(found) == 1 {
			return os.ReadFile(found[0])
		}
	}
	return nil, fmt.Errorf("the compile left no %s", name)
}

// interruptible returns a context that the first interrupt ends, so that what
// is temporary can be removed; the second ends the process.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
