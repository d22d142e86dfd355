package worker

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// The children of the tests are the test binary.
func TestMain(m *testing.M) {
	switch {
	case Asked(os.Args):
		os.Exit(Serve())
	case len(os.Args) == 2 && os.Args[1] == "host":
		os.Exit(host())
	}
	os.Exit(m.Run())
}

const saxpy = `
define void @saxpy(ptr %y, ptr readonly %x, float %a, i32 %n) {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %x, i32 %i
  %q = getelementptr float, ptr %y, i32 %i
  %u = load float, ptr %p
  %v = load float, ptr %q
  %w = fmul float %u, %a
  %s = fadd float %w, %v
  store float %s, ptr %q
  %next = add nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
`

func newPool(t *testing.T, o Options) *Pool {
	t.Helper()
	if o.Path == "" {
		path, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		o.Path = path
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func request(t *testing.T, p *Pool, ir string) compile.Request {
	t.Helper()
	native, err := target.Native()
	if err != nil {
		t.Fatal(err)
	}
	return compile.Request{Module: []byte(ir), Kernel: "saxpy", Target: native, Toolchain: p.Toolchain()}
}

// wantWork shows that the pool compiles.
func wantWork(t *testing.T, p *Pool) {
	t.Helper()
	im, err := p.Compile(t.Context(), request(t, p, saxpy))
	if err != nil {
		t.Fatalf("a compile of a good kernel: %v", err)
	}
	if im.Kernel != "saxpy" || len(im.Payload) < 100 {
		t.Errorf("image of %q with %d bytes", im.Kernel, len(im.Payload))
	}
}

// What a child makes is what this process makes, and it tells of the same stages.
func TestSameAsInProcess(t *testing.T) {
	var here, there []string
	record := func(stages *[]string) (func(compile.Event), func(compile.Stage)) {
		return func(e compile.Event) { *stages = append(*stages, "end "+string(e.Stage)+" of "+e.Kernel) },
			func(s compile.Stage) { *stages = append(*stages, "begin "+string(s)) }
	}
	var in, out compile.Config
	in.Observe, in.Begin = record(&here)
	out.Observe, out.Begin = record(&there)
	compiler, err := compile.New(in)
	if err != nil {
		t.Fatal(err)
	}
	defer compiler.Close()
	p := newPool(t, Options{Compile: out})
	r := request(t, p, saxpy)
	r.Spec.Constants = []specialize.Constant{{Index: 2, Bytes: []byte{0, 0, 0, 0x40}}}
	want, err := compiler.Compile(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Compile(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("image (-in process +worker):\n%s", diff)
	}
	wantSummary, err := compiler.Summarise(t.Context(), r.Module)
	if err != nil {
		t.Fatal(err)
	}
	gotSummary, err := p.Summarise(t.Context(), r.Module)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantSummary, gotSummary); diff != "" {
		t.Errorf("summary (-in process +worker):\n%s", diff)
	}
	if diff := cmp.Diff(here, there); diff != "" || len(here) < 14 {
		t.Errorf("%d stages (-in process +worker):\n%s", len(here), diff)
	}
}

// Errors of a compile are the same, but for the identity of their cause.
func TestErrorsCarryOver(t *testing.T) {
	compiler, err := compile.New(compile.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer compiler.Close()
	p := newPool(t, Options{Processes: 1})
	for name, change := range map[string]func(*compile.Request){
		"empty":             func(r *compile.Request) { r.Module = nil },
		"no IR":             func(r *compile.Request) { r.Module = []byte("define x\n") },
		"no kernel":         func(r *compile.Request) { r.Kernel = "nosuch" },
		"unknown processor": func(r *compile.Request) { r.Target.Processor = "pentium9" },
		"unknown pass":      func(r *compile.Request) { r.Options.Pipeline = "nosuch" },
		"constant's size":   func(r *compile.Request) { r.Spec.Constants = []specialize.Constant{{Index: 2, Bytes: []byte{1}}} },
		"kernel of bytes":   func(r *compile.Request) { r.Kernel = "k\xff\x00" },
	} {
		r := request(t, p, saxpy)
		change(&r)
		_, want := compiler.Compile(t.Context(), r)
		im, got := p.Compile(t.Context(), r)
		w, ok := errors.AsType[*compile.Error](want)
		g, ok2 := errors.AsType[*compile.Error](got)
		if !ok || !ok2 || im != nil {
			t.Errorf("%s: %v, in process %v", name, got, want)
			continue
		}
		if g.Stage != w.Stage || g.Kernel != w.Kernel || g.Target != w.Target || g.Summary != w.Summary || g.Log != w.Log || g.Err.Error() != w.Err.Error() {
			t.Errorf("%s:\n%+v\nin process:\n%+v", name, got, want)
		}
		for _, sentinel := range sentinels {
			if errors.Is(got, sentinel) != errors.Is(want, sentinel) {
				t.Errorf("%s: matching %v is %t, in process %t", name, sentinel, errors.Is(got, sentinel), errors.Is(want, sentinel))
			}
		}
	}
	wantWork(t, p)
}

// One child is used again and again, and the pool keeps to its bound.
func TestChildrenAreReused(t *testing.T) {
	p := newPool(t, Options{Processes: 2})
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() {
			if _, err := p.Compile(t.Context(), request(t, p, saxpy)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	uses := 0
	for _, c := range p.idle {
		uses += c.uses
	}
	if len(p.idle) < 1 || len(p.idle) > 2 || uses != 12 {
		t.Errorf("%d children with %d uses, want 1 or 2 with 12", len(p.idle), uses)
	}
}

// A child that is not needed goes.
func TestIdleChildrenEnd(t *testing.T) {
	p := newPool(t, Options{})
	p.idleAfter = 1
	wantWork(t, p)
	p.mu.Lock()
	idle := append([]*child(nil), p.idle...)
	p.mu.Unlock()
	for _, c := range idle {
		<-c.ended
	}
	p.idleAfter = idleAfter
	wantWork(t, p)
}

func TestClosedPool(t *testing.T) {
	p := newPool(t, Options{})
	wantWork(t, p)
	c := p.idle[0]
	for range 2 {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	select {
	case <-c.ended:
	default:
		t.Error("a child outlives its pool")
	}
	if _, err := p.Compile(t.Context(), request(t, p, saxpy)); !errors.Is(err, ErrClosed) {
		t.Errorf("compiling afterwards: %v", err)
	}
}

// A program that is no kiln is told, and nothing hangs.
func TestNotTheKilnProgram(t *testing.T) {
	for path, want := range map[string]string{
		"/bin/true":    "it is no kiln program: exit status 0",
		"/bin/false":   "it is no kiln program: exit status 1",
		"/nosuch/kiln": "no such file",
		"/bin/cat":     "it is no kiln program: ",
		"relative":     "no such file",
	} {
		p := newPool(t, Options{Path: path})
		_, err := p.Compile(t.Context(), request(t, p, saxpy))
		if !errors.Is(err, ErrStart) || errors.Is(err, compile.ErrFault) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v; want %q", path, err, want)
		}
	}
	p := newPool(t, Options{})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Compile(cancelled, request(t, p, saxpy)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What a request costs beside its compile: this one ends at the first check.
func BenchmarkRoundTrip(b *testing.B) {
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	p, err := New(Options{Path: path})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	r := compile.Request{Module: make([]byte, 16<<10), Kernel: "k", Toolchain: p.Toolchain()}
	for b.Loop() {
		if _, err := p.Compile(b.Context(), r); err == nil || errors.Is(err, compile.ErrFault) {
			b.Fatal(err)
		}
	}
}
