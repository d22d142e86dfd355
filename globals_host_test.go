package kiln_test

import (
	"testing"

	"github.com/kilnjit/kiln"
)

func look(t *testing.T, m *kiln.Module) (values [9]int32) {
	t.Helper()
	for i := range values {
		launch(t, m, "look", kiln.Const(int32(i)), kiln.Result(&values[i]))
	}
	return values
}

// Variables of host code: static ones, those of functions, aliases, pointers to
// others and to functions, and those that constructors set, which run once.
func TestHostGlobals(t *testing.T) {
	e := open(t, kiln.Options{})
	m := loadFile(t, e, "testdata/globals/host.bc")
	want := [9]int32{5, 321, 2, 9, 1, 2, 41, 1, 14}
	if got := look(t, m); got != want {
		t.Errorf("at first %v, want %v", got, want)
	}
	for calls := range int32(3) {
		var n int32
		launch(t, m, "bump", kiln.Arg(int32(10)), kiln.Result(&n))
		if n != calls+1 {
			t.Errorf("call %d counts %d", calls+1, n)
		}
	}
	var n int32
	if launch(t, m, "bump", kiln.Const(int32(10)), kiln.Result(&n)); n != 4 {
		t.Errorf("another form of the function counts %d calls, want 4", n)
	}
	set[int32](t, m, "array", 4, 5)
	want = [9]int32{45, 4 + 50 + 4300, 5, 9, 41, 42, 41, 1, 14}
	if got := look(t, m); got != want {
		t.Errorf("afterwards %v, want %v", got, want)
	}
	// A function whose address one kernel stored is called by another.
	launch(t, m, "use_thrice", kiln.Result(&n))
	if got := look(t, m)[8]; got != 21 {
		t.Errorf("through the stored address: %d, want 21", got)
	}
}

// Destructors of a module's variables run once, after its kernels are gone.
func TestDestructors(t *testing.T) {
	e := open(t, kiln.Options{})
	m := loadFile(t, e, "testdata/globals/ends.bc")
	var first, again int32
	told := new(int32)
	launch(t, m, "started_at_first_use", kiln.Arg(int32(5)), kiln.Result(&first))
	launch(t, m, "started_at_first_use", kiln.Const(int32(6)), kiln.Result(&again))
	launch(t, m, "tell", kiln.Arg(told))
	if first != 5 || again != 5 || *told != 0 {
		t.Errorf("%d, then %d, told %d; want 5, 5, 0", first, again, *told)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if *told != 101 {
		t.Errorf("the destructors told %d, want 101", *told)
	}
}

// A constructor runs before the first kernel, even of a module that has no
// variables.
func TestConstructorWithoutVariables(t *testing.T) {
	m := loadFile(t, open(t, kiln.Options{}), "testdata/globals/constructor.bc")
	var constructed int32
	launch(t, m, "constructed", kiln.Result(&constructed))
	if constructed != 1 {
		t.Error("the constructor has not run")
	}
}
