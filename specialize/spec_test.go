package specialize_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/specialize"
)

func kernel() *image.Kernel {
	return &image.Kernel{
		Name:       "step",
		Convention: image.Grid,
		Params: []image.Param{
			{Kind: image.Pointer, Type: "ptr", Size: 8},
			{Type: "i32", Size: 4},
			{Kind: image.Aggregate, Type: "%struct.P", Size: 12},
			{Kind: image.SharedPointer, Type: "ptr addrspace(3)", Size: 8},
		},
	}
}

func TestValidate(t *testing.T) {
	reqd, bound, host := kernel(), kernel(), kernel()
	reqd.ReqdBlock = [3]uint32{16, 16, 1}
	bound.MaxBlock = 256
	host.Convention = image.Host
	constant := func(index, size int) specialize.Constant {
		return specialize.Constant{Index: index, Bytes: make([]byte, size)}
	}
	constants := func(cs ...specialize.Constant) specialize.Spec { return specialize.Spec{Constants: cs} }
	tests := []struct {
		name   string
		kernel *image.Kernel
		spec   specialize.Spec
		want   string // part of the error, empty where there is none
	}{
		{"nothing", kernel(), specialize.Spec{}, ""},
		{"nothing on host", host, specialize.Spec{}, ""},
		{"constants", kernel(), constants(constant(0, 8), constant(1, 4), constant(2, 12)), ""},
		{"negative index", kernel(), constants(constant(-1, 4)), "argument -1, but the kernel has 4"},
		{"index past the end", kernel(), constants(constant(4, 4)), "argument 4, but the kernel has 4"},
		{"short", kernel(), constants(constant(1, 3)), "argument 1 (i32) has 3 bytes, want 4"},
		{"long", kernel(), constants(constant(2, 16)), "argument 2 (%struct.P) has 16 bytes, want 12"},
		{"empty", kernel(), constants(constant(1, 0)), "has 0 bytes, want 4"},
		{"twice", kernel(), constants(constant(1, 4), constant(1, 4)), "argument 1 is given two constants"},
		{"unsorted", kernel(), constants(constant(1, 4), constant(0, 8)), "ascending order"},
		{"shared memory", kernel(), constants(constant(3, 8)), "argument 3 is shared memory"},
		{"dims", kernel(), specialize.Spec{Block: [3]uint32{256, 1, 1}, Grid: [3]uint32{1 << 31, 2, 1}}, ""},
		{"block in part", kernel(), specialize.Spec{Block: [3]uint32{256, 0, 1}}, "block is fixed in part: its y is 0"},
		{"grid in part", kernel(), specialize.Spec{Grid: [3]uint32{0, 0, 1}}, "grid is fixed in part: its x is 0"},
		{"huge block", kernel(), specialize.Spec{Block: [3]uint32{1 << 16, 1 << 16, 1}}, "more than 4294967295 work-items"},
		{"huge grid", kernel(), specialize.Spec{Grid: [3]uint32{math.MaxUint32, math.MaxUint32, 3}}, "more than 2^64"},
		{"required", reqd, specialize.Spec{Block: [3]uint32{16, 16, 1}}, ""},
		{"not required", reqd, specialize.Spec{Block: [3]uint32{256, 1, 1}}, "requires 16 x 16 x 1"},
		{"at the bound", bound, specialize.Spec{Block: [3]uint32{16, 16, 1}}, ""},
		{"over the bound", bound, specialize.Spec{Block: [3]uint32{257, 1, 1}}, "launch bound is 256"},
		{"promise", kernel(), specialize.Spec{Block: [3]uint32{16, 16, 1}, MaxBlock: 256, MinBlocks: 2}, ""},
		{"broken promise", kernel(), specialize.Spec{Block: [3]uint32{16, 17, 1}, MaxBlock: 256}, "more than the 256 work-items"},
		{"promise against the kernel", reqd, specialize.Spec{MaxBlock: 128}, "16 x 16 x 1 has more than the 128"},
		{"host with bounds", host, specialize.Spec{MinBlocks: 1}, "neither grid nor block"},
		{"host with block", host, specialize.Spec{Block: [3]uint32{1, 1, 1}}, "neither grid nor block"},
		{"host with grid", host, specialize.Spec{Grid: [3]uint32{1, 1, 1}}, "neither grid nor block"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.spec.Validate(test.kernel)
			if test.want == "" {
				if err != nil {
					t.Fatalf("Validate: %v", err)
				}
				return
			}
			if !errors.Is(err, specialize.ErrInvalid) {
				t.Fatalf("Validate = %v, want an error that matches ErrInvalid", err)
			}
			if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), `"step"`) {
				t.Errorf("Validate = %q, want the kernel's name and %q in it", err, test.want)
			}
		})
	}
}

func TestConstant(t *testing.T) {
	spec := specialize.Spec{Constants: []specialize.Constant{{Index: 2, Bytes: []byte{1}}}}
	if b, ok := spec.Constant(2); !ok || !bytes.Equal(b, []byte{1}) {
		t.Errorf("Constant(2) = %v, %v, want [1], true", b, ok)
	}
	if b, ok := spec.Constant(0); ok {
		t.Errorf("Constant(0) = %v, want none", b)
	}
	if spec.IsZero() || !(&specialize.Spec{Constants: []specialize.Constant{}}).IsZero() {
		t.Error("IsZero: want false with a constant and true without")
	}
}

func genSpec(t *rapid.T, name string) specialize.Spec {
	var s specialize.Spec
	for range rapid.IntRange(0, 3).Draw(t, name+" constants") {
		s.Constants = append(s.Constants, specialize.Constant{
			Index: rapid.IntRange(0, 2).Draw(t, name+" index"),
			Bytes: rapid.SliceOfN(rapid.ByteRange(0, 2), 0, 9).Draw(t, name+" bytes"),
		})
	}
	for i := range 3 {
		s.Block[i] = rapid.Uint32Range(0, 2).Draw(t, name+" block")
		s.Grid[i] = rapid.Uint32Range(0, 2).Draw(t, name+" grid")
	}
	s.MaxBlock = rapid.Uint32Range(0, 2).Draw(t, name+" most")
	s.MinBlocks = rapid.Uint32Range(0, 2).Draw(t, name+" least")
	return s
}

func equal(a, b specialize.Spec) bool {
	if a.Block != b.Block || a.Grid != b.Grid || a.MaxBlock != b.MaxBlock || a.MinBlocks != b.MinBlocks || len(a.Constants) != len(b.Constants) {
		return false
	}
	for i := range a.Constants {
		if a.Constants[i].Index != b.Constants[i].Index || !bytes.Equal(a.Constants[i].Bytes, b.Constants[i].Bytes) {
			return false
		}
	}
	return true
}

// Encodings are equal exactly when the specs are, also when one spec's parts
// are moved over the borders between fields.
func TestEncodingIsInjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genSpec(t, "a")
		b := genSpec(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a
			b.Constants = append([]specialize.Constant(nil), a.Constants...)
			if n := len(b.Constants); n > 1 {
				first, second := b.Constants[0].Bytes, b.Constants[1].Bytes
				joined := append(append([]byte(nil), first...), second...)
				cut := rapid.IntRange(0, len(joined)).Draw(t, "cut")
				b.Constants[0].Bytes, b.Constants[1].Bytes = joined[:cut], joined[cut:]
			}
		}
		ea, eb := a.AppendEncoding(nil), b.AppendEncoding(nil)
		if bytes.Equal(ea, eb) != equal(a, b) {
			t.Fatalf("encodings equal: %v, specs equal: %v\n%+v\n%+v", bytes.Equal(ea, eb), equal(a, b), a, b)
		}
	})
}
