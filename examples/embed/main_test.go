package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/kilnjit/kiln"
)

const file = "testdata/kernels.ll"

var options = kiln.Options{Cache: kiln.CacheOptions{Off: true}}

func Example_list() {
	if err := run(context.Background(), options, os.Stdout, nil, []string{file}); err != nil {
		panic(err)
	}
	// Output:
	// shift(ptr values, float by)
	// average(ptr result, float a, i32 b, double c)
}

func Example_launch() {
	shape := []kiln.LaunchArg{kiln.Grid(2), kiln.Block(2)}
	if err := run(context.Background(), options, os.Stdout, shape, []string{file, "shift", "1,2,3,4", "0.5"}); err != nil {
		panic(err)
	}
	// Output:
	// [1.5 2.5 3.5 4.5]
}

func TestErrors(t *testing.T) {
	tests := []struct {
		args, want string
	}{
		{"none.bc", "none.bc: no such file or directory"},
		{file + " shove", `has no kernel "shove"; it has shift, average`},
		{file + " shift 1,x 2", `argument 0 of shift(ptr values, float by): strconv.ParseFloat: parsing "x"`},
		{file + " average 0 1 2 3", "embed does not read values of type double"},
		{file + " shift 1", "got 1 arguments, wants 2"},
	}
	for _, tt := range tests {
		err := run(t.Context(), options, io.Discard, nil, strings.Fields(tt.args))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.args, err, tt.want)
		}
	}
}
