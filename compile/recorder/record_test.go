package recorder_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/compile/manifest"
	"github.com/kilnjit/kiln/compile/recorder"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

func sample() compile.Request {
	return compile.Request{
		Module: []byte("define void @k() {\n  ret void\n}\n"),
		Kernel: "_Z5saxpyPf größe \"'`",
		Target: target.Target{Triple: "x86_64-unknown-linux-gnu", Processor: "znver4", Features: "+avx2,-fma"},
		Spec: specialize.Spec{
			Constants: []specialize.Constant{{Index: 2, Bytes: []byte{0, 0, 0xc0, 0x7f}}, {Index: 11, Bytes: []byte{5}}},
			Block:     [3]uint32{256, 2, 1}, Grid: [3]uint32{1, 2, 3},
		},
		Options:   compile.Options{Opt: compile.Oz, Codegen: compile.CodegenLess, Pipeline: "default<O1>,sroa", Debug: true},
		Toolchain: compile.Toolchain{BuildID: "ab", Version: "22.1"},
	}
}

func noConstant(argument, value string) (specialize.Constant, error) {
	return specialize.Constant{}, errors.New("not asked for")
}

// What is recorded asks for the same compile, in every field: the key tells.
func TestRecordedRequestsAreTheSame(t *testing.T) {
	variables := compile.Request{Module: []byte("x"), Variables: true, Target: target.Target{Triple: "nvptx64-nvidia-cuda", Processor: "sm_80"}}
	for _, want := range []compile.Request{sample(), variables} {
		dir := t.TempDir()
		if err := recorder.New(dir + "/a/b").Record(&want); err != nil {
			t.Fatal(err)
		}
		kernels, err := manifest.Read(dir + "/a/b")
		if err != nil || len(kernels) != 1 {
			t.Fatalf("%d kernels, %v", len(kernels), err)
		}
		got, err := kernels[0].Request(22, noConstant)
		if err != nil {
			t.Fatal(err)
		}
		if got.Module, err = os.ReadFile(kernels[0].Module); err != nil {
			t.Fatal(err)
		}
		got.Toolchain = want.Toolchain
		if got.Digest() != want.Digest() {
			t.Errorf("another key:\n%s", cmp.Diff(want, got))
		}
	}
}

// Each field of a request is in the manifest, or one of those that whoever
// compiles supplies.
func TestEveryFieldIsRecorded(t *testing.T) {
	supplied := map[string]bool{"Module": true, "ModuleDigest": true, "Toolchain": true, "Tools": true, "Limits": true}
	base := compile.Request{Target: target.Target{Triple: "x86_64-unknown-linux-gnu", Processor: "znver4"}}
	before, err := recorder.Of(&base, "m")
	if err != nil {
		t.Fatal(err)
	}
	var walk func(v reflect.Value, path string, r *compile.Request)
	walk = func(v reflect.Value, path string, r *compile.Request) {
		if supplied[path] {
			return
		}
		old := reflect.ValueOf(v.Interface())
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), r)
			}
			return
		case reflect.String:
			v.SetString("skylake")
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Uint8, reflect.Uint32:
			v.SetUint(2)
		case reflect.Array:
			v.Index(1).SetUint(7)
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		default:
			t.Fatalf("%s: a field of kind %v", path, v.Kind())
		}
		after, err := recorder.Of(r, "m")
		if err != nil {
			t.Fatal(err)
		}
		if cmp.Equal(before, after) {
			t.Errorf("the manifest does not depend on %s", path)
		}
		v.Set(old)
	}
	walk(reflect.ValueOf(&base).Elem(), "", &base)
}

func TestNamesThatNoManifestHolds(t *testing.T) {
	r := sample()
	r.Kernel = "k\xff"
	if _, err := recorder.Of(&r, "m"); err == nil || !strings.Contains(err.Error(), `"k\xff"`) {
		t.Errorf("%v", err)
	}
	if err := recorder.New(t.TempDir()).Record(&r); err == nil {
		t.Error("recorded all the same")
	}
}

func TestRequestRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"target": "pdp11"}`:              "pdp11",
		`{"opt": "O9"}`:                    `"O9"`,
		`{"codegen": "most"}`:              `"most"`,
		`{"constants": {"x": "bytes:00"}}`: "constant x=bytes:00",
		`{"constants": {"0": "bytes:0"}}`:  "odd length",
		`{"constants": {"0": "bytes:zz"}}`: "invalid byte",
		`{"constants": {"alpha": "2.5"}}`:  "constant alpha=2.5: not asked for",
	} {
		k := recorder.Kernel{Module: "m.bc", Kernel: "k"}
		if err := json.Unmarshal([]byte(text), &k); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Request(22, noConstant); !errors.Is(err, recorder.ErrKernel) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "m.bc") {
			t.Errorf("%s: %v; want %q", text, err, want)
		}
	}
}

// Constants come in the order of their arguments, however they are given.
func TestRequestSortsConstants(t *testing.T) {
	k := recorder.Kernel{Module: "m", Kernel: "k", Constants: map[string]string{"10": "bytes:01", "2": "bytes:02", "n": "3"}}
	r, err := k.Request(22, func(argument, value string) (specialize.Constant, error) {
		return specialize.Constant{Index: 5, Bytes: []byte(argument + value)}, nil
	})
	want := []specialize.Constant{{Index: 2, Bytes: []byte{2}}, {Index: 5, Bytes: []byte("n3")}, {Index: 10, Bytes: []byte{1}}}
	if err != nil || cmp.Diff(want, r.Spec.Constants) != "" {
		t.Errorf("%v, %v", r.Spec.Constants, err)
	}
	if r.Target == (target.Target{}) {
		t.Error("no target of this machine")
	}
}

// Recorders that use one folder at once leave each kernel once, and nothing else.
func TestManyRecorders(t *testing.T) {
	dir := t.TempDir()
	var group sync.WaitGroup
	for range 8 {
		w := recorder.New(dir)
		group.Go(func() {
			for i := range 20 {
				r := sample()
				r.Spec.Block[0] = uint32(i%10 + 1)
				if err := w.Record(&r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 11 {
		t.Errorf("%d files, %v; want 10 manifests and a module", len(entries), err)
	}
	if kernels, err := manifest.Read(dir); err != nil || len(kernels) != 10 {
		t.Errorf("%d kernels, %v", len(kernels), err)
	}
}

// A folder that cannot be written to is an error, each time for a new kernel.
func TestRecordToNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := recorder.New(file + "/record")
	for i := range 2 {
		r := sample()
		r.Spec.Block[0] = uint32(i)
		if err := w.Record(&r); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%v", err)
		}
	}
}

// What is written is the JSON that package json makes of the same kernel, and
// has every field.
func TestJSON(t *testing.T) {
	r := sample()
	r.Kernel = "\x00\x1f\x7f\t\n\\\"<é\u2028"
	r.Variables = true
	r.Spec.MaxBlock, r.Spec.MinBlocks, r.Options.CodeObject = 7, 8, 5
	for _, r := range []compile.Request{r, {Kernel: "k", Target: r.Target}} {
		dir := t.TempDir()
		if err := recorder.New(dir).Record(&r); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(dir + "/*.json")
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		module, err := filepath.Glob(dir + "/*.bc")
		if err != nil || len(module) != 1 {
			t.Fatal(module, err)
		}
		k, err := recorder.Of(&r, filepath.Base(module[0]))
		if err != nil {
			t.Fatal(err)
		}
		if v := reflect.ValueOf(k); r.Variables {
			for i := range v.NumField() {
				if v.Field(i).IsZero() {
					t.Errorf("the sample leaves out %s", v.Type().Field(i).Name)
				}
			}
		}
		again, err := json.Marshal(manifest.Manifest{Kernels: []manifest.Kernel{k}})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
