package workload

import (
	"strings"
	"testing"
)

func TestGenerator(t *testing.T) {
	a := Arg{Kind: "f32", N: 3, Seed: 1, Lo: -1, Hi: 1}
	in := a.value().([]float32)
	// u01(i) = ((i*2654435761 + 40503 + 12345) mod 2^32 >> 8) / 2^24
	for i, want := range []float64{206, 10369096, 3960770} {
		if got := (float64(in[i]) + 1) / 2 * (1 << 24); got < want-1 || got > want+1 {
			t.Errorf("element %d is %.1f of 2^24, want %.0f", i, got, want)
		}
	}
	zero := Arg{Kind: "i32", N: 2, Zero: true}
	if got := zero.value().([]int32); len(got) != 2 || got[0] != 0 || got[1] != 0 {
		t.Errorf("zeros are %v", got)
	}
}

func TestSetAndInput(t *testing.T) {
	set, err := Load("../../testdata/spmd", Small)
	if err != nil {
		t.Fatal(err)
	}
	k := set.Kernel("saxpy")
	if k.Size() != 16384 || k.Grid != [3]uint32{64, 1, 1} || k.Sum != 28668.1791 {
		t.Errorf("saxpy is %+v", k)
	}
	in := k.Make()
	y, x := in.values[0].([]float32), in.values[1].([]float32)
	for i := range y {
		y[i] += 2.5 * x[i]
	}
	if err := in.Check(); err != nil {
		t.Errorf("right, but: %v", err)
	}
	y[5] += 10
	if err := in.Check(); err == nil || !strings.Contains(err.Error(), "saxpy: output sums to") {
		t.Errorf("a wrong sum: %v", err)
	}
	in.Reset()
	if fresh := in.Output().([]float32); fresh[5] == y[5] || len(fresh) != len(y) {
		t.Error("Reset leaves the output as it was")
	}
	if got := len(in.Launch(true)); got != 6 {
		t.Errorf("%d launch arguments, want 6", got)
	}
}
