package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kilnjit/kiln/target"
)

var update = flag.Bool("update", false, "rewrite golden files")

// fill sets every field below v to a value that is not zero and, where it can,
// differs from the others: n counts the fields.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(t, v.Index(i), n)
		}
	case reflect.String:
		v.SetString(strings.Repeat("s", *n))
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Uint32:
		v.SetUint(uint64(*n) | 0xA0B0C000)
	case reflect.Uint64:
		v.SetUint(uint64(*n) | 0xA0B0C0D0E0F00000)
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("the codec knows no field of kind %v", v.Kind())
	}
}

// leaves calls f for every field below v that is no struct, array or slice, and
// for every slice.
func leaves(v reflect.Value, path string, f func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			leaves(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
		return
	case reflect.Array:
		for i := range v.Len() {
			leaves(v.Index(i), path, f)
		}
		return
	case reflect.Slice:
		for i := range v.Len() {
			leaves(v.Index(i), path+"[]", f)
		}
	}
	f(path, v)
}

func TestImageCarriesEveryField(t *testing.T) {
	var want Image
	n := 0
	fill(t, reflect.ValueOf(&want).Elem(), &n)
	b := want.Marshal()
	got, err := UnmarshalImage(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Fatalf("round trip (-want +got):\n%s", diff)
	}
	leaves(reflect.ValueOf(&want).Elem(), "Image", func(path string, v reflect.Value) {
		old := reflect.ValueOf(v.Interface())
		v.Set(reflect.Zero(v.Type()))
		if bytes.Equal(want.Marshal(), b) {
			t.Errorf("the encoding does not depend on %s", path)
		}
		v.Set(old)
	})
}

func TestSummaryCarriesEveryField(t *testing.T) {
	var want Summary
	n := 0
	fill(t, reflect.ValueOf(&want).Elem(), &n)
	b := want.Marshal()
	got, err := UnmarshalSummary(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Fatalf("round trip (-want +got):\n%s", diff)
	}
	leaves(reflect.ValueOf(&want).Elem(), "Summary", func(path string, v reflect.Value) {
		old := reflect.ValueOf(v.Interface())
		v.Set(reflect.Zero(v.Type()))
		if bytes.Equal(want.Marshal(), b) {
			t.Errorf("the encoding does not depend on %s", path)
		}
		v.Set(old)
	})
}

func sampleImage() *Image {
	return &Image{
		Format:       Object,
		Target:       target.Target{Triple: "x86_64-unknown-linux-gnu", Processor: "znver4", Features: "+avx2,-avx512f"},
		Kernel:       "saxpy",
		Entry:        "kiln.saxpy",
		Convention:   Grid,
		Block:        [3]uint32{256, 1, 1},
		Grid:         [3]uint32{64, 2, 1},
		MaxBlock:     1024,
		ParamBytes:   32,
		StackBytes:   128,
		ContextBytes: 1 << 33,
		Globals:      []Slot{{Index: 3, Name: "counter", Bytes: 4, Align: 4}},
		Variables:    []Slot{{Index: 3, Name: "counter", Bytes: 4, Align: 4}, {Index: 9, Name: "table", Bytes: 1 << 34, Align: 64, Constant: true}},
		Constructors: true,
		Resources:    Resources{Registers: 32, Scalars: 14, Accumulators: 4, SpillBytes: 16, LocalBytes: 48, SharedBytes: 1024, Wave: 64},
		Undefined:    []string{"expf", "memcpy"},
		Remarks:      []string{"vectorised by 16"},
		Payload:      []byte("\x7fELF payload"),
	}
}

func sampleSummary() *Summary {
	return &Summary{
		Producer: "LLVM22.1.8", Triple: "nvptx64-nvidia-cuda", DataLayout: "e-i64:64",
		Kernels: []Kernel{{
			Name: "saxpy", Convention: Grid,
			Params: []Param{
				{Name: "y", Kind: Pointer, Type: "ptr", Size: 8, Align: 8, WriteOnly: true},
				{Kind: Scalar, Type: "float", Size: 4, Align: 4, Offset: 8},
			},
			ParamBytes: 16, ParamAlign: 8, ReqdBlock: [3]uint32{64, 1, 1}, MaxBlock: 64, SharedBytes: 4096, DynamicShared: true,
		}},
		Globals: []Global{{Name: "table", Bytes: 1 << 34, Align: 16, Constant: true, Initialised: true, AddressSpace: 4}},
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile("testdata/"+name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, name); !bytes.Equal(got, want) {
		t.Errorf("%s: the encoding changed without a new version:\n%q\nwant\n%q", name, got, want)
	}
}

func TestGolden(t *testing.T) {
	golden(t, "image.golden", sampleImage().Marshal())
	golden(t, "summary.golden", sampleSummary().Marshal())
	im, err := UnmarshalImage(read(t, "image.golden"))
	if diff := cmp.Diff(sampleImage(), im); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	s, err := UnmarshalSummary(read(t, "summary.golden"))
	if diff := cmp.Diff(sampleSummary(), s); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestEmptyValues(t *testing.T) {
	s, err := UnmarshalSummary((&Summary{Kernels: []Kernel{}}).Marshal())
	if diff := cmp.Diff(&Summary{}, s); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	im, err := UnmarshalImage((&Image{Format: PTX, Payload: []byte{}}).Marshal())
	if diff := cmp.Diff(&Image{Format: PTX}, im); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestPayloadAliases(t *testing.T) {
	b := sampleImage().Marshal()
	im, err := UnmarshalImage(b)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] = '!'
	if string(im.Payload) != "\x7fELF payloa!" {
		t.Errorf("payload %q was copied", im.Payload)
	}
	if cap(im.Payload) != len(im.Payload) {
		t.Error("an append to the payload would write into the input")
	}
	for i := range b {
		b[i] = 0
	}
	if im.Kernel != "saxpy" || im.Undefined[1] != "memcpy" {
		t.Errorf("the head aliases the input: %+v", im)
	}
}

// The least size of a list's element bounds what a damaged count allocates.
func TestLeastSizes(t *testing.T) {
	for _, tc := range []struct {
		name  string
		least int
		each  func(*coder)
	}{
		{"Param", leastParam, func(c *coder) { paramFields(c, new(Param)) }},
		{"Kernel", leastKernel, func(c *coder) { kernelFields(c, new(Kernel)) }},
		{"Global", leastGlobal, func(c *coder) { globalFields(c, new(Global)) }},
		{"Slot", leastSlot, func(c *coder) { slotFields(c, new(Slot)) }},
	} {
		c := coder{writing: true}
		tc.each(&c)
		if len(c.out) != tc.least {
			t.Errorf("an empty %s takes %d bytes, the bound says %d", tc.name, len(c.out), tc.least)
		}
	}
}

func TestDecodingRefuses(t *testing.T) {
	im, s := sampleImage().Marshal(), sampleSummary().Marshal()
	at := func(i int, v byte) func([]byte) []byte {
		return func(b []byte) []byte { b[i] = v; return b }
	}
	for _, tc := range []struct {
		name  string
		in    []byte
		patch func([]byte) []byte
		want  string
	}{
		{"trailing byte", im, func(b []byte) []byte { return append(b, 0) }, "its payload has 12 bytes, 13 are there"},
		{"other magic", im, at(0, 'K'), `it begins "Kilnimg", not "kilnimg"`},
		{"other version", im, at(7, 9), "it has format version 9, this reader version 3"},
		{"format 0", im, at(12, 0), "Format has no value 0"},
		{"format 9", im, at(12, 9), "Format has no value 9"},
		{"convention 2", im, at(13, 2), "Convention has no value 2"},
		{"longer head", im, at(8, im[8]+4), "too many in its head"},
		{"huge string", im, at(17, 0xFF), "reaches past the end"},
		{"summary as image", s, func(b []byte) []byte { return b }, "it begins"},
	} {
		got, err := UnmarshalImage(tc.patch(bytes.Clone(tc.in)))
		if got != nil || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("image, %s: %v, %v; want %q", tc.name, got, err, tc.want)
		}
	}
	for n := range im {
		if got, err := UnmarshalImage(im[:n]); got != nil || !errors.Is(err, ErrFormat) {
			t.Fatalf("first %d bytes of an image: %v, %v", n, got, err)
		}
	}
	for n := range s {
		if got, err := UnmarshalSummary(s[:n]); got != nil || !errors.Is(err, ErrFormat) {
			t.Fatalf("first %d bytes of a summary: %v, %v", n, got, err)
		}
	}
	if got, err := UnmarshalSummary(append(bytes.Clone(s), 0)); got != nil || !strings.Contains(err.Error(), "1 bytes follow its end") {
		t.Errorf("summary with a trailing byte: %v, %v", got, err)
	}
}

func TestDamagedCountAllocatesLittle(t *testing.T) {
	b := (&Summary{}).Marshal()
	binary.LittleEndian.PutUint32(b[len(b)-4:], 0xFFFFFFFF)
	n := testing.AllocsPerRun(10, func() {
		if _, err := UnmarshalSummary(b); !errors.Is(err, ErrFormat) {
			t.Fatal(err)
		}
	})
	if n > 12 {
		t.Errorf("%v allocations for a damaged count", n)
	}
}

func FuzzUnmarshalImage(f *testing.F) {
	f.Add(sampleImage().Marshal())
	f.Add((&Image{Format: PTX}).Marshal())
	f.Fuzz(func(t *testing.T, b []byte) {
		im, err := UnmarshalImage(b)
		if (im == nil) != (err != nil) || err != nil && !errors.Is(err, ErrFormat) {
			t.Fatalf("%v with error %v", im, err)
		}
		if im != nil && !bytes.Equal(im.Marshal(), b) {
			t.Fatalf("%q is encoded again as %q", b, im.Marshal())
		}
	})
}

func FuzzUnmarshalSummary(f *testing.F) {
	f.Add(sampleSummary().Marshal())
	f.Add((&Summary{}).Marshal())
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := UnmarshalSummary(b)
		if (s == nil) != (err != nil) || err != nil && !errors.Is(err, ErrFormat) {
			t.Fatalf("%v with error %v", s, err)
		}
		if s != nil && !bytes.Equal(s.Marshal(), b) {
			t.Fatalf("%q is encoded again as %q", b, s.Marshal())
		}
	})
}

func BenchmarkUnmarshalImage(b *testing.B) {
	im := sampleImage()
	im.Payload = make([]byte, 10<<10)
	in := im.Marshal()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := UnmarshalImage(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnmarshalSummary(b *testing.B) {
	in := sampleSummary().Marshal()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := UnmarshalSummary(in); err != nil {
			b.Fatal(err)
		}
	}
}
