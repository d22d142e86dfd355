package kiln_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/kilnjit/kiln"
)

const polyIR = `
target triple = "x86_64-unknown-linux-gnu"
define float @horner(float %x, float %a, float %b, float %c) {
  %1 = fmul float %a, %x
  %2 = fadd float %1, %b
  %3 = fmul float %2, %x
  %4 = fadd float %3, %c
  ret float %4
}
define void @scale(ptr %p, double %f, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %q = getelementptr double, ptr %p, i32 %i
  %v = load double, ptr %q
  %w = fmul double %v, %f
  store double %w, ptr %q
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
`

func open(t *testing.T, o kiln.Options) *kiln.Engine {
	t.Helper()
	if o.Cache.Dir == "" {
		o.Cache.Dir = t.TempDir()
	}
	e, err := kiln.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func kernel(t *testing.T, e *kiln.Engine, name string) *kiln.Kernel {
	t.Helper()
	m, err := e.Load(t.Context(), kiln.Bytes("poly.ll", []byte(polyIR)))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestHostFunction(t *testing.T) {
	e := open(t, kiln.Options{})
	k := kernel(t, e, "horner")
	for _, x := range []float32{0, 1, -2.5} {
		var y float32
		err := k.Launch(t.Context(), kiln.Arg(x), kiln.Const(float32(2)), kiln.Const(float32(3)), kiln.Arg(float32(4)), kiln.Result(&y))
		if err != nil {
			t.Fatal(err)
		}
		if want := (2*x+3)*x + 4; y != want {
			t.Errorf("horner(%g) = %g, want %g", x, y, want)
		}
	}
	if s := e.Stats(); s.Compiles != 1 || s.Summaries != 1 || s.Specialisations != 1 {
		t.Errorf("stats %+v, want one compile, summary and specialisation", s)
	}
}

func TestBuffers(t *testing.T) {
	e := open(t, kiln.Options{})
	k := kernel(t, e, "scale")
	p := []float64{1, 2, 3, 4, 5}
	if err := k.Launch(t.Context(), kiln.Arg(p), kiln.Arg(0.5), kiln.Const(int32(4))); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0.5, 1, 1.5, 2, 5} {
		if p[i] != want {
			t.Errorf("p[%d] = %g, want %g", i, p[i], want)
		}
	}
}

// Each value of a constant is a form of its own, found again without a compile.
func TestSpecialisations(t *testing.T) {
	e := open(t, kiln.Options{})
	k, err := kernel(t, e, "horner").Specialize(1, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for i := range 20 {
			var y float32
			a := float32(i)
			if err := k.Launch(t.Context(), kiln.Arg(float32(3)), kiln.Arg(a), kiln.Arg(a+1), kiln.Arg(-a), kiln.Result(&y)); err != nil {
				t.Fatal(err)
			}
			if want := (a*3+a+1)*3 - a; y != want {
				t.Errorf("specialised on %g: %g, want %g", a, y, want)
			}
		}
	}
	if s := e.Stats(); s.Compiles != 20 || s.Specialisations != 20 {
		t.Errorf("%d compiles and %d specialisations, want 20 and 20", s.Compiles, s.Specialisations)
	}
}

// A NaN's bits and the two zeros are constants of their own.
func TestFloatConstantsCompareByBits(t *testing.T) {
	e := open(t, kiln.Options{})
	k := kernel(t, e, "horner")
	zero := float32(0)
	for _, a := range []float32{zero, -zero, float32(math.Copysign(0, -1)), float32(math.NaN()), math.Float32frombits(0x7fc00001)} {
		var y float32
		if err := k.Launch(t.Context(), kiln.Arg(float32(1)), kiln.Const(a), kiln.Arg(float32(0)), kiln.Arg(float32(0)), kiln.Result(&y)); err != nil {
			t.Fatal(err)
		}
	}
	if got := e.Stats().Compiles; got != 4 {
		t.Errorf("%d compiles, want 4: +0 (twice), -0 and two NaNs", got)
	}
}

func TestArgumentErrors(t *testing.T) {
	e := open(t, kiln.Options{})
	scale := kernel(t, e, "scale")
	type node struct{ next *node }
	p := []float64{1}
	tests := []struct {
		name string
		args []kiln.LaunchArg
		want string
	}{
		{"too few", []kiln.LaunchArg{kiln.Arg(p)}, "kernel scale: got 1 arguments, wants 3: scale(ptr p, double f, i32 n)"},
		{"too many", []kiln.LaunchArg{kiln.Arg(p), kiln.Arg(1.0), kiln.Arg(int32(1)), kiln.Arg(int32(1))}, "got 4 arguments, wants 3"},
		{"float32 for a double", []kiln.LaunchArg{kiln.Arg(p), kiln.Arg(float32(1)), kiln.Arg(int32(1))}, "argument 1: parameter f is double of 8 bytes, got a float of 4 bytes; give float64"},
		{"int for an i32", []kiln.LaunchArg{kiln.Arg(p), kiln.Arg(1.0), kiln.Arg(1)}, "argument 2: parameter n is i32 of 4 bytes, got an integer of 8 bytes; give int32"},
		{"int64 bits for a double", []kiln.LaunchArg{kiln.Arg(p), kiln.Arg(int64(1)), kiln.Arg(int32(1))}, "got an integer of 8 bytes"},
		{"a slice for a number", []kiln.LaunchArg{kiln.Arg(p), kiln.Arg(p), kiln.Arg(int32(1))}, "got a pointer"},
		{"a constant address", []kiln.LaunchArg{kiln.Const(p), kiln.Arg(1.0), kiln.Arg(int32(1))}, "an address cannot be a constant"},
		{"a Go string", []kiln.LaunchArg{kiln.Arg("x"), kiln.Arg(1.0), kiln.Arg(int32(1))}, "argument 0: its Go type cannot be given to a kernel"},
		{"a struct with pointers", []kiln.LaunchArg{kiln.Arg(node{}), kiln.Arg(1.0), kiln.Arg(int32(1))}, "its Go type cannot be given to a kernel"},
		{"four dimensions", []kiln.LaunchArg{kiln.Grid(1, 1, 1, 1)}, "at most 3 dimensions"},
		{"a result of a void function", []kiln.LaunchArg{kiln.Arg(p), kiln.Arg(1.0), kiln.Arg(int32(1)), kiln.Result(new(int32))}, "the result is void"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := scale.Launch(t.Context(), tt.args...)
			var argument *kiln.ArgumentError
			if !errors.Is(err, kiln.ErrArgument) || !errors.As(err, &argument) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want an ArgumentError with %q", err, tt.want)
			}
		})
	}
	if got := e.Stats().Compiles; got != 0 {
		t.Errorf("%d compiles, want none for refused launches", got)
	}
}

// Bytes are taken for any number, and are the same constant as the number.
func TestArgBytes(t *testing.T) {
	e := open(t, kiln.Options{})
	k := kernel(t, e, "horner")
	two := binary.LittleEndian.AppendUint32(nil, math.Float32bits(2))
	for _, a := range []kiln.LaunchArg{kiln.Const(float32(2)), kiln.ConstBytes(two)} {
		var y float32
		if err := k.Launch(t.Context(), kiln.ArgBytes(two), a, kiln.Arg(float32(3)), kiln.ArgBytes(two), kiln.Result(&y)); err != nil {
			t.Fatal(err)
		}
		if y != 16 {
			t.Errorf("horner of bytes = %g, want 16", y)
		}
	}
	if got := e.Stats().Compiles; got != 1 {
		t.Errorf("%d compiles, want 1", got)
	}
	p := make([]byte, 8)
	if err := kernel(t, e, "scale").Launch(t.Context(), kiln.ArgBytes(p), kiln.Arg(1.0), kiln.Arg(int32(0))); !errors.Is(err, kiln.ErrArgument) {
		t.Errorf("bytes for a pointer: %v, want ErrArgument", err)
	}
}

func TestUnknownKernel(t *testing.T) {
	e := open(t, kiln.Options{})
	m, err := e.Load(t.Context(), kiln.Bytes("poly.ll", []byte(polyIR)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Kernel("horn")
	if !errors.Is(err, kiln.ErrNoKernel) || !strings.Contains(err.Error(), `poly.ll has no kernel "horn"; it has horner, scale`) {
		t.Errorf("error %v", err)
	}
}

func TestLoadErrors(t *testing.T) {
	e := open(t, kiln.Options{})
	missing := t.TempDir() + "/none.bc"
	tests := []struct {
		name   string
		source kiln.Source
		want   string
	}{
		{"empty source", kiln.Source{}, "use File or Bytes"},
		{"missing file", kiln.File(missing), "no such file"},
		{"not IR", kiln.Bytes("x.txt", []byte("#include <stdio.h>\nint main() {}\n")), "loading x.txt"},
		{"bad IR", kiln.Bytes("bad.ll", []byte("define void @f() {\n  ret i32 1\n}\n")), "loading bad.ll"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := e.Load(t.Context(), tt.source)
			if m != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("module %v, error %v, want %q", m, err, tt.want)
			}
		})
	}
	if _, err := e.Load(t.Context(), kiln.File(missing)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v does not match os.ErrNotExist", err)
	}
}

func TestOneCompileHoweverManyAsk(t *testing.T) {
	e := open(t, kiln.Options{})
	k := kernel(t, e, "horner")
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			var y float32
			err := k.Launch(context.Background(), kiln.Arg(float32(1)), kiln.Const(float32(2)), kiln.Arg(float32(3)), kiln.Arg(float32(4)), kiln.Result(&y))
			if err != nil || y != 9 {
				t.Errorf("y = %g, error %v", y, err)
			}
		})
	}
	wg.Wait()
	if got := e.Stats(); got.Compiles != 1 || got.Specialisations != 1 {
		t.Errorf("%d compiles and %d specialisations for 64 first launches, want 1 and 1", got.Compiles, got.Specialisations)
	}
}

func TestLaunchDoesNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's pools drop items at random")
	}
	e := open(t, kiln.Options{})
	k := kernel(t, e, "horner")
	var y float32
	x := float32(1)
	launch := func() {
		x++
		if err := k.Launch(t.Context(), kiln.Arg(x), kiln.Const(float32(2)), kiln.Const(float32(3)), kiln.Const(float32(4)), kiln.Result(&y)); err != nil {
			t.Fatal(err)
		}
	}
	launch()
	if n := testing.AllocsPerRun(1000, launch); n != 0 {
		t.Errorf("%g allocations a launch, want none", n)
	}
}

func TestClosed(t *testing.T) {
	e := open(t, kiln.Options{})
	k := kernel(t, e, "horner")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	var y float32
	err := k.Launch(t.Context(), kiln.Arg(float32(1)), kiln.Arg(float32(2)), kiln.Arg(float32(3)), kiln.Arg(float32(4)), kiln.Result(&y))
	if !errors.Is(err, kiln.ErrClosed) {
		t.Errorf("launch: %v, want ErrClosed", err)
	}
	if _, err := e.Load(t.Context(), kiln.Bytes("poly.ll", []byte(polyIR))); !errors.Is(err, kiln.ErrClosed) {
		t.Errorf("load: %v, want ErrClosed", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

// Closing waits for launches and never unloads code that runs.
func TestCloseUnderLaunches(t *testing.T) {
	for range 20 {
		e, err := kiln.Open(kiln.Options{Cache: kiln.CacheOptions{Off: true}})
		if err != nil {
			t.Fatal(err)
		}
		k := kernel(t, e, "scale")
		var wg sync.WaitGroup
		started := make(chan struct{}, 8)
		for range 8 {
			wg.Go(func() {
				p := make([]float64, 1000)
				for i := 0; ; i++ {
					err := k.Launch(context.Background(), kiln.Arg(p), kiln.Arg(1.0), kiln.Arg(int32(len(p))))
					if errors.Is(err, kiln.ErrClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					if i == 10 {
						started <- struct{}{}
					}
				}
			})
		}
		<-started
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}
