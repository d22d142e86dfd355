package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRemarks(t *testing.T) {
	const said = `remark: <unknown>:0:0: loop not vectorized
remark: a b/x.cu:3:5: loop not vectorized: call instruction cannot be vectorized
remark: a b/x.cu:3:5: loop not vectorized: call instruction cannot be vectorized
warning: <unknown>:0:0: stack frame size (8) exceeds limit (0) in function 'k'
remark: x.c:6:3: vectorized loop (vectorization width: 8, interleaved count: 4)
remark: <unknown>:0:0: 1 reloads 6.144000e+04 total reloads cost 1 virtual registers copies 6.144000e+04 total copies cost generated in loop
remark: <unknown>:0:0: 12 spills 1.058925e+04 total spills cost 19 virtual registers copies 2.695176e+06 total copies cost generated in function
`
	want := []remark{
		{"x.c:6:3", "vectorized loop (vectorization width: 8, interleaved count: 4)", 1},
		{"a b/x.cu:3:5", "loop not vectorized: call instruction cannot be vectorized", 2},
		{"", "12 spills, 19 virtual registers copies", 1},
	}
	if diff := cmp.Diff(want, parseRemarks(said)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := want[1].String(); got != "a b/x.cu:3:5: loop not vectorized: call instruction cannot be vectorized (2 times)" {
		t.Errorf("%q", got)
	}
}

func TestInstructions(t *testing.T) {
	const text = `@g = global i32 0
define i32 @f(i32 %x) {
entry:
  switch i32 %x, label %a [
    i32 1, label %b
  ]
a:                                                ; preds = %entry
  ; a comment
  ret i32 0
b:
  ret i32 1
}
  declare void @h()
`
	if got := instructions(text); got != 3 {
		t.Errorf("%d instructions, want 3", got)
	}
}
