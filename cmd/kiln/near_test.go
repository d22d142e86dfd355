package main

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"run", "compile", "cache", "matmul_tiled", "saxpy", "_Z5scalePfi"}
	for word, want := range map[string]string{
		"ruin": "run", "rnu": "run", "comple": "compile", "Saxpy": "saxpy", "saxpi": "saxpy", "matmul": "matmul_tiled", "scale": "_Z5scalePfi",
		"x": "", "nbody": "", "": "",
	} {
		if got := nearest(word, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
