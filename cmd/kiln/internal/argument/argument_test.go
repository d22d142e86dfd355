package argument

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kilnjit/kiln/cmd/kiln/internal/npy"
)

func TestParse(t *testing.T) {
	f32 := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	tests := map[string]Argument{
		"i32=5":                  {Type: I32, bits: 5},
		"i32=-5":                 {Type: I32, bits: math.MaxUint64 - 4},
		"i8=-128":                {Type: I8, bits: math.MaxUint64 - 127},
		"u8=0xff":                {Type: U8, bits: 255},
		"i32=010":                {Type: I32, bits: 10},
		"i32=1M":                 {Type: I32, bits: 1000000},
		"i64=1Gi":                {Type: I64, bits: 1 << 30},
		"u64=0xffffffffffffffff": {Type: U64, bits: math.MaxUint64},
		"const:u8[8]=1":          {Kind: Buffer, Const: true, Type: U8, Count: 8, bits: 1},
		"const:f32=2.5":          {Type: F32, Const: true, bits: f32(2.5)},
		"f64=-inf":               {Type: F64, bits: math.Float64bits(math.Inf(-1))},
		"f16=1":                  {Type: F16, bits: 0x3c00},
		"f32[1M]=rand":           {Kind: Buffer, Type: F32, Count: 1000000, Fill: Random},
		"f32[1Mi]=rand":          {Kind: Buffer, Type: F32, Count: 1 << 20, Fill: Random},
		"i32[64]=0":              {Kind: Buffer, Type: I32, Count: 64},
		"u8[4k]=7":               {Kind: Buffer, Type: U8, Count: 4000, bits: 7},
		"out:f32[64]=1.5":        {Kind: Buffer, Out: true, Type: F32, Count: 64, bits: f32(1.5)},
		"seed:3:f32[1M]=0..1":    {Kind: Buffer, Type: F32, Count: 1000000, Fill: Range, High: 1, Seed: 3},
		"out:seed:3:f32[2]=-1..1": {Kind: Buffer, Out: true, Type: F32, Count: 2, Fill: Range,
			Low: -1, High: 1, Seed: 3},
		"seed:0:out:f64[2]=rand": {Kind: Buffer, Out: true, Type: F64, Count: 2, Fill: Random, Seed: 0},
		"f32[]=@a=b:[c].npy":     {Kind: Buffer, Type: F32, Count: -1, Fill: File, Path: "a=b:[c].npy"},
		"f32[0]=0":               {Kind: Buffer, Type: F32},
		"as:y_1:out:f32[2]=0":    {Kind: Buffer, Name: "y_1", Out: true, Type: F32, Count: 2},
		"use:y":                  {Kind: Use, Name: "y"},
		"out:use:y":              {Kind: Use, Name: "y", Out: true},
		"null":                   {Kind: Null},
		"local=4Ki":              {Kind: Local, Count: 4096},
	}
	for text, want := range tests {
		want.Text = text
		if !strings.Contains(text, "seed:") {
			want.Seed = 8
		}
		got, err := Parse(text, 7)
		if err != nil {
			t.Errorf("Parse(%q): %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Argument{})); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]string{
		"":                           "no value",
		"5":                          "no value",
		"i32":                        "no value",
		"i32=":                       "not a number for i32",
		"i32=x":                      "not a number for i32",
		"i32=2.5":                    "not a number for i32",
		"i32=2147483648":             "does not fit",
		"i8=1k":                      "does not fit",
		"u8=-1":                      "not a number for u8",
		"f16=70000":                  "too large for f16",
		"f32=1e40":                   "too large for f32",
		"float=1":                    "the types are i8 i16",
		"int[4]=1":                   `"int" is not a type`,
		"f32[4=1":                    "no ]",
		"f32[]=0":                    "no count",
		"f32[-1]=0":                  "not a count",
		"f32[1Q]=0":                  "not a count",
		"f32[1kk]=0":                 "is none of k, M, G",
		"f32[99999999999999999999]=": "not a number for f32",
		"f32[8Gi]=":                  "not a number for f32",
		"f64[9G]=0":                  "more than 68719476736 bytes",
		"f32[4]=random":              "not a number for f32",
		"f32[4]=1..0":                "range 1..0 is empty",
		"i32[4]=3..3":                "range 3..3 is empty",
		"i32[4]=0..2.5":              "not a number for i32",
		"f32[4]=0..inf":              "not a bound",
		"f32[]=@":                    "no file name",
		"const:null":                 "const: goes with a number",
		"out:i32=5":                  "out: goes with a buffer",
		"out:out:i32[4]=5":           "stands there twice",
		"seed:x:f32[4]=rand":         `"x" is not a seed`,
		"seed:3:f32[4]=1":            "seed: goes with a random buffer",
		"seed:3:i32=1":               "seed: goes with a random buffer",
		"in:f32[4]=1":                `"in:" is not a prefix`,
		"local=x":                    "not a count",
		"as:y:i32=5":                 "as: goes with a buffer",
		"as::i32[1]=5":               "not a buffer's name",
		"as:a b:i32[1]=5":            "not a buffer's name",
		"as:y:use:y":                 "stands there twice",
		"use:":                       "not a buffer's name",
		"use:f32[4]=0":               "not a buffer's name",
		"const:use:y":                "const: goes with a number",
		"seed:1:use:y":               "seed: goes with a random buffer",
		"out:local=4":                "out: goes with a buffer",
	}
	for text, want := range tests {
		got, err := Parse(text, 2)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): error %v, want one with %q", text, err, want)
			continue
		}
		if !strings.HasPrefix(err.Error(), "argument 2, \""+text) {
			t.Errorf("Parse(%q): error %v does not name the argument", text, err)
		}
		if diff := cmp.Diff(Argument{}, got, cmpopts.EquateEmpty(), cmp.AllowUnexported(Argument{})); diff != "" {
			t.Errorf("Parse(%q): a value beside the error:\n%s", text, diff)
		}
	}
}

func TestGrammarParses(t *testing.T) {
	n := 0
	for line := range strings.Lines(Grammar) {
		for word := range strings.FieldsSeq(line) {
			if strings.ContainsAny(word, "=") || word == "null" || strings.HasPrefix(word, "use:") && word != "use:" {
				n++
				if _, err := Parse(word, 0); err != nil {
					t.Errorf("the grammar's own example does not parse: %v", err)
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("%d examples found in the grammar, want 10 or more", n)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"out:seed:3:f32[1M]=-1..1", "const:f32=2.5", "f32[]=@file.npy", "local=4Ki", "null"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text, 0)
		if (err == nil) != (text != "" && a.Text == text) {
			t.Errorf("Parse(%q) = %+v, %v", text, a, err)
		}
		if err == nil && (a.Count < -1 || a.Kind == Buffer && int64(a.Count)*int64(a.Type.Size()) > MaxBytes) {
			t.Errorf("Parse(%q): count %d is out of bounds", text, a.Count)
		}
	})
}

// values returns what an argument fills its buffer with.
func values(t *testing.T, text string) (Argument, []byte) {
	t.Helper()
	a, err := Parse(text, 0)
	if err != nil {
		t.Fatal(err)
	}
	size, err := a.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, size)
	if err := a.FillBuffer(data); err != nil {
		t.Fatal(err)
	}
	return a, data
}

// TestGenerator holds the generator against its definition and against sums
// that other programs computed from it.
func TestGenerator(t *testing.T) {
	a, data := values(t, "seed:7:f32[300k]=-1..3")
	for _, i := range []int{0, 1, 2, 1000, 299999} {
		u := float64((uint64(i)*2654435761+7*40503+12345)%(1<<32)>>8) / (1 << 24)
		want := float32(-1 + 4*u)
		if got := float32(a.Type.Load(data, i)); got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	_, data = values(t, "seed:9:u8[1000]=rand")
	for i := range data {
		if want := byte((uint64(i)*2654435761 + 9*40503 + 12345) % (1 << 32) >> 24); data[i] != want {
			t.Fatalf("byte %d is %d, want %d", i, data[i], want)
		}
	}
	// 2.5 x + y over seeds 1 and 2 is the expected sum of saxpy.
	x, xs := values(t, "seed:1:f32[16Ki]=0..1")
	y, ys := values(t, "seed:2:f32[16Ki]=rand")
	if got := Sum(y.Type, ys)*2.5 + Sum(x.Type, xs); math.Abs(got-28668.1791) > 0.01 {
		t.Errorf("sum of saxpy is %f, want 28668.1791", got)
	}
}

func TestIntegerRange(t *testing.T) {
	a, data := values(t, "i32[100k]=-3..4")
	counts := map[float64]int{}
	for i := range a.Count {
		counts[a.Type.Load(data, i)]++
	}
	if len(counts) != 7 {
		t.Errorf("values %v, want the seven from -3 to 3", counts)
	}
	for v, n := range counts {
		if v < -3 || v > 3 || n < 12000 || n > 17000 {
			t.Errorf("%v stands there %d times", v, n)
		}
	}
}

func TestFillValue(t *testing.T) {
	for text, want := range map[string]float64{
		"i8[100]=-2": -200, "u16[3]=65535": 3 * 65535, "f16[10]=0.5": 5, "f64[4]=2.25": 9, "i64[200k]=3": 600000, "f32[9]=0": 0,
	} {
		a, data := values(t, text)
		if got := Sum(a.Type, data); got != want {
			t.Errorf("%s sums to %v, want %v", text, got, want)
		}
	}
}

func TestFillFile(t *testing.T) {
	dir := t.TempDir()
	raw := make([]byte, 12)
	for i := range 3 {
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(float32(i)+0.5))
	}
	array, err := npy.Encode("f32", raw)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"a.npy": array, "a.bin": raw} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, count := range []string{"", "3"} {
			a, data := values(t, "f32["+count+"]=@"+path)
			if got := Sum(a.Type, data); got != 4.5 || len(data) != 12 {
				t.Errorf("%s[%s]: %d bytes, sum %v, want 12 and 4.5", name, count, len(data), got)
			}
		}
	}
	for text, want := range map[string]string{
		"f64[]=@" + dir + "/a.npy":  "holds f32, the argument says f64",
		"f64[]=@" + dir + "/a.bin":  "no whole number of f64",
		"f32[4]=@" + dir + "/a.npy": "holds 12 bytes",
		"f32[]=@" + dir + "/none":   "no such file",
	} {
		a, err := Parse(text, 0)
		if err != nil {
			t.Fatal(err)
		}
		size, err := a.Bytes()
		if err == nil {
			err = a.FillBuffer(make([]byte, size))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// TestHalf goes through every half and back.
func TestHalf(t *testing.T) {
	for bits := range 1 << 16 {
		v := float16(uint16(bits))
		if math.IsNaN(v) {
			continue
		}
		if got := float16Bits(v); got != uint16(bits) {
			t.Fatalf("half %#04x is %v, which gives %#04x", bits, v, got)
		}
	}
	for v, want := range map[float64]uint16{
		65519: 0x7bff, 65520: 0x7c00, 1 + 0x1p-11: 0x3c00, 1 + 3*0x1p-11: 0x3c02, 0x1p-25: 0, 3 * 0x1p-26: 1,
		0x1p-14 - 0x1p-26: 0x0400, 2047.9: 0x6800,
	} {
		if got := float16Bits(v); got != want {
			t.Errorf("%v rounds to %#04x, want %#04x", v, got, want)
		}
	}
	if got := float16Bits(math.NaN()); got&0x7c00 != 0x7c00 || got&0x3ff == 0 {
		t.Errorf("NaN gives %#04x", got)
	}
}
