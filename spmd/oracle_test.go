package spmd_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kilnjit/kiln/spmd"
	"github.com/kilnjit/kiln/spmd/internal/oracle"
)

var (
	oracleTime = flag.Duration("oracle.time", 6*time.Second, "how long each test draws random kernels, at most -rapid.checks of them")
	oracleKeep = flag.Bool("oracle.keep", false, "keep kernels that fail in testdata/kernels")
)

// keptKernels holds programs that once failed.
const keptKernels = "testdata/kernels"

// way is a dialect and options that a program is compiled with.
type way struct {
	name    string
	dialect oracle.Dialect
	options func(p *oracle.Program) spmd.Options
}

var ways = []way{
	{"NVPTX", oracle.NVPTX, func(*oracle.Program) spmd.Options { return spmd.Options{} }},
	{"NVPTX, sizes fixed", oracle.NVPTX, func(p *oracle.Program) spmd.Options { return spmd.Options{Block: p.Block, Grid: p.Grid} }},
	{"older NVPTX", oracle.OldNVPTX, func(*oracle.Program) spmd.Options { return spmd.Options{} }},
	{"AMDGPU", oracle.AMDGPU, func(*oracle.Program) spmd.Options { return spmd.Options{} }},
}

// waysFor returns those that take the program.
func waysFor(p *oracle.Program) (list []way) {
	for _, w := range ways {
		if _, ok := p.IR(w.dialect); ok {
			list = append(list, w)
		}
	}
	return list
}

// hold compares what a program computes in a form with what the interpreter
// says; it returns a description of the difference, or "".
func hold(t *testing.T, p *oracle.Program, w way, form spmd.Form) string {
	d, _ := holdWhy(t, p, w, form)
	return d
}

// holdWhy is hold; it also returns why a kernel whose items meet did not run
// side by side, or "".
func holdWhy(t *testing.T, p *oracle.Program, w way, form spmd.Form) (difference, why string) {
	source, _ := p.IR(w.dialect)
	want, got := p.NewBuffers(), p.NewBuffers()
	if err := p.Run(want); err != nil {
		return "the program is wrong: " + err.Error(), ""
	}
	options := w.options(p)
	options.Form = form
	params := append(pointers(5), intParam, intParam)
	if w.dialect == oracle.AMDGPU {
		for i := range 5 {
			params[i].Type = "ptr addrspace(1)"
		}
	}
	c, err := compileError(t, []byte(source), oracle.Kernel, params, options)
	if err != nil {
		return err.Error() + "\n" + source, ""
	}
	defer c.image.Close()
	c.launch(t, p.Grid, p.Block, got.Out, got.FOut, got.In, got.FIn, got.Count, p.Args[0], p.Args[1])
	if _, after, ok := strings.Cut(c.result.Remarks[0], "no regions, for "); ok {
		why = after
	}
	if d := want.Diff(got); d != "" {
		return fmt.Sprintf("%s; %s\n%s", d, c.result.Remarks, source), why
	}
	return "", why
}

// random holds a form against the interpreter with random programs until the
// time is up.
func random(t *testing.T, features oracle.Features, form spmd.Form) {
	t.Parallel()
	end := time.Now().Add(*oracleTime)
	var failed *oracle.Program
	count, refused := 0, map[string]int{}
	t.Cleanup(func() {
		t.Logf("%d kernels; not side by side: %v", count, refused)
		if failed != nil {
			keep(t, failed)
		}
	})
	rapid.Check(t, func(r *rapid.T) {
		if failed == nil && time.Now().After(end) {
			return
		}
		p := oracle.Draw(r, features)
		w := rapid.SampledFrom(waysFor(p)).Draw(r, "way")
		count++
		d, why := holdWhy(t, p, w, form)
		if why != "" {
			refused[why]++
		}
		if d != "" {
			failed = p
			r.Fatalf("%s: %s", w.name, d)
		}
	})
}

// keep writes a program that failed where TestKeptKernels finds it.
func keep(t *testing.T, p *oracle.Program) {
	text := p.JSON()
	if !*oracleKeep {
		t.Logf("the kernel, which -oracle.keep keeps:\n%s", text)
		return
	}
	sum := sha256.Sum256(text)
	path := filepath.Join(keptKernels, fmt.Sprintf("%x.json", sum[:6]))
	if err := os.MkdirAll(keptKernels, 0o777); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Error(err)
	}
}

func TestRandomCoroutines(t *testing.T) {
	random(t, oracle.Features{Barriers: true, Warps: true}, spmd.Coroutine)
}

// TestRandomRegions draws kernels whose items meet, in the form that suits each;
// most of them run side by side.
func TestRandomRegions(t *testing.T) {
	random(t, oracle.Features{Barriers: true, Warps: true}, spmd.Auto)
}

func TestRandomPlain(t *testing.T) {
	random(t, oracle.Features{}, spmd.Plain)
}

// TestShuffles holds all kinds of shuffles at all widths, in a group that ends
// with a part of a warp where segments allow, against the interpreter.
func TestShuffles(t *testing.T) {
	for _, kind := range []string{"idx", "up", "down", "bfly"} {
		for _, width := range []int32{32, 16, 8, 4, 2, 1} {
			block := [3]uint32{32 + uint32(width), 1, 1}
			if width == 32 {
				block = [3]uint32{16, 2, 2}
			}
			t.Run(fmt.Sprint(kind, "/", width), func(t *testing.T) {
				t.Parallel()
				for _, form := range []spmd.Form{spmd.Plain, spmd.Coroutine} {
					if d := hold(t, oracle.Shuffles(kind, width, block), ways[0], form); d != "" {
						t.Error(d)
					}
				}
			})
		}
	}
}

// TestKeptKernels runs each program that once failed in all forms that take it.
func TestKeptKernels(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(keptKernels, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no kernels in %s: %v", keptKernels, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := oracle.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, w := range waysFor(p) {
			for _, form := range []spmd.Form{spmd.Plain, spmd.Coroutine} {
				t.Run(fmt.Sprintf("%s/%s/%d", strings.TrimSuffix(filepath.Base(path), ".json"), w.name, form), func(t *testing.T) {
					if d := hold(t, p, w, form); d != "" {
						if form == spmd.Plain && strings.Contains(d, "the plain form, for") {
							return // its items do not meet side by side
						}
						t.Error(d)
					}
				})
			}
		}
	}
}
