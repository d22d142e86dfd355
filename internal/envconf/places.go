package envconf

import (
	"path/filepath"
	"slices"
)

// place is a variable of other programs that says where tools lie.
type place struct {
	name, purpose string
	field         func(*Config) *[]string
}

// places returns them, of each field the one asked first before the others.
func places() []place {
	cuda := func(c *Config) *[]string { return &c.CUDA }
	return []place{
		{"CUDA_ROOT", "NVIDIA's toolkit.", cuda},
		{"CUDA_HOME", "The same, asked next.", cuda},
		{"CUDA_PATH", "The same, asked next.", cuda},
		{"VIRTUAL_ENV", "A Python environment that may hold NVIDIA's wheels, asked next.", cuda},
		{"CONDA_PREFIX", "The same, asked next.", cuda},
		{"ROCM_PATH", "AMD's toolkit.", func(c *Config) *[]string { return &c.ROCm }},
		{"PATH", "Folders of programs: clang, ld.lld, ptxas.", func(c *Config) *[]string { return &c.Path }},
	}
}

// Places returns the variables that say where tools are looked for before the
// usual places, each with what it is for.
func Places() (names, purposes []string) {
	for _, p := range places() {
		names, purposes = append(names, p.name), append(purposes, p.purpose)
	}
	return names, purposes
}

// setPlaces reads them. Relative folders are passed over: what is compiled does
// not depend on where that happens.
func (c *Config) setPlaces(environ []string) {
	for _, p := range places() {
		folders := p.field(c)
		for _, folder := range filepath.SplitList(Get(environ, p.name)) {
			if filepath.IsAbs(folder) && !slices.Contains(*folders, folder) {
				*folders = append(*folders, folder)
			}
		}
	}
}
