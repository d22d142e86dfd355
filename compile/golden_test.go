package compile

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/internal/llvm/llvmtest"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// Each file of testdata/{extract,specialise,wrap} is what a stage gets, with
// the request in its comments; what it makes stands in NAME.out.ll.
func TestStages(t *testing.T) {
	if llvm.Current().Major != 22 {
		t.Skip("the golden files are in the spelling of LLVM 22")
	}
	stages := map[string]func(*build) error{
		"extract":    func(b *build) error { return nil },
		"specialise": func(b *build) error { return b.specialise() },
		"wrap": func(b *build) error {
			if err := b.specialise(); err != nil {
				return err
			}
			return b.wrap()
		},
	}
	for stage, run := range stages {
		files, err := filepath.Glob(filepath.Join("testdata", stage, "*.ll"))
		if err != nil || len(files) == 0 {
			t.Fatal(stage, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".out.ll") {
				continue
			}
			name := stage + "/" + strings.TrimSuffix(filepath.Base(file), ".ll")
			t.Run(name, func(t *testing.T) {
				source := testdata(t, name+".ll")
				var out string
				llvmtest.Within(t, func(c *llvm.Context) error {
					b, err := newBuild(c, stageRequest(t, source))
					if err != nil {
						return err
					}
					defer b.machine.Close()
					if err := b.extract(); err != nil {
						return err
					}
					if err := run(b); err != nil {
						return err
					}
					if err := b.module.Verify(); err != nil {
						return err
					}
					out = b.module.Print()
					return nil
				})
				golden(t, name+".out.ll", out)
			})
		}
	}
}

// stageRequest reads the lines "; kernel: NAME" and "; const: INDEX=HEX …".
func stageRequest(t *testing.T, source []byte) *Request {
	t.Helper()
	r := &Request{
		Module: source,
		Target: target.Target{Triple: "x86_64-unknown-linux-gnu", Processor: "znver4", Features: "-avx512f"},
	}
	for line := range strings.Lines(string(source)) {
		if kernel, ok := strings.CutPrefix(line, "; kernel: "); ok {
			r.Kernel = strings.TrimSpace(kernel)
		}
		if list, ok := strings.CutPrefix(line, "; const: "); ok {
			for _, one := range strings.Fields(list) {
				index, value, _ := strings.Cut(one, "=")
				i, err := strconv.Atoi(index)
				if err != nil {
					t.Fatal(err)
				}
				b, err := hex.DecodeString(value)
				if err != nil {
					t.Fatal(err)
				}
				r.Spec.Constants = append(r.Spec.Constants, specialize.Constant{Index: i, Bytes: b})
			}
		}
	}
	if r.Kernel == "" {
		t.Fatal("no kernel named")
	}
	return r
}

// newBuild parses the request's module for a test that runs stages by hand.
func newBuild(c *llvm.Context, r *Request) (*build, error) {
	m, err := c.Parse("test", r.Module)
	if err != nil {
		return nil, err
	}
	j := &job{compiler: &Compiler{}, ctx: context.Background(), request: r, kernel: r.Kernel, target: r.Target}
	machine, err := llvm.NewMachine(j.machineOptions(r.Target.Features))
	if err != nil {
		return nil, err
	}
	// The file's name is no part of what a stage makes.
	capi.SetSourceFileName(m.Ref(), "test")
	return &build{job: j, context: c, module: m, machine: machine}, nil
}

// summaries are the modules whose summary is on file.
var summaries = []string{
	"compile/testdata/host.22.bc",
	"testdata/spmd/bench.sm_80.raw.bc",
	"testdata/spmd/bench.gfx90a.raw.bc",
	"testdata/spmd/kernels.cl.x86_64.bc",
	"testdata/spmd/features.sm_80.raw.bc",
	"testdata/spmd/features.gfx90a.raw.bc",
	"compile/testdata/summary/annotations.ll",
	"compile/testdata/summary/opencl_old.ll",
	"compile/testdata/summary/bounds.ll",
	"compile/testdata/summary/plain.ll",
}

func TestSummaries(t *testing.T) {
	if llvm.Current().Major != 22 {
		t.Skip("the modules are LLVM 22's")
	}
	c := newCompiler(t, Config{})
	for _, file := range summaries {
		t.Run(file, func(t *testing.T) {
			module, err := os.ReadFile(filepath.Join("..", file))
			if err != nil {
				t.Fatal(err)
			}
			s, err := c.Summarise(context.Background(), module)
			if err != nil {
				t.Fatalf("%+v", err)
			}
			again, err := c.Summarise(context.Background(), module)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(s, again); diff != "" {
				t.Errorf("a second summary differs:\n%s", diff)
			}
			golden(t, "summary/"+filepath.Base(file)+".golden", printSummary(s))
		})
	}
}

// printSummary writes a line for each kernel, parameter and variable.
func printSummary(s *image.Summary) string {
	var b strings.Builder
	param := func(name string, p *image.Param) {
		kinds := map[image.ParamKind]string{
			image.Scalar: "scalar", image.Pointer: "pointer", image.Aggregate: "aggregate", image.SharedPointer: "shared",
		}
		fmt.Fprintf(&b, "  %s %s: %s, size %d, align %d, offset %d", kinds[p.Kind], name, p.Type, p.Size, p.Align, p.Offset)
		if p.ReadOnly {
			b.WriteString(", read only")
		}
		if p.WriteOnly {
			b.WriteString(", write only")
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "producer %q\ntriple %q\nlayout %q\n", s.Producer, s.Triple, s.DataLayout)
	for i := range s.Kernels {
		k := &s.Kernels[i]
		convention := map[image.Convention]string{image.Host: "host", image.Grid: "grid"}[k.Convention]
		fmt.Fprintf(&b, "%s kernel %q, block of %d bytes, align %d\n", convention, k.Name, k.ParamBytes, k.ParamAlign)
		for j := range k.Params {
			param(strconv.Quote(k.Params[j].Name), &k.Params[j])
		}
		if k.Result.Type != "" {
			param("result", &k.Result)
		}
		if k.Convention == image.Grid {
			fmt.Fprintf(&b, "  required block %v, most work-items %d, shared %d bytes, dynamic %v\n", k.ReqdBlock, k.MaxBlock, k.SharedBytes, k.DynamicShared)
		}
	}
	for _, g := range s.Globals {
		fmt.Fprintf(&b, "variable %q, %d bytes, align %d, constant %v, initialised %v, space %d\n",
			g.Name, g.Bytes, g.Align, g.Constant, g.Initialised, g.AddressSpace)
	}
	return b.String()
}
