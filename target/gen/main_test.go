package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTablesAreCurrent(t *testing.T) {
	got, err := tables()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../tables.go")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("tables.go is not what the compilers list; run go generate ./target (-have +want):\n%s", diff)
	}
}
