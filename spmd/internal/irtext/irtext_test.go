package irtext

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func texts(tokens []Token) []string {
	var list []string
	for _, t := range tokens {
		list = append(list, t.Text)
	}
	return list
}

func TestScan(t *testing.T) {
	for _, test := range []struct {
		line string
		want []string
	}{
		{`  %x = add nsw i32 %"a b", -7, !tbaa !3 ; rest`, []string{"%x", "=", "add", "nsw", "i32", `%"a b"`, ",", "-7", ",", "!tbaa", "!3"}},
		{`call void @"f;(\22"(ptr @g) #4`, []string{"call", "void", `@"f;(\22"`, "(", "ptr", "@g", ")", "#4"}},
		{`c"a;\00", align 1`, []string{`c"a;\00"`, ",", "align", "1"}},
		{`fmul float 0x3FF0000000000000, -1.000000e+00`, []string{"fmul", "float", "0x3FF0000000000000", ",", "-1.000000e+00"}},
		{`!7 = !{!"x, y", !8}`, []string{"!7", "=", "!", "{", "!", `"x, y"`, ",", "!8", "}"}},
		{`(...)`, []string{"(", "...", ")"}},
		{`"no end`, []string{`"no end`}},
	} {
		if diff := cmp.Diff(test.want, texts(Scan(nil, test.line))); diff != "" {
			t.Errorf("%s: %s", test.line, diff)
		}
	}
}

func TestJoinKeepsText(t *testing.T) {
	const line = `%5 = call align 8 dereferenceable(256) ptr @f(i32 range(i32 0, 5) %4, { i8, [2 x i16] } zeroinitializer), !range !7`
	if got := Join(Scan(nil, line)); got != line {
		t.Errorf("got %s", got)
	}
}

const module = `; ModuleID = 'm'
source_filename = "m.cu"
target datalayout = "e-p:64:64"
target triple = "nvptx64-nvidia-cuda"

module asm "nothing"

%struct.s = type { i32, [2 x float] }
$c = comdat any
@g = internal global %struct.s zeroinitializer, align 4
@"odd name" = external global i8

; Function Attrs: nounwind
define void @f(ptr %0) #0 {
  br label %2

2:                                                ; preds = %1
  ret void
}

define void @empty() {
}

declare i32 @"h h"(i32, ...)

attributes #0 = { nounwind }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
`

func names(list []Entity) (n []string) {
	for _, e := range list {
		n = append(n, e.Name)
	}
	return n
}

func TestParseModule(t *testing.T) {
	m, err := ParseModule(module)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{
		"types": names(m.Types), "globals": names(m.Globals), "declares": names(m.Declares), "defines": names(m.Defines),
		"attributes": names(m.Attributes), "metadata": names(m.Metadata), "assembly": m.Assembly,
		"target": {m.Triple, m.DataLayout}, "body": m.Defines[0].Body,
	}
	want := map[string][]string{
		"types": {"%struct.s"}, "globals": {"@g", `@"odd name"`}, "declares": {`@"h h"`}, "defines": {"@f", "@empty"},
		"attributes": {"#0"}, "metadata": {"!llvm.module.flags", "!0"}, "assembly": {`module asm "nothing"`},
		"target": {"nvptx64-nvidia-cuda", "e-p:64:64"},
		"body":   {"  br label %2", "", "2:                                                ; preds = %1", "  ret void"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again, err := ParseModule(m.Text())
	if err != nil {
		t.Fatal(err)
	}
	m.Assembly = nil // the one thing that Text leaves out
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("written and read again: %s", diff)
	}
}

func TestParseModuleErrors(t *testing.T) {
	for _, text := range []string{"define void @f() {\n  ret void\n", "define void @f()\n}\n", "what is this\n"} {
		if m, err := ParseModule(text); err == nil {
			t.Errorf("%q: %+v", text, m)
		}
	}
}

func TestGlobalNames(t *testing.T) {
	var got []string
	GlobalNames(`  store ptr @a, ptr %"@no", !x !"@no" ; @no`, func(n string) { got = append(got, n) })
	GlobalNames(`@b = global [2 x ptr] [ptr @"c d", ptr null], section "@no"`, func(n string) { got = append(got, n) })
	if diff := cmp.Diff([]string{"@a", "@b", `@"c d"`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseInstr(t *testing.T) {
	type form struct {
		Op, Name, Type, Callee string
		Args                   []Operand
		Labels, Cases          []string
	}
	i32 := func(names ...string) (list []Operand) {
		for _, n := range names {
			list = append(list, Operand{"i32", n})
		}
		return list
	}
	for _, test := range []struct {
		line string
		want form
	}{
		{"%x = add nuw nsw i32 %a, 5", form{Op: "add", Name: "%x", Type: "i32", Args: i32("%a", "5")}},
		{"%x = icmp samesign ult <4 x i32> %a, zeroinitializer", form{Op: "icmp", Name: "%x", Type: "<4 x i1>",
			Args: []Operand{{"<4 x i32>", "%a"}, {"<4 x i32>", "zeroinitializer"}}}},
		{"%x = fcmp fast olt float %a, 0x7FF0000000000000", form{Op: "fcmp", Name: "%x", Type: "i1",
			Args: []Operand{{"float", "%a"}, {"float", "0x7FF0000000000000"}}}},
		{"%x = zext nneg i32 %a to i64", form{Op: "zext", Name: "%x", Type: "i64", Args: i32("%a")}},
		{"%x = select i1 %c, i32 %a, i32 undef", form{Op: "select", Name: "%x", Type: "i32", Args: append([]Operand{{"i1", "%c"}}, i32("%a", "undef")...)}},
		{"%x = phi i32 [ %a, %b1 ], [ 0, %\"b 2\" ]", form{Op: "phi", Name: "%x", Type: "i32", Args: i32("%a", "0"), Labels: []string{"%b1", `%"b 2"`}}},
		{"%x = load volatile i32, ptr %p, align 4, !tbaa !3", form{Op: "load", Name: "%x", Type: "i32", Args: []Operand{{"ptr", "%p"}}}},
		{"store i32 %a, ptr getelementptr inbounds nuw (i8, ptr @g, i64 4), align 4", form{Op: "store", Type: "void",
			Args: []Operand{{"i32", "%a"}, {"ptr", "getelementptr inbounds nuw (i8, ptr @g, i64 4)"}}}},
		{"store ptr getelementptr inbounds nuw inrange(-16, 8) (i8, ptr @v, i64 16), ptr %p, align 8", form{Op: "store", Type: "void",
			Args: []Operand{{"ptr", "getelementptr inbounds nuw inrange(-16, 8) (i8, ptr @v, i64 16)"}, {"ptr", "%p"}}}},
		{"%x = getelementptr inbounds [4 x %struct.s], ptr %p, i64 0, i32 %a, i32 1", form{Op: "getelementptr", Name: "%x", Type: "ptr",
			Args: []Operand{{"ptr", "%p"}, {"i64", "0"}, {"i32", "%a"}, {"i32", "1"}}}},
		{"%x = alloca [4 x i8], i32 %a, align 16", form{Op: "alloca", Name: "%x", Type: "ptr", Args: i32("%a")}},
		{"%x = alloca { i32, i1 }, align 16", form{Op: "alloca", Name: "%x", Type: "ptr"}},
		{"%x = tail call contract noundef nofpclass(nan) float @\"f f\"(float noundef 1.0, ptr byval({ i32 }) align 8 %p) #3", form{Op: "call",
			Name: "%x", Type: "float", Callee: `@"f f"`, Args: []Operand{{"float", "1.0"}, {"ptr", "%p"}}}},
		{"call void (ptr, ...) %f(ptr null, i32 %a), !dbg !5", form{Op: "call", Type: "void", Callee: "%f",
			Args: append([]Operand{{"ptr", "null"}}, i32("%a")...)}},
		{`%x = call i32 asm sideeffect "mov $0, $1;", "=r,r"(i32 %a)`, form{Op: "call", Name: "%x", Type: "i32", Callee: "asm", Args: i32("%a")}},
		{"call void @llvm.x(metadata !7, i32 %a)", form{Op: "call", Type: "void", Callee: "@llvm.x", Args: i32("%a")}},
		{"br i1 %c, label %t, label %e, !prof !2", form{Op: "br", Type: "void", Args: []Operand{{"i1", "%c"}}, Labels: []string{"%t", "%e"}}},
		{"switch i32 %a, label %d [ i32 0, label %t i32 -1, label %e ]", form{Op: "switch", Type: "void", Args: i32("%a"),
			Labels: []string{"%d", "%t", "%e"}, Cases: []string{"0", "-1"}}},
		{"ret { i32, i1 } { i32 1, i1 true }", form{Op: "ret", Type: "void", Args: []Operand{{"{ i32, i1 }", "{ i32 1, i1 true }"}}}},
		{"%x = extractvalue { i32, { i8, half } } %s, 1, 1", form{Op: "extractvalue", Name: "%x", Type: "half",
			Args: []Operand{{"{ i32, { i8, half } }", "%s"}}}},
		{"%x = extractvalue %struct.s %s, 1", form{Op: "extractvalue", Name: "%x", Type: "%", Args: []Operand{{"%struct.s", "%s"}}}},
		{"%x = insertvalue { i32, i1 } poison, i32 %a, 0", form{Op: "insertvalue", Name: "%x", Type: "{ i32, i1 }",
			Args: append([]Operand{{"{ i32, i1 }", "poison"}}, i32("%a")...)}},
		{"%x = shufflevector <2 x half> %a, <2 x half> poison, <4 x i32> zeroinitializer", form{Op: "shufflevector", Name: "%x", Type: "<4 x half>",
			Args: []Operand{{"<2 x half>", "%a"}, {"<2 x half>", "poison"}, {"<4 x i32>", "zeroinitializer"}}}},
		{"%x = atomicrmw volatile uinc_wrap ptr %p, i32 %a syncscope(\"agent\") monotonic, align 4", form{Op: "atomicrmw", Name: "%x", Type: "i32",
			Args: append([]Operand{{"ptr", "%p"}}, i32("%a")...)}},
		{"%x = cmpxchg weak ptr %p, i32 %a, i32 1 seq_cst monotonic, align 4", form{Op: "cmpxchg", Name: "%x", Type: "{ i32, i1 }",
			Args: append([]Operand{{"ptr", "%p"}}, i32("%a", "1")...)}},
		{"fence seq_cst", form{Op: "fence", Type: "void"}},
		{"unreachable", form{Op: "unreachable", Type: "void"}},
	} {
		in, err := parseInstr(Scan(nil, test.line))
		if err != nil {
			t.Errorf("%s: %v", test.line, err)
			continue
		}
		got := form{in.Op, in.Name, in.Type, in.Callee, in.Args, in.Labels, in.Cases}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.line, diff)
		}
	}
	for _, line := range []string{"invoke void @f() to label %a unwind label %b", "%x = add i32", "%x = load i32", "br label", "nonsense", "%x = target(\"x\") y"} {
		if in, err := parseInstr(Scan(nil, line)); !errors.Is(err, ErrForm) {
			t.Errorf("%s: %+v, %v", line, in, err)
		}
	}
}

func TestRewrite(t *testing.T) {
	for line, want := range map[string]string{
		"%x = getelementptr inbounds %T, ptr %T, i64 %i, !tbaa !1":           "getelementptr inbounds %T, ptr <%T>, i64 <%i>",
		"%x = phi i32 [ %a, %b ], [ 0, %c ]":                                 "phi i32 [ <%a>, <%b> ], [ 0, <%c> ]",
		"switch i32 %a, label %d [\n i32 0, label %t\n ]":                    "switch i32 <%a>, label <%d> [ i32 0, label <%t> ]",
		"tail call void %f(ptr byval(%T) %p)":                                "call void <%f>(ptr byval(%T) <%p>)",
		"%x = call { %T, ptr } @g(%T %a, <2 x ptr> <ptr @q, ptr null>)":      "call { %T, ptr } @g(%T <%a>, <2 x ptr> <ptr @q, ptr null>)",
		"%x = atomicrmw add ptr %p, i32 %a seq_cst, align 4, !mem !{}":       "atomicrmw add ptr <%p>, i32 <%a> seq_cst, align 4",
		"%x = select i1 true, ptr @g, ptr getelementptr (i8, ptr @h, i64 1)": "select i1 true, ptr @g, ptr getelementptr (i8, ptr @h, i64 1)",
	} {
		in, err := parseInstr(Scan(nil, line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := in.Rewrite(func(n string) string { return "<" + n + ">" }); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestParseFunction(t *testing.T) {
	e := &Entity{
		Name: "@f",
		Line: `define internal noundef range(i32 0, 5) i32 @f(ptr noundef byval(%s) align 8 %p, { i32, i8 }, i64 %"a b") #0`,
		Body: strings.Split(`  %x = alloca i32, align 4
    #dbg_value(i32 %x, !1, !DIExpression(), !2)
  switch i32 0, label %loop [
    i32 1, label %end
    i32 2, label %end
  ]

loop:                                             ; preds = %0
  br i1 true, label %loop, label %end

end:
  ret i32 1`, "\n"),
	}
	f, err := ParseFunction(e)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range f.Params {
		got = append(got, p.Type+" "+p.Name+" "+Join(p.Attributes))
	}
	for _, b := range f.Blocks {
		line := b.Name + ":"
		for _, s := range b.Succs {
			line += " " + s.Name
		}
		line += " <"
		for _, p := range b.Preds {
			line += " " + p.Name
		}
		got = append(got, line)
	}
	want := []string{"ptr %p noundef byval(%s) align 8", "{ i32, i8 } %1 ", `i64 %"a b" `,
		"%2: %loop %end <", "%loop: %loop %end < %2 %loop", "%end: < %2 %loop"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f.Result != "i32" || f.Defs["%x"] == nil || f.Defs["%x"].Op != "alloca" {
		t.Errorf("result %s, defs %v", f.Result, f.Defs)
	}
	for _, body := range []string{"  br label %x", "  %y = add i32 1, 2", "no label here", ""} {
		if _, err := ParseFunction(&Entity{Name: "@g", Line: "define void @g()", Body: strings.Split(body, "\n")}); err == nil {
			t.Errorf("%q: no error", body)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(module)
	f.Add("define i32 @k(i32 %a) {\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n")
	f.Add("@x = global i8 0\ndefine void @f(<2 x ptr> %v, ...) {\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseModule(text)
		if (m == nil) != (err != nil) {
			t.Fatalf("%v, %v", m, err)
		}
		if err != nil {
			return
		}
		for i := range m.Defines {
			fn, err := ParseFunction(&m.Defines[i])
			if (fn == nil) != (err != nil) {
				t.Fatalf("%v, %v", fn, err)
			}
		}
	})
}
