package worker

import (
	"bytes"
	"io"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fill sets everything in v to something, no two fields to the same. Errors
// stay nil: they do not travel as such.
func fill(v reflect.Value, next *int) {
	*next++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*next))
	case reflect.Uint8, reflect.Uint32:
		v.SetUint(uint64(*next))
	case reflect.String:
		v.SetString("text " + string(rune('A'+*next)) + "\x00\xff")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), next)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), next)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), next)
		}
	case reflect.Interface:
	default:
		panic("a field of kind " + v.Kind().String())
	}
}

// Everything that a message has comes over: a field that is forgotten, or added
// to a request and not here, shows.
func TestWireCarriesEveryField(t *testing.T) {
	for _, made := range []func() value{
		func() value { return new(greeting) }, func() value { return new(welcome) },
		func() value { return new(question) }, func() value { return new(message) },
	} {
		for _, full := range []bool{true, false} {
			want, got := made(), made()
			if next := 0; full {
				fill(reflect.ValueOf(want).Elem(), &next)
			}
			var pipe bytes.Buffer
			if err := send(&pipe, want); err != nil {
				t.Fatal(err)
			}
			whole := bytes.Clone(pipe.Bytes())
			if err := receive(&pipe, got); err != nil {
				t.Errorf("%T: %v", want, err)
			}
			if diff := cmp.Diff(want, got); diff != "" || pipe.Len() > 0 {
				t.Errorf("%T: %d bytes left (-sent +received):\n%s", want, pipe.Len(), diff)
			}
			for n := range whole {
				if err := receive(bytes.NewReader(whole[:n]), made()); err == nil {
					t.Errorf("%T: no error from %d of %d bytes", want, n, len(whole))
				}
			}
		}
	}
}

func FuzzReceive(f *testing.F) {
	for _, v := range []value{&message{Event: &event{Warning: "w"}, Reply: []byte("r")}, &message{Fault: &failure{Matches: []int{1, 2}}}} {
		var b bytes.Buffer
		if err := send(&b, v); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte("\xff\xff\xff\xff any program's output"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var m message
		if receive(bytes.NewReader(data), &m) != nil {
			return
		}
		var b bytes.Buffer
		if err := send(&b, &m); err != nil {
			t.Fatal(err)
		}
		var again message
		if err := receive(&b, &again); err != nil {
			t.Fatalf("a message read and sent again: %v", err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Errorf("sent again:\n%s", diff)
		}
	})
}

func TestReceiveAtTheEnd(t *testing.T) {
	if err := receive(bytes.NewReader(nil), new(welcome)); err != io.EOF {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}
