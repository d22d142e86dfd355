package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// remarksCommand is the child that compile --explain starts: LLVM writes its
// remarks to the process's error output, and is told to by options that hold
// for the whole process.
type remarksCommand struct {
	Target   string `required:"" help:"Triple, processor and features."`
	Pipeline string `required:"" help:"LLVM's pass pipeline."`
}

// remarkPasses are the passes of which somebody who writes kernels wants to
// know what they did, missedPasses those of which also what they could not do.
const (
	remarkPasses = "^(loop-vectorize|slp-vectorizer|loop-unroll)$"
	missedPasses = "^(loop-vectorize|regalloc)$"
)

// Run optimises the IR on the input and generates code, which goes nowhere.
func (c *remarksCommand) Run(s *session) error {
	t, err := target.Parse(c.Target)
	if err != nil {
		return usage("--target: %v", err)
	}
	ir, err := io.ReadAll(s.stdin)
	if err != nil {
		return err
	}
	library, err := llvm.Locate(s.config.LLVM)
	if err != nil {
		return err
	}
	if err := llvm.Open(library); err != nil {
		return err
	}
	return llvm.Run(context.Background(), "gathering remarks", func() error { return c.optimise(t, ir) })
}

func (c *remarksCommand) optimise(t target.Target, ir []byte) error {
	machine, err := llvm.NewMachine(llvm.MachineOptions{Triple: t.Triple, CPU: t.Processor, Features: t.Features})
	if err != nil {
		return err
	}
	defer machine.Close()
	setLLVMOptions("-pass-remarks="+remarkPasses, "-pass-remarks-missed="+missedPasses, "-pass-remarks-analysis="+missedPasses)
	work := llvm.NewContext()
	defer work.Close()
	module, err := work.Parse("module", ir)
	if err != nil {
		return err
	}
	// Without a handler LLVM writes what it has to say to the error output.
	capi.ContextSetDiagnosticHandler(work.Ref(), 0, 0)
	if err := module.RunPasses(c.Pipeline, machine, llvm.PassOptions{}); err != nil {
		return err
	}
	output := llvm.Object
	if t.Arch() == target.NVPTX {
		output = llvm.Assembly // LLVM makes no other code for it
	}
	_, err = machine.Emit(module, output)
	return err
}

// remark is one thing LLVM said of the kernel, with the times it said so.
type remark struct {
	// Place is "file:line:column", empty where the module does not know it.
	Place string `json:"place,omitempty"`
	Text  string `json:"text"`
	Count int    `json:"count"`
}

func (r *remark) String() string {
	text := r.Text
	if r.Place != "" {
		text = r.Place + ": " + text
	}
	if r.Count > 1 {
		text += fmt.Sprintf(" (%d times)", r.Count)
	}
	return text
}

// gatherRemarks lets a child process optimise the IR and returns what LLVM
// said in it.
func (s *session) gatherRemarks(ctx context.Context, ir []byte, t target.Target, pipeline string) ([]remark, error) {
	var said bytes.Buffer
	child := exec.CommandContext(ctx, thisProgram, "remarks", "--target", t.String(), "--pipeline", pipeline)
	child.Args[0] = "kiln"
	child.Env = s.env
	child.Stdin, child.Stderr = bytes.NewReader(ir), &said
	if err := child.Run(); err != nil {
		return nil, fmt.Errorf("gathering remarks: %w%s", err, withBreak(said.String()))
	}
	return parseRemarks(said.String()), nil
}

var remarkLine = regexp.MustCompile(`(?m)^remark: (?:<unknown>:0:0|([^\n]+?:\d+:\d+)): ([^\n]+?)(?: \[-R[^\n]*\])?$`)

// cost is what the register allocator says behind each of its counts.
var cost = regexp.MustCompile(` \d\.\d+e[+-]\d+ total [a-z ]+ cost`)

// parseRemarks reads LLVM's remarks; equal ones count as one. Those that say
// what others say better are left out.
func parseRemarks(said string) []remark {
	list := []remark{}
	for _, m := range remarkLine.FindAllStringSubmatch(said, -1) {
		text := cost.ReplaceAllString(m[2], ",")
		text = strings.Replace(text, ", generated in function", "", 1)
		if idle(text) {
			continue
		}
		if i := slices.IndexFunc(list, func(r remark) bool { return r.Place == m[1] && r.Text == text }); i >= 0 {
			list[i].Count++
			continue
		}
		list = append(list, remark{m[1], text, 1})
	}
	slices.SortStableFunc(list, func(a, b remark) int { return cmp.Compare(rank(a.Text), rank(b.Text)) })
	return list
}

// idle tells remarks that others make better: those without a reason, those of
// a loop where one of the function has the sum, and those of loops that are
// made of vectors already.
func idle(text string) bool {
	return text == "loop not vectorized" || strings.HasSuffix(text, "generated in loop") || strings.HasSuffix(text, "return type cannot be vectorized")
}

// rank puts what was vectorised first, then what was not.
func rank(text string) int {
	switch {
	case strings.HasPrefix(text, "vectorized"):
		return 0
	case strings.Contains(text, "vectoriz"):
		return 1
	}
	return 2
}
