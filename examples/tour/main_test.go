package main

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/bench/workload"
)

func TestTour(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, "../../testdata/spmd", workload.Small); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if got := strings.Count(out.String(), "✓"); got != 18 {
		t.Errorf("%d rows are right, want 18:\n%s", got, &out)
	}
	if !strings.HasSuffix(out.String(), "\nall 18 results right\n") {
		t.Errorf("the last line does not say that all is well:\n%s", &out)
	}
}

// A wrong result is found: by its sum, and element by element.
func TestWrong(t *testing.T) {
	set, err := workload.Load("../../testdata/spmd", workload.Small)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	reference, err := compileReference(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := reference.run(t.Context(), set.Kernel("saxpy"), 1)
	if err != nil {
		t.Fatal(err)
	}
	visit := func(change func(*workload.Kernel, []byte)) error {
		kernel, output := *set.Kernel("saxpy"), bytes.Clone(want)
		change(&kernel, output)
		s := &station{dir: t.TempDir(), file: set.Image("x86_64"), kernel: &kernel, input: kernel.Make(), want: output}
		if err := s.visit(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.wrong
	}
	if err := visit(func(*workload.Kernel, []byte) {}); err != nil {
		t.Errorf("right, but: %v", err)
	}
	if err := visit(func(k *workload.Kernel, _ []byte) { k.Sum++ }); err == nil || !strings.Contains(err.Error(), "output sums to") {
		t.Errorf("another sum: %v", err)
	}
	if err := visit(func(_ *workload.Kernel, b []byte) { b[len(b)-1] ^= 0x80 }); err == nil || !strings.Contains(err.Error(), "apart from the C reference's") {
		t.Errorf("another element: %v", err)
	}
}

func TestCompareCounts(t *testing.T) {
	got := make([]int32, 200)
	want := make([]byte, 800)
	for different, wantError := range []bool{false, false, false, true} {
		if different > 0 {
			binary.LittleEndian.PutUint32(want[4*different:], 1)
		}
		if err := compare(got, want); (err != nil) != wantError {
			t.Errorf("%d different counts of 200: %v", different, err)
		}
	}
	if err := compare(got, want[4:]); err == nil {
		t.Error("a shorter output passes")
	}
}
