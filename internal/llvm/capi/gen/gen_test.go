package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommitted: the committed files are what the installed headers give.
func TestCommitted(t *testing.T) {
	files, err := generate("/usr/include")
	if err != nil {
		t.Fatal(err)
	}
	committed, err := filepath.Glob("../zz_*.go")
	if err != nil {
		t.Fatal(err)
	}
	if len(committed) != len(files) {
		t.Errorf("%d generated files are committed, the headers give %d", len(committed), len(files))
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the headers give (%v): run go generate ./internal/llvm/capi", name, err)
		}
	}
}

// write makes a folder of headers, all empty but the given one.
func write(t *testing.T, header, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "Transforms"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		body := ""
		if h == header {
			body = text
		}
		if err := os.WriteFile(filepath.Join(dir, h), []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestParse(t *testing.T) {
	a, err := parseHeaders(write(t, "Core.h", `
/* LLVMNotThis(void); */
#define LLVM_FOR_EACH_VALUE_SUBCLASS(macro) \
  macro(Argument) \
    macro(BasicBlock)
typedef struct LLVMOpaqueValue *LLVMValueRef; // a handle
typedef int LLVMBool;
enum { LLVMFlagA = (1 << 0), LLVMFlagB = (1 << 3), LLVMFlagAll = LLVMFlagA | LLVMFlagB, };
typedef unsigned LLVMFlags;
typedef enum { LLVMFirst = 5, LLVMSecond, LLVMThird = -1 } LLVMOrder;
static inline void LLVMInline(void) { if (1) { LLVMOther(); } }
#ifdef __cplusplus
class X { int LLVMHidden(); };
#endif
LLVM_C_ABI const char *LLVMText(LLVMValueRef V, size_t *Length);
LLVM_C_ABI LLVM_ATTRIBUTE_C_DEPRECATED(
    LLVMBool LLVMOld(LLVMValueRef *Vals, unsigned Count), "use " "another");
void LLVMTake(const uint64_t Words[], unsigned long long N);
`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range a.functions {
		names = append(names, f.name)
	}
	if got, want := strings.Join(names, " "), "LLVMText LLVMOld LLVMTake LLVMIsAArgument LLVMIsABasicBlock"; got != want {
		t.Errorf("functions %s, want %s", got, want)
	}
	for name, want := range map[string]int64{"LLVMFlagAll": 9, "LLVMSecond": 6, "LLVMThird": -1} {
		if got := a.values[name]; got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if got := a.enums[0].name; got != "LLVMFlags" {
		t.Errorf("the flags are of type %q", got)
	}
	if got := a.functions[2].params; !got[0].typ.array || got[1].typ.base != "unsigned long long" {
		t.Errorf("parameters %+v", got)
	}
}

func TestMergeRefusesChanges(t *testing.T) {
	parse := func(text string) *api {
		a, err := parseHeaders(write(t, "Core.h", text))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	old := parse("typedef enum { LLVMA, LLVMB } LLVME; void LLVMf(int x); void LLVMgone(void);")
	_, err := merge([]*api{old, parse("typedef enum { LLVMB, LLVMA } LLVME; void LLVMf(unsigned x);")})
	for _, want := range []string{"LLVMA is 1 and 0", "LLVMf has changed"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
	m, err := merge([]*api{old, parse("typedef enum { LLVMA, LLVMB, LLVMC } LLVME; void LLVMf(int y); void LLVMnew(void);")})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]uint{}
	for _, f := range m.functions {
		got[f.name] = f.versions
	}
	if got["LLVMf"] != 3 || got["LLVMgone"] != 1 || got["LLVMnew"] != 2 {
		t.Errorf("versions %v", got)
	}
}
