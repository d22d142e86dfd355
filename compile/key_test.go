package compile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kilnjit/kiln/compile/tool"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with the file testdata/name, or writes it under -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func sampleRequest() *Request {
	return &Request{
		Module:       []byte("define void @f() { ret void }"),
		ModuleDigest: sha256.Sum256([]byte("define void @f() { ret void }")),
		Kernel:       "f",
		Target:       target.Target{Triple: "x86_64-unknown-linux-gnu", Processor: "znver4", Features: "+avx2"},
		Spec: specialize.Spec{
			Constants: []specialize.Constant{{Index: 1, Bytes: []byte{5, 0, 0, 0}}},
			Block:     [3]uint32{256, 1, 1},
			Grid:      [3]uint32{64, 2, 1},
		},
		Options:   Options{Opt: O2, Codegen: CodegenLess, Pipeline: "default<O1>", Debug: true, CodeObject: 5},
		Toolchain: Toolchain{BuildID: "0123456789abcdef", Version: "22.1"},
		Limits:    target.Limits{PTX: 78, SharedBytes: 65536},
		Tools: Tools{
			Assembler: tool.Identity{Name: tool.PTXAS, Version: "12.9", Digest: "sha256:12"},
			Library:   tool.Identity{Name: tool.Libdevice, Digest: "sha256:34"},
		},
	}
}

// unkeyed lists the request's fields that are not in the key, each with its reason.
var unkeyed = map[string]string{
	"Module": "counts by ModuleDigest, which is given",
}

// Every leaf of a request is in the key or on the list above: a field that is
// added and forgotten fails here.
func TestEveryFieldIsInTheKey(t *testing.T) {
	base := sampleRequest().Digest()
	leaves := 0
	walk(t, reflect.TypeFor[Request](), "", nil, func(path string, index []step) {
		leaves++
		r := sampleRequest()
		v := reflect.ValueOf(r).Elem()
		for _, s := range index {
			v = s(v)
		}
		flip(t, path, v)
		changed := r.Digest() != base
		if _, listed := unkeyed[path]; listed == changed {
			t.Errorf("%s: key changes: %v, on the list of exceptions: %v", path, changed, listed)
		}
	})
	if leaves < 15 {
		t.Errorf("walked %d leaves, want at least 15: the walk does not reach them", leaves)
	}
	for path := range unkeyed {
		if _, ok := reflect.TypeFor[Request]().FieldByName(path); !ok {
			t.Errorf("exception %q is no field", path)
		}
	}
}

type step func(reflect.Value) reflect.Value

// walk calls leaf for each field below typ that holds no other field. Of a
// slice or array of structs it takes the first member.
func walk(t *testing.T, typ reflect.Type, path string, index []step, leaf func(string, []step)) {
	t.Helper()
	extend := func(s step) []step { return append(append([]step(nil), index...), s) }
	switch typ.Kind() {
	case reflect.Struct:
		for i := range typ.NumField() {
			name := strings.TrimPrefix(path+"."+typ.Field(i).Name, ".")
			walk(t, typ.Field(i).Type, name, extend(func(v reflect.Value) reflect.Value { return v.Field(i) }), leaf)
		}
	case reflect.Array:
		for i := range typ.Len() {
			walk(t, typ.Elem(), fmt.Sprintf("%s[%d]", path, i), extend(func(v reflect.Value) reflect.Value { return v.Index(i) }), leaf)
		}
	case reflect.Slice:
		leaf(path, index)
		if typ.Elem().Kind() == reflect.Struct {
			walk(t, typ.Elem(), path+"[0]", extend(func(v reflect.Value) reflect.Value { return v.Index(0) }), leaf)
		}
	default:
		leaf(path, index)
	}
}

// flip changes the value of one leaf; a slice gets one member more.
func flip(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	default:
		t.Fatalf("%s: the test cannot flip a %s: teach it", path, v.Kind())
	}
}

func TestModuleDigestIsComputedWhenAbsent(t *testing.T) {
	with, without := sampleRequest(), sampleRequest()
	without.ModuleDigest = [32]byte{}
	if with.Digest() != without.Digest() {
		t.Error("a request without the module's digest has another key than one with it")
	}
	if without.ModuleDigest != ([32]byte{}) {
		t.Error("Digest modified the request")
	}
	without.Module = append(without.Module, '\n')
	if with.Digest() == without.Digest() {
		t.Error("another module gives the same key")
	}
}

// The keys of fixed requests stay what they are until Revision changes; a
// change here makes every stored image a miss (cupy/cupy PR#10187: the algorithm
// had changed, and nobody could tell why everything missed).
func TestGoldenKeys(t *testing.T) {
	var b strings.Builder
	for _, r := range []*Request{sampleRequest(), {}} {
		if err := r.Describe(&b); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
	}
	summary := SummaryDigest(sampleRequest().ModuleDigest, sampleRequest().Toolchain)
	fmt.Fprintf(&b, "%-16s %s\n", "summary:", hex.EncodeToString(summary[:]))
	golden(t, "keys.golden", b.String())
}

func genRequest(t *rapid.T, name string) *Request {
	text := func(what string) string {
		return rapid.StringOfN(rapid.RuneFrom([]rune("a\x00\x01,")), 0, 3, -1).Draw(t, name+" "+what)
	}
	return &Request{
		ModuleDigest: [32]byte{1, rapid.Byte().Draw(t, name+" module") & 1},
		Kernel:       text("kernel"),
		Target:       target.Target{Triple: text("triple"), Processor: text("processor"), Features: text("features")},
		Spec:         specialize.Spec{Block: [3]uint32{rapid.Uint32Range(0, 2).Draw(t, name+" block")}},
		Options: Options{
			Opt:      OptLevel(rapid.IntRange(0, 2).Draw(t, name+" opt")),
			Pipeline: text("pipeline"),
			Debug:    rapid.Bool().Draw(t, name+" debug"),
		},
		Toolchain: Toolchain{BuildID: text("build"), Version: text("version")},
	}
}

func preimage(r *Request) []byte {
	var k keyWriter
	r.writeKey(&k)
	return k.preimage
}

// Different requests have different pre-images, also where one's text runs on
// into the next field (tinygrad/tinygrad PR#15811).
func TestPreimageIsInjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genRequest(t, "a"), genRequest(t, "b")
		if rapid.Bool().Draw(t, "near") {
			c := *a
			b = &c
			joined := a.Kernel + a.Target.Triple
			cut := rapid.IntRange(0, len(joined)).Draw(t, "cut")
			b.Kernel, b.Target.Triple = joined[:cut], joined[cut:]
		}
		same := bytes.Equal(preimage(a), preimage(b))
		if equal := cmp.Equal(a, b); same != equal {
			t.Fatalf("pre-images equal: %v, requests equal: %v\n%+v\n%+v", same, equal, a, b)
		}
	})
}

func TestSummaryDigest(t *testing.T) {
	module, tools := [32]byte{1}, Toolchain{BuildID: "ab", Version: "22.1"}
	base := SummaryDigest(module, tools)
	for name, other := range map[string][32]byte{
		"module":   SummaryDigest([32]byte{2}, tools),
		"build id": SummaryDigest(module, Toolchain{BuildID: "ac", Version: "22.1"}),
		"version":  SummaryDigest(module, Toolchain{BuildID: "ab", Version: "22.2"}),
		"border":   SummaryDigest(module, Toolchain{BuildID: "ab2", Version: "2.1"}),
	} {
		if other == base {
			t.Errorf("another %s gives the same key", name)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, l := range []OptLevel{O0, O1, O2, O3, Os, Oz} {
		if got, err := ParseOptLevel(l.String()); err != nil || got != l {
			t.Errorf("ParseOptLevel(%q) = %v, %v", l.String(), got, err)
		}
	}
	for _, l := range []CodegenLevel{CodegenNone, CodegenLess, CodegenDefault, CodegenAggressive} {
		if got, err := ParseCodegenLevel(l.String()); err != nil || got != l {
			t.Errorf("ParseCodegenLevel(%q) = %v, %v", l.String(), got, err)
		}
	}
	if _, err := ParseOptLevel("O4"); err == nil || !strings.Contains(err.Error(), `"O4"`) {
		t.Errorf("ParseOptLevel(O4) = %v, want an error that names it", err)
	}
	if _, err := ParseCodegenLevel("fast"); err == nil || !strings.Contains(err.Error(), `"fast"`) {
		t.Errorf("ParseCodegenLevel(fast) = %v, want an error that names it", err)
	}
	if got := OptLevel(9).String(); got != "OptLevel(9)" {
		t.Errorf("OptLevel(9).String() = %q", got)
	}
}

func BenchmarkDigest(b *testing.B) {
	r := sampleRequest()
	b.ReportAllocs()
	for b.Loop() {
		r.Digest()
	}
}
