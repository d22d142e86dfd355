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

func TestPlainName(t *testing.T) {
	for name, want := range map[string]string{
		"_Z5saxpyPfPKffi": "saxpy", "_ZN4math5saxpyEPfi": "saxpy", "_ZL5scalePf": "scale", "_Z4fillIfEvPT_i": "fill", "_ZN12_GLOBAL__N_14stepEv": "step",
		"saxpy": "", "_Z": "", "_Z9short": "", "_Zplv": "", "_Z99999999999999999999x": "",
	} {
		if got := plainName(name); got != want {
			t.Errorf("plainName(%q) = %q, want %q", name, got, want)
		}
	}
}
