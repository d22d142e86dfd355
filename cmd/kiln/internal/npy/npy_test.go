package npy

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// file builds an npy file of a given version around a header.
func file(major byte, header string, payload ...byte) []byte {
	data := append([]byte(magic), major, 0)
	if major == 1 {
		data = binary.LittleEndian.AppendUint16(data, uint16(len(header)))
	} else {
		data = binary.LittleEndian.AppendUint32(data, uint32(len(header)))
	}
	return append(append(data, header...), payload...)
}

func dict(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }   \n", descr, fortran, shape)
}

func TestDecode(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want Array
	}{
		{"version 1", file(1, dict("'<i2'", "False", "(2,)"), 1, 0, 2, 0), Array{"i16", []int{2}, []byte{1, 0, 2, 0}}},
		{"version 2", file(2, dict("'<f4'", "False", "(1, 1)"), 0, 0, 128, 63), Array{"f32", []int{1, 1}, []byte{0, 0, 128, 63}}},
		{"version 3", file(3, dict("'|u1'", "False", "(3,)"), 1, 2, 3), Array{"u8", []int{3}, []byte{1, 2, 3}}},
		{"a single number", file(1, dict("'<i2'", "False", "()"), 1, 0), Array{"i16", []int{}, []byte{1, 0}}},
		{"nothing", file(1, dict("'<f8'", "False", "(0, 7)")), Array{"f64", []int{0, 7}, []byte{}}},
		{"booleans", file(1, dict("'|b1'", "False", "(2,)"), 1, 0), Array{"u8", []int{2}, []byte{1, 0}}},
		{"one dimension in Fortran order", file(1, dict("'|i1'", "True", "(2,)"), 1, 0), Array{"i8", []int{2}, []byte{1, 0}}},
		{"double quotes, other order", file(1, "{\"shape\": (2L,), \"fortran_order\": False, \"descr\": \"|i1\"}", 1, 0), Array{"i8", []int{2}, []byte{1, 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Decode(tt.data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Errorf("array (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	whole := file(1, dict("'<i2'", "False", "(2,)"), 1, 0, 2, 0)
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "not an npy file"},
		{"other bytes", []byte("BC\xc0\xde"), "not an npy file"},
		{"only the magic", []byte(magic), "cut off"},
		{"half a header", whole[:30], "cut off"},
		{"half the data", whole[:len(whole)-1], "holds 3 bytes of data, its header says 4"},
		{"more data", append(whole[:len(whole):len(whole)], 0), "holds 5 bytes of data"},
		{"version 4", file(4, ""), "version 4 is unknown"},
		{"version 2 cut off", file(2, "")[:10], "cut off"},
		{"big endian", file(1, dict("'>i2'", "False", "(1,)"), 0, 1), "little endian, are read"},
		{"complex", file(1, dict("'<c8'", "False", "(1,)"), make([]byte, 8)...), `npy type "<c8"`},
		{"wide booleans", file(1, dict("'<b2'", "False", "(1,)"), 0, 1), `npy type "<b2"`},
		{"structured", file(1, dict("[('a', '<i4')]", "False", "(1,)"), 0, 0, 0, 0), "structured types are not read"},
		{"Fortran", file(1, dict("'|i1'", "True", "(1, 1)"), 1), "ascontiguousarray"},
		{"huge", file(1, dict("'<i8'", "False", "(4294967296, 4294967296)")), "too large"},
		{"negative", file(1, dict("'<i8'", "False", "(-1,)")), "holds no number"},
		{"no tuple", file(1, dict("'<i8'", "False", "3")), "no tuple"},
		{"no comma", file(1, dict("'<i8'", "False", "(3 4)")), "no comma"},
		{"no dictionary", file(1, "descr"), "no dictionary"},
		{"unfinished", file(1, "{'descr': '<i8'"), "quoted string is missing"},
		{"missing key", file(1, "{'descr': '<i8'}"), "is missing"},
		{"twice", file(1, "{'descr': '<i8', 'descr': '<i8'}"), "twice"},
		{"unknown key", file(1, "{'order': '<i8'}"), "unknown key"},
		{"text after", file(1, dict("'|i1'", "False", "(1,)")+"x", 1), "text after"},
		{"neither", file(1, dict("'|i1'", "None", "(1,)"), 1), "neither True nor False"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Decode(tt.data)
			if err == nil || !strings.Contains(err.Error(), tt.want) || got != nil {
				t.Errorf("Decode = %v, %v, want an error with %q", got, err, tt.want)
			}
		})
	}
}

func TestEncode(t *testing.T) {
	for _, name := range []string{"i8", "i16", "u32", "f16", "f32", "f64"} {
		data := []byte{1, 2, 3, 4, 5, 6, 7, 8}
		encoded, err := Encode(name, data)
		if err != nil {
			t.Fatal(err)
		}
		if start := len(encoded) - len(data); start%64 != 0 || encoded[start-1] != '\n' {
			t.Errorf("%s: data begins at %d after %q", name, start, encoded[start-1])
		}
		array, err := Decode(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if array.Type != name || string(array.Data) != string(data) {
			t.Errorf("%s came back as %s %v", name, array.Type, array.Data)
		}
	}
	for _, name := range []string{"", "x", "f", "q32", "f128", "i0", "i-8"} {
		if got, err := Encode(name, make([]byte, 16)); err == nil || got != nil {
			t.Errorf("Encode(%q) = %d bytes, %v, want an error", name, len(got), err)
		}
	}
	if _, err := Encode("f32", make([]byte, 6)); err == nil {
		t.Error("six bytes as f32: no error")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(file(1, dict("'<i2'", "False", "(2,)"), 1, 0, 2, 0))
	f.Add(file(2, dict("'<f4'", "True", "(1, 0)")))
	f.Fuzz(func(t *testing.T, data []byte) {
		array, err := Decode(data)
		if (array == nil) != (err != nil) {
			t.Fatalf("Decode = %v, %v", array, err)
		}
		if err != nil {
			return
		}
		elements := 1
		for _, n := range array.Shape {
			elements *= n
		}
		if len(array.Data) > len(data) || elements > 0 && len(array.Data)%elements != 0 {
			t.Fatalf("shape %v of %s over %d bytes", array.Shape, array.Type, len(array.Data))
		}
	})
}
