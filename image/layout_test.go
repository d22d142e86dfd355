package image

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLayout(t *testing.T) {
	p := func(size, align uint32) Param { return Param{Type: "t", Size: size, Align: align} }
	for _, tc := range []struct {
		name          string
		params        []Param
		result        *Param
		offsets       []uint32
		bytes, align  uint32
		resultsOffset uint32
	}{
		{"nothing", nil, nil, nil, 0, 1, 0},
		{"void result", nil, &Param{Offset: 9}, nil, 0, 1, 0},
		{"result alone", nil, &Param{Type: "i32", Size: 4, Align: 4}, nil, 4, 4, 0},
		{"saxpy", []Param{p(8, 8), p(8, 8), p(4, 4), p(4, 4)}, nil, []uint32{0, 8, 16, 20}, 24, 8, 0},
		{"holes", []Param{p(1, 1), p(8, 8), p(1, 1), p(2, 2)}, nil, []uint32{0, 8, 16, 18}, 24, 8, 0},
		{"result behind", []Param{p(1, 1)}, &Param{Type: "double", Size: 8, Align: 8}, []uint32{0}, 16, 8, 8},
		{"vector", []Param{p(4, 4), p(16, 16)}, nil, []uint32{0, 16}, 32, 16, 0},
		{"no bytes", []Param{p(4, 4), p(0, 1), p(4, 4)}, nil, []uint32{0, 4, 4}, 8, 4, 0},
		{"under-aligned struct", []Param{p(1, 1), p(12, 4)}, nil, []uint32{0, 4}, 16, 4, 0},
	} {
		bytes, align, err := Layout(tc.params, tc.result)
		if err != nil || bytes != tc.bytes || align != tc.align {
			t.Errorf("%s: %d bytes, alignment %d, %v; want %d, %d", tc.name, bytes, align, err, tc.bytes, tc.align)
		}
		var offsets []uint32
		for _, p := range tc.params {
			offsets = append(offsets, p.Offset)
		}
		if diff := cmp.Diff(tc.offsets, offsets); diff != "" {
			t.Errorf("%s: offsets (-want +got):\n%s", tc.name, diff)
		}
		if tc.result != nil && tc.result.Offset != tc.resultsOffset {
			t.Errorf("%s: result at %d; want %d", tc.name, tc.result.Offset, tc.resultsOffset)
		}
	}
}

func TestLayoutRefuses(t *testing.T) {
	for _, tc := range []struct {
		params []Param
		result *Param
		want   string
	}{
		{[]Param{{Name: "a", Size: 4, Align: 0}}, nil, "parameter 0 (a): alignment 0 is no power of two"},
		{[]Param{{Size: 4, Align: 4}, {Size: 4, Align: 12}}, nil, "parameter 1: alignment 12"},
		{nil, &Param{Type: "i32", Size: 4}, "the result: alignment 0"},
		{[]Param{{Size: math.MaxUint32, Align: 1}, {Size: 1, Align: 1}}, nil, "parameter 1: the parameter block exceeds 4 GiB"},
		{[]Param{{Size: math.MaxUint32, Align: 2}}, nil, "exceeds 4 GiB"},
	} {
		for i := range tc.params {
			tc.params[i].Offset = 77
		}
		bytes, align, err := Layout(tc.params, tc.result)
		if err == nil || !strings.Contains(err.Error(), tc.want) || bytes != 0 || align != 0 {
			t.Errorf("%d, %d, %v; want %q", bytes, align, err, tc.want)
		}
		for i := range tc.params {
			if tc.params[i].Offset != 77 {
				t.Errorf("%s: an offset was set", tc.want)
			}
		}
	}
}

// A C compiler lays out random structs the same way.
func TestLayoutAgreesWithC(t *testing.T) {
	const structs = 200
	types := []struct {
		c           string
		size, align uint32
	}{
		{"char", 1, 1}, {"short", 2, 2}, {"int", 4, 4}, {"float", 4, 4}, {"double", 8, 8},
		{"void *", 8, 8}, {"struct s3", 3, 1}, {"struct s12", 12, 4}, {"struct s24", 24, 8},
		{"v2", 8, 8}, {"v4", 16, 16}, {"v8", 32, 32}, {"struct empty", 0, 1}, {"__int128", 16, 16},
	}
	random := rand.New(rand.NewPCG(1, 2))
	var src, want strings.Builder
	src.WriteString(`#include <stddef.h>
#include <stdio.h>
typedef float v2 __attribute__((vector_size(8)));
typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
struct s3 { char c[3]; };
struct s12 { int i[3]; };
struct s24 { double d; int i; void *p; };
struct empty {};
int main(void) {
`)
	for i := range structs {
		fields := make([]Param, 1+random.IntN(12))
		fmt.Fprintf(&src, "{ struct t {")
		for j := range fields {
			ty := types[random.IntN(len(types))]
			fields[j] = Param{Type: ty.c, Size: ty.size, Align: ty.align}
			fmt.Fprintf(&src, " %s m%d;", ty.c, j)
		}
		fmt.Fprintf(&src, " };\nprintf(\"%d: %%zu %%zu\", sizeof(struct t), _Alignof(struct t));\n", i)
		params, result := fields, (*Param)(nil)
		if random.IntN(2) == 0 {
			params, result = fields[:len(fields)-1], &fields[len(fields)-1]
		}
		bytes, align, err := Layout(params, result)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&want, "%d: %d %d", i, bytes, align)
		for j, p := range fields {
			fmt.Fprintf(&src, "printf(\" %%zu\", offsetof(struct t, m%d));\n", j)
			fmt.Fprintf(&want, " %d", p.Offset)
		}
		src.WriteString("puts(\"\"); }\n")
		want.WriteString("\n")
	}
	src.WriteString("}\n")

	dir := t.TempDir()
	file, binary := filepath.Join(dir, "layout.c"), filepath.Join(dir, "layout")
	if err := os.WriteFile(file, []byte(src.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("clang-22", "-O0", "-w", file, "-o", binary).CombinedOutput(); err != nil {
		t.Fatalf("compiling the reference: %v\n%s", err, out)
	}
	got, err := exec.Command(binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(got), "\n"), strings.Split(want.String(), "\n")); diff != "" {
		t.Errorf("layout (-C +kiln):\n%s", diff)
	}
}
