package capi

import (
	"debug/elf"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/internal/ffi"
)

// exported returns the functions that a libLLVM exports.
func exported(t *testing.T, version int) map[string]bool {
	t.Helper()
	triplet := map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}[runtime.GOARCH]
	f, err := elf.Open(fmt.Sprintf("/usr/lib/%s/libLLVM.so.%d.1", triplet, version))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range list {
		if strings.HasPrefix(s.Name, "LLVM") && s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names[s.Name] = true
		}
	}
	return names
}

// TestSymbols: each library exports what the table says it does.
func TestSymbols(t *testing.T) {
	for version, in := range map[int]versionSet{19: in19, 22: in22} {
		names := exported(t, version)
		marked := 0
		for _, info := range symbols {
			if info.in&in != 0 {
				marked++
				if !names[info.name] {
					t.Errorf("LLVM %d does not export %s", version, info.name)
				}
			} else if names[info.name] {
				t.Errorf("LLVM %d exports %s, which its headers do not declare", version, info.name)
			}
		}
		if marked < 1000 {
			t.Errorf("LLVM %d: only %d functions in the table", version, marked)
		}
	}
}

// open binds the newest libLLVM.
func open(t testing.TB) {
	t.Helper()
	if library.Load() != nil {
		return
	}
	l, err := ffi.Open("libLLVM.so.22.1")
	if err != nil {
		t.Fatal(err)
	}
	if err := Bind(l); err != nil {
		t.Fatal(err)
	}
}

// TestNotBound runs before any test that binds a library.
func TestNotBound(t *testing.T) {
	if library.Load() != nil {
		t.Skip("a library is bound already")
	}
	if Has("ContextCreate") {
		t.Error("a function is there without a library")
	}
	defer func() {
		missing, ok := recover().(*MissingSymbol)
		if !ok || missing.Error() != "calling LLVMContextCreate: no LLVM library is open" {
			t.Errorf("panic with %v", missing)
		}
	}()
	ContextCreate()
}

func TestResolve(t *testing.T) {
	open(t)
	for s, info := range symbols {
		if got, want := Has(info.name), info.in&in22 != 0; got != want {
			t.Errorf("Has(%s) is %v", info.name, got)
		}
		if got, want := resolve(symbol(s)) != 0, info.in&in22 != 0; got != want {
			t.Errorf("%s resolves: %v", info.name, got)
		}
	}
	if !Has("BuildAdd") || Has("BuildNonsense") || Has("") {
		t.Error("Has answers wrongly")
	}
	if err := Bind(new(ffi.Library)); err == nil {
		t.Error("a second library could be bound")
	}
}

func TestMissingSymbol(t *testing.T) {
	open(t)
	defer func() {
		var missing *MissingSymbol
		err, _ := recover().(error)
		if !errors.As(err, &missing) || missing.Symbol != "LLVMConstMul" || missing.Library != "libLLVM.so.22.1" || missing.Versions != "LLVM 19" {
			t.Errorf("panic with %v", err)
		}
	}()
	ConstMul(0, 0)
}

func TestFloating(t *testing.T) {
	open(t)
	c := ContextCreate()
	defer ContextDispose(c)
	double, float := DoubleTypeInContext(c), FloatTypeInContext(c)
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1.5, 0.1, math.Pi, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1)} {
		var loses int32
		if got := ConstRealGetDouble(ConstReal(double, x), &loses); math.Float64bits(got) != math.Float64bits(x) || loses != 0 {
			t.Errorf("double %v comes back as %v (loses %d)", x, got, loses)
		}
		if got, want := ConstRealGetDouble(ConstReal(float, x), &loses), float64(float32(x)); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("float %v comes back as %v, want %v", x, got, want)
		}
	}
	if got := PrintValueToString(ConstReal(double, 0.1)).Take(); got != "double 1.000000e-01" {
		t.Errorf("0.1 is %s", got)
	}
}

// TestShapes calls a function of each shape that the generator knows.
func TestShapes(t *testing.T) {
	open(t)
	c := ContextCreate()
	defer ContextDispose(c)
	i32, i8 := Int32TypeInContext(c), Int8TypeInContext(c)

	fnType := FunctionType(i32, []Type{i32, i8}, true)
	if got := PrintTypeToString(fnType).Take(); got != "i32 (i32, i8, ...)" {
		t.Errorf("slice and bool: %s", got)
	}
	if got := ParamTypes(fnType); len(got) != 2 || got[0] != i32 || got[1] != i8 {
		t.Errorf("unsized array: %v", got)
	}
	if !IsFunctionVarArg(fnType) || IsFunctionVarArg(FunctionType(i32, nil, false)) {
		t.Error("bool result")
	}
	m := ModuleCreateWithNameInContext("module\x00name", c)
	defer DisposeModule(m)
	if got := GetModuleIdentifier(m); got != "module" {
		t.Errorf("terminated text in, counted text out: %q", got)
	}
	SetModuleIdentifier(m, "a\x00b")
	if got := GetModuleIdentifier(m); got != "a\x00b" {
		t.Errorf("counted text in and out: %q", got)
	}
	long := strings.Repeat("long ", 1000)
	SetTarget(m, long)
	if got := GetTarget(m); got != long {
		t.Errorf("long text: %d bytes of %d", len(got), len(long))
	}
	if got := PrintValueToString(ConstIntOfArbitraryPrecision(IntTypeInContext(c, 128), []uint64{1, 2})).Take(); got != "i128 36893488147419103233" {
		t.Errorf("count before its array: %s", got)
	}
	if got := ConstIntGetSExtValue(ConstInt(i32, 0xFFFFFFFF, true)); got != -1 {
		t.Errorf("64-bit result: %d", got)
	}
	kind := GetEnumAttributeKindForName("dereferenceable")
	if got := GetEnumAttributeValue(CreateEnumAttribute(c, kind, 1<<40)); got != 1<<40 {
		t.Errorf("64-bit argument: %d", got)
	}
	key := CreateStringAttribute(c, "key", "value")
	if k, v := GetStringAttributeKind(key), GetStringAttributeValue(key); k != "key" || v != "value" {
		t.Errorf("text with a 32-bit length: %q %q", k, v)
	}

	fn := AddFunction(m, "f", fnType)
	AddAttributeAtIndex(fn, AttributeFunctionIndex, key)
	if got := AttributesAtIndex(fn, AttributeFunctionIndex); len(got) != 1 || got[0] != key {
		t.Errorf("negative constant as an index: %v", got)
	}
	b := CreateBuilderInContext(c)
	defer DisposeBuilder(b)
	PositionBuilderAtEnd(b, AppendBasicBlockInContext(c, fn, "entry"))
	sum := BuildAdd(b, Params(fn)[0], ConstInt(i32, 1, false), "sum")
	BuildRet(b, sum)
	if got := GetInstructionOpcode(sum); got != OpAdd {
		t.Errorf("enumeration result: %d, want %d", got, OpAdd)
	}
	if got := PrintValueToString(BasicBlockAsValue(BasicBlocks(fn)[0])).Take(); got != "\nentry:\n  %sum = add i32 %0, 1\n  ret i32 %sum\n" {
		t.Errorf("the block is %q", got)
	}
	pair := ConstStructInContext(c, []Value{ConstInt(i32, 1, false), ConstInt(i8, 2, false)}, false)
	if got := Operands(pair); len(got) != 2 || ConstIntGetZExtValue(got[1]) != 2 {
		t.Errorf("operands %v", got)
	}
	agg := BuildInsertValue(b, GetUndef(TypeOf(pair)), Params(fn)[1], 1, "")
	if got := Indices(agg); len(got) != 1 || got[0] != 1 {
		t.Errorf("C's array out: %v", got)
	}
	var message Message
	if VerifyModule(m, ReturnStatusAction, &message) != true {
		t.Error("a block that does not end is well formed")
	}
	if got := message.Take(); !strings.Contains(got, "does not have terminator") {
		t.Errorf("message out: %q", got)
	}
	o := CreatePassBuilderOptions()
	defer DisposePassBuilderOptions(o)
	PassBuilderOptionsSetAAPipeline(o, "basic-aa")
	if got := GetErrorMessage(RunPasses(m, "nonsense", 0, o)).Take(); got != "unknown pass name 'nonsense'" {
		t.Errorf("error message: %q", got)
	}
}

func TestCallsAllocateNothing(t *testing.T) {
	open(t)
	c := ContextCreate()
	defer ContextDispose(c)
	m := ModuleCreateWithNameInContext("m", c)
	defer DisposeModule(m)
	i32 := Int32TypeInContext(c)
	if n := testing.AllocsPerRun(100, func() { GetIntTypeWidth(i32); GetNamedFunction(m, "f") }); n != 0 && !raceEnabled {
		t.Errorf("%v allocations a call", n)
	}
}

func BenchmarkCall(b *testing.B) {
	open(b)
	c := ContextCreate()
	defer ContextDispose(c)
	i32 := Int32TypeInContext(c)
	b.ReportAllocs()
	for b.Loop() {
		GetIntTypeWidth(i32)
	}
}
