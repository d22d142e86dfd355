package llvm_test

import (
	"bytes"
	"debug/elf"
	"errors"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/internal/llvm/llvmtest"
)

const squareIR = `
define i32 @square(i32 %x) {
  %slot = alloca i32
  store i32 %x, ptr %slot
  %a = load i32, ptr %slot
  %b = load i32, ptr %slot
  %y = mul i32 %a, %b
  ret i32 %y
}
`

const callerIR = `
declare i32 @square(i32)
define i32 @four() {
  %y = call i32 @square(i32 2)
  ret i32 %y
}
`

func parse(t testing.TB, c *llvm.Context, name, text string) *llvm.Module {
	t.Helper()
	m, err := c.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestParseOptimiseEmit(t *testing.T) {
	llvmtest.Within(t, func(c *llvm.Context) error {
		m := parse(t, c, "square.ll", squareIR)
		if got := m.Name(); got != "square.ll" {
			t.Errorf("name is %q", got)
		}
		machine, err := llvm.NewMachine(llvm.MachineOptions{Triple: "x86_64-unknown-linux-gnu"})
		if err != nil {
			return err
		}
		defer machine.Close()
		if got := machine.DataLayout(); !strings.HasPrefix(got, "e-m:e-") {
			t.Errorf("data layout is %q", got)
		}
		capi.SetTarget(m.Ref(), machine.Triple())
		capi.SetDataLayout(m.Ref(), machine.DataLayout())
		if err := m.RunPasses("default<O3>", machine, llvm.PassOptions{}); err != nil {
			return err
		}
		if text := m.Print(); strings.Contains(text, "alloca") || !strings.Contains(text, "mul i32 %x, %x") {
			t.Errorf("not optimised:\n%s", text)
		}
		if err := m.Verify(); err != nil {
			t.Error(err)
		}
		bitcode, err := m.Bitcode()
		if err != nil {
			return err
		}
		if !llvm.IsBitcode(bitcode) {
			t.Errorf("bitcode starts with % x", bitcode[:4])
		}
		again, err := c.Parse("again", bitcode)
		if err != nil {
			return err
		}
		assembly, err := machine.Emit(again, llvm.Assembly)
		if err != nil {
			return err
		}
		if !bytes.Contains(assembly, []byte("imull")) || !bytes.Contains(assembly, []byte("square:")) {
			t.Errorf("assembly is\n%s", assembly)
		}
		object, err := machine.Emit(m, llvm.Object)
		if err != nil {
			return err
		}
		f, err := elf.NewFile(bytes.NewReader(object))
		if err != nil {
			return err
		}
		if f.Type != elf.ET_REL || f.Machine != elf.EM_X86_64 || f.Section(".text").Size == 0 {
			t.Errorf("object is %v %v, text of %d bytes", f.Type, f.Machine, f.Section(".text").Size)
		}
		return nil
	})
}

func TestLink(t *testing.T) {
	llvmtest.Within(t, func(c *llvm.Context) error {
		bitcode, err := parse(t, c, "square", squareIR).Bitcode()
		if err != nil {
			return err
		}
		lazy, err := c.ParseLazy("lazy", bitcode)
		if err != nil {
			return err
		}
		if fn := capi.GetNamedFunction(lazy.Ref(), "square"); fn == 0 || capi.CountBasicBlocks(fn) != 0 {
			t.Errorf("lazily parsed function: %v with %d blocks, want one without", fn, capi.CountBasicBlocks(fn))
		}
		m := parse(t, c, "caller", callerIR)
		clone, err := m.Clone()
		if err != nil {
			return err
		}
		if err := m.Link(lazy); err != nil {
			return err
		}
		if fn := capi.GetNamedFunction(m.Ref(), "square"); capi.CountBasicBlocks(fn) != 1 {
			t.Errorf("linked function has %d blocks, want 1", capi.CountBasicBlocks(fn))
		}
		if fn := capi.GetNamedFunction(clone.Ref(), "square"); capi.CountBasicBlocks(fn) != 0 {
			t.Errorf("the clone has %d blocks, want 0", capi.CountBasicBlocks(fn))
		}
		if err := m.Link(lazy); !errors.Is(err, llvm.ErrClosed) {
			t.Errorf("linking a module twice: %v, want %v", err, llvm.ErrClosed)
		}
		err = m.Link(parse(t, c, "second", squareIR))
		var reported *llvm.DiagnosticError
		if !errors.As(err, &reported) || !strings.Contains(err.Error(), "symbol multiply defined") {
			t.Errorf("linking a second definition: %v", err)
		}
		return nil
	})
}

func TestBadInput(t *testing.T) {
	bad := func(t *testing.T, want string, fn func(c *llvm.Context) error) {
		t.Helper()
		llvmtest.Within(t, func(c *llvm.Context) error {
			if err := fn(c); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error is %v, want one with %q", err, want)
			}
			return nil
		})
	}
	parsing := func(data string) func(c *llvm.Context) error {
		return func(c *llvm.Context) error {
			_, err := c.Parse("input", []byte(data))
			return err
		}
	}
	bad(t, "the module is empty", parsing(""))
	bad(t, "input:1:1: error: expected top-level entity", parsing("nonsense"))
	bad(t, "use of undefined value '%y'", parsing("define i32 @f() {\n  ret i32 %y\n}\n"))
	bad(t, "parsing input: ", parsing("BC\xC0\xDE and no more"))
	bad(t, "unknown pass name 'no-such'", func(c *llvm.Context) error {
		return c.NewModule("m").RunPasses("no-such", nil, llvm.PassOptions{})
	})
	bad(t, "Basic Block in function 'f' does not have terminator", func(c *llvm.Context) error {
		m := c.NewModule("m")
		fn := capi.AddFunction(m.Ref(), "f", capi.FunctionType(capi.VoidTypeInContext(c.Ref()), nil, false))
		capi.AppendBasicBlockInContext(c.Ref(), fn, "entry")
		return m.Verify()
	})
	bad(t, `no back end for architecture "sparc"`, func(*llvm.Context) error {
		_, err := llvm.NewMachine(llvm.MachineOptions{Triple: "sparc-sun-solaris"})
		return err
	})
}

func TestTruncatedBitcode(t *testing.T) {
	llvmtest.Within(t, func(c *llvm.Context) error {
		bitcode, err := parse(t, c, "square", squareIR).Bitcode()
		if err != nil {
			return err
		}
		for n := 4; n < len(bitcode); n += 4 {
			if m, err := c.Parse("short", bitcode[:n]); (m == nil) == (err == nil) || err == nil && n < len(bitcode)/2 {
				t.Errorf("parsing %d of %d bytes: %v, %v", n, len(bitcode), m, err)
			}
		}
		return nil
	})
}

func TestClosedOnce(t *testing.T) {
	llvmtest.Within(t, func(c *llvm.Context) error {
		m := parse(t, c, "square", squareIR)
		open := len(llvm.Live())
		m.Close()
		if got := len(llvm.Live()); got != open-1 {
			t.Errorf("%d handles open, want %d", got, open-1)
		}
		m.Close()
		if _, err := m.Bitcode(); !errors.Is(err, llvm.ErrClosed) {
			t.Errorf("a closed module's bitcode: %v, want %v", err, llvm.ErrClosed)
		}
		if got := m.Print(); got != "" {
			t.Errorf("a closed module prints %q", got)
		}
		machine, err := llvm.NewMachine(llvm.MachineOptions{Triple: "nvptx64-nvidia-cuda", CPU: "sm_80"})
		if err != nil {
			return err
		}
		kinds := map[string]int{}
		for _, h := range llvm.Live() {
			kinds[h.Kind]++
			if !strings.Contains(h.Stack, "TestClosedOnce") && !strings.Contains(h.Stack, "llvmtest") {
				t.Errorf("the %s's stack is\n%s", h.Kind, h.Stack)
			}
		}
		if kinds["context"] != 1 || kinds["target machine"] != 1 || kinds["module"] != 0 {
			t.Errorf("open are %v", kinds)
		}
		machine.Close()
		machine.Close()
		c.Close()
		if got := llvm.Live(); len(got) != 0 {
			t.Errorf("open are %v", got)
		}
		if _, err := c.Parse("square", []byte(squareIR)); !errors.Is(err, llvm.ErrClosed) {
			t.Errorf("parsing into a closed context: %v, want %v", err, llvm.ErrClosed)
		}
		return nil
	})
}
