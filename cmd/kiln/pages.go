package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"github.com/kilnjit/kiln/cmd/kiln/internal/pages"
	"github.com/kilnjit/kiln/internal/envconf"
)

//go:generate go run . pages --man ../../packaging/man --reference ../../docs/reference.md

// pagesCommand writes what is made of the command line's model.
type pagesCommand struct {
	Man       string `placeholder:"FOLDER" help:"Where the manual pages go."`
	Reference string `placeholder:"FILE" help:"Where the reference goes, in Markdown."`
}

// exitRows are the exit codes with their meaning.
var exitRows = []pages.Row{
	{Name: "0", Text: "done"},
	{Name: "1", Text: "the kernel failed, --check found a difference, cache verify found a bad entry"},
	{Name: "2", Text: "the command line, a kernel argument or an environment variable is wrong"},
	{Name: "3", Text: "a library or tool is not installed; the message says what to type"},
	{Name: "4", Text: "a file is not there or holds nothing usable, a source does not compile, there is no such kernel"},
	{Name: "5", Text: "kiln or LLVM could not compile the kernel"},
	{Name: "130", Text: "an interrupt ended it"},
}

// purposes say what the environment's variables are for.
var purposes = map[string]string{
	"KILN_ASSEMBLER":      "The assembler of PTX to use, or none to leave PTX to the driver; otherwise the first one found.",
	"KILN_CACHE":          "What the disk cache may do: use and fill it, use it and write nothing, or leave it alone.",
	"KILN_CACHE_DIR":      "The cache's folder; otherwise kiln in XDG_CACHE_HOME, otherwise ~/.cache/kiln.",
	"KILN_CACHE_MAX":      "The cache's bound.",
	"KILN_CACHE_SYSTEM":   "A cache that all users read and nobody here writes to; otherwise the one in /var/cache/kiln, where there is one.",
	"KILN_COMPILER":       "Where compiles run: in kiln's own process, or in processes of another kiln; otherwise in processes of this one.",
	"KILN_COMPILE_MEMORY": "The memory that a compile may take.",
	"KILN_COMPILE_TIME":   "The time that a compile may take.",
	"KILN_RECORD":         "A folder that is told of each kernel used.",
	"KILN_DUMP":           "A folder that receives a numbered file for each stage of each compile.",
	"KILN_LLVM":           "The libLLVM to use; a name such as libLLVM.so.19.1 is looked for in the usual folders.",
	"KILN_TRACE_KEYS":     "1 prints what goes into the cache key of each launch and compile.",
	"KILN_WORKERS":        "Threads of the CPU device.",
}

const goAPI = `Every exported name has a comment that says what it returns, its unit, who owns it and whether it may be called
concurrently: ` + "`go doc github.com/kilnjit/kiln`" + ` and so on for the others.

| package | is for |
|---|---|
| [kiln](../doc.go) | Go programs: Open, Load, Kernel, Launch |
| [device](../device) | what a device offers; ` + "`device/cpu`" + ` is the embedded one |
| [image](../image) | device code in every container: [what is recognised](images.md) |
| [compile](../compile) | one request in, one image out |
| [specialize](../specialize) | what is fixed at run time, as plain data |
| [cache](../cache) | keys and stores, to add one of your own |
| [target](../target) | triples, processors, features |
`

func book() (*pages.Book, error) {
	parser, err := model(new(flags), nil, kong.Name("kiln"))
	if err != nil {
		return nil, err
	}
	b := &pages.Book{
		Root: parser.Model.Node, Version: version, Exits: exitRows, GoAPI: goAPI,
		Summary: "compile device code at run time and launch it",
		Text: `kiln takes device code as LLVM IR, or as CUDA, HIP, OpenCL or C source through clang, fixes what is only known at run
time, compiles it for the device at hand, keeps the result in a cache and launches it. The CPU is the built-in device.

A first look:

  kiln doctor
  kiln inspect saxpy.cu
  kiln run saxpy.cu saxpy --grid 4 --block 256 out:f32[1Ki]=rand f32[1Ki]=rand f32=2 i32=1Ki`,
		Files: []pages.Row{
			{Name: "~/.cache/kiln", Text: "The cache, for its owner alone; see KILN_CACHE_DIR. It may be removed at any time."},
		},
	}
	names, accepts := envconf.Names()
	for i, name := range names {
		b.Environment = append(b.Environment, pages.Row{Name: name, Text: fmt.Sprintf("%s It takes %s.", purposes[name], accepts[i])})
	}
	places, what := envconf.Places()
	for i, name := range places {
		b.Environment = append(b.Environment, pages.Row{Name: name, Text: what[i]})
	}
	return b, nil
}

// Run writes the pages.
func (c *pagesCommand) Run(s *session) error {
	b, err := book()
	if err != nil {
		return err
	}
	if c.Reference != "" {
		if err := os.WriteFile(c.Reference, []byte(b.Reference()), 0o644); err != nil {
			return &inputError{err}
		}
	}
	if c.Man == "" {
		return nil
	}
	if err := os.MkdirAll(c.Man, 0o755); err != nil {
		return &inputError{err}
	}
	for name, page := range b.Manual() {
		if err := os.WriteFile(filepath.Join(c.Man, name), []byte(page), 0o644); err != nil {
			return &inputError{err}
		}
	}
	return nil
}
