package main

import (
	"strings"
	"testing"

	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/image"
)

func TestSignature(t *testing.T) {
	k := &image.Kernel{Name: "k", Params: []image.Param{
		{Name: "y.coerce", Kind: image.Pointer, Type: "ptr"}, {Kind: image.Pointer, Type: "ptr", ReadOnly: true},
		{Name: "a", Type: "float"}, {Name: "h", Type: "half"}, {Name: "v", Type: "<4 x float>", Size: 16},
		{Name: "s", Kind: image.Aggregate, Size: 12}, {Name: "m", Kind: image.SharedPointer},
	}, Result: image.Param{Type: "double"}}
	want := "k(ptr y, const ptr, f32 a, f16 h, <4 x float> v, 12 bytes by value s, local m) -> f64"
	if got := signature(k); got != want {
		t.Errorf("signature %q, want %q", got, want)
	}
}

// TestBind goes through what each kind of parameter takes.
func TestBind(t *testing.T) {
	param := map[string]image.Param{
		"ptr": {Kind: image.Pointer, Type: "ptr", Size: 8}, "i1": {Type: "i1", Size: 1}, "i32": {Type: "i32", Size: 4},
		"f16": {Type: "half", Size: 2}, "f64": {Type: "double", Size: 8}, "vec": {Type: "<4 x float>", Size: 16},
		"struct": {Kind: image.Aggregate, Size: 12}, "odd": {Kind: image.Aggregate, Size: 13}, "local": {Kind: image.SharedPointer, Size: 8},
	}
	tests := []struct {
		param, text, wrong string
	}{
		{"ptr", "f32[4]=0", ""}, {"ptr", "null", ""}, {"ptr", "i64=0", "takes a buffer"},
		{"ptr", "const:f32[4]=0", "leave const: out"}, {"struct", "const:i32[3]=1", ""},
		{"i1", "i8=1", ""}, {"i1", "u8=2", "takes 0 or 1"}, {"i32", "u32=7", ""}, {"i32", "const:i32=7", ""},
		{"i32", "i64=7", "type i32"}, {"i32", "f32=7", "type i32"}, {"f16", "f16=1", ""}, {"f64", "f64=1", ""}, {"f64", "f32=1", "type f64"},
		{"vec", "f32[4]=1", ""}, {"vec", "f32[3]=1", "takes 16 bytes by value"}, {"vec", "f32=1", "takes 16 bytes by value"},
		{"struct", "i32[3]=1", ""}, {"struct", "out:i32[3]=1", "takes 12 bytes by value"}, {"odd", "u8[13]=1", ""}, {"odd", "u8[12]=1", "takes 13 bytes by value"},
		{"local", "local=64", ""}, {"local", "f32[16]=0", "takes a size of shared memory"},
	}
	for _, tt := range tests {
		a, err := argument.Parse(tt.text, 0)
		if err != nil {
			t.Fatal(err)
		}
		b, err := bind(&image.Kernel{Name: "k", Params: []image.Param{param[tt.param]}}, []argument.Argument{a}, buffers{})
		switch {
		case tt.wrong == "" && (err != nil || len(b.launch) != 1):
			t.Errorf("%s for %s: %v", tt.text, tt.param, err)
		case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong) || exitCode(err) != exitUsage || b != nil):
			t.Errorf("%s for %s: %v, want a usage error with %q", tt.text, tt.param, err, tt.wrong)
		}
	}
}

func TestBuffer(t *testing.T) {
	for _, n := range []int{0, 1, 64, 100, 4096, 4097, 1 << 20} {
		data, err := newBuffer(n)
		if err != nil || len(data) != n || cap(data) != n {
			t.Fatalf("newBuffer(%d) = %d of %d, %v", n, len(data), cap(data), err)
		}
		for i := range data {
			if data[i] != 0 {
				t.Fatalf("byte %d of %d is not zero", i, n)
			}
			data[i] = 1
		}
	}
}
