package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Search says where tools and libraries are looked for before the usual
// places. The zero value looks in those alone.
type Search struct {
	// CUDA are folders of NVIDIA's toolkit, or Python environments with its
	// wheels, the first one preferred.
	CUDA []string
	// ROCm are folders of AMD's.
	ROCm []string
	// Path are folders of programs, as PATH lists them.
	Path []string
	// Only leaves out the usual places.
	Only bool
	// Assembler names the only assembler of PTX to use, [NVJitLink] or [PTXAS];
	// "none" leaves PTX to the driver. Empty takes whichever is found first.
	Assembler string
}

// Found is what a search has brought.
type Found struct {
	// Tools are in order of preference.
	Tools []*Tool
	// Places are the files looked for, in order, with * where any name goes.
	Places []string
}

// Missing describes a search that found nothing, for an error's text.
func (f *Found) Missing() string {
	if len(f.Places) == 0 {
		return "there is nowhere to look"
	}
	return "looked for " + strings.Join(f.Places, ", ")
}

// look adds the files that match the pattern, each as the function returns it. Of
// several the one with the highest name comes first.
func (f *Found) look(pattern string, as func(path string) *Tool) {
	if slices.Contains(f.Places, pattern) {
		return
	}
	f.Places = append(f.Places, pattern)
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return
	}
	slices.SortFunc(paths, func(a, b string) int { return compareNames(b, a) })
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			continue
		}
		// One file under several names is one tool.
		real, err := filepath.EvalSymlinks(path)
		if err != nil || slices.ContainsFunc(f.Tools, func(t *Tool) bool { return t.real == real }) {
			continue
		}
		if t := as(path); t != nil {
			t.real = real
			f.Tools = append(f.Tools, t)
		}
	}
}

// compareNames orders cuda-9.2 before cuda-12.0: numbers by their value.
func compareNames(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			p, q := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if len(p) != len(q) {
				return len(p) - len(q)
			}
			if p != q {
				return strings.Compare(p, q)
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return int(a[0]) - int(b[0])
		}
		a, b = a[1:], b[1:]
	}
	return len(a) - len(b)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// The usual places.
var (
	usualCUDA = []string{
		"/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda", "/opt/nvidia/hpc_sdk/Linux_x86_64/*/cuda/*",
		"/usr/lib/nvidia-cuda-toolkit", "/usr/lib/cuda", "/usr",
	}
	usualROCm = []string{"/opt/rocm", "/opt/rocm-*", "/usr"}
	usualPath = []string{"/usr/local/bin", "/usr/bin"}
)

func (s *Search) cuda() []string { return s.with(s.CUDA, usualCUDA) }

func (s *Search) rocm() []string { return s.with(s.ROCm, usualROCm) }

func (s *Search) path() []string { return s.with(s.Path, usualPath) }

func (s *Search) with(given, usual []string) []string {
	all := slices.Clone(given)
	if !s.Only {
		all = append(all, usual...)
	}
	return slices.DeleteFunc(all, func(folder string) bool { return folder == "" })
}

// wheels are the folders, below a Python environment, that NVIDIA's wheels put
// things into: one folder a component up to CUDA 12, one for all from 13 on.
var wheels = [...]string{"lib/python3*/site-packages/nvidia", "nvidia"}

// Assemblers finds what makes machine code of PTX.
func (s *Search) Assemblers() *Found {
	found := new(Found)
	jit := func(path string) *Tool { return &Tool{Name: NVJitLink, Path: path, read: readNVJitLink(path)} }
	program := func(path string) *Tool { return &Tool{Name: PTXAS, Path: path, read: readAssembler(path)} }
	look := func(name string, as func(string) *Tool, patterns ...string) {
		if s.Assembler == "" || s.Assembler == name {
			for _, p := range patterns {
				found.look(p, as)
			}
		}
	}
	for _, root := range s.cuda() {
		const library = "libnvJitLink.so.1[0-9]"
		look(NVJitLink, jit, root+"/lib64/"+library, root+"/targets/*/lib/"+library, root+"/lib/x86_64-linux-gnu/"+library)
		for _, w := range &wheels {
			look(NVJitLink, jit, root+"/"+w+"/cu1[0-9]/lib/"+library, root+"/"+w+"/nvjitlink/lib/"+library)
		}
		look(PTXAS, program, root+"/bin/ptxas")
		for _, w := range &wheels {
			look(PTXAS, program, root+"/"+w+"/cu1[0-9]/bin/ptxas", root+"/"+w+"/cuda_nvcc/bin/ptxas")
		}
	}
	for _, folder := range s.path() {
		look(PTXAS, program, folder+"/ptxas")
	}
	return found
}

// Disassemblers finds what prints NVIDIA's machine code.
func (s *Search) Disassemblers() *Found {
	found := new(Found)
	program := func(path string) *Tool { return &Tool{Name: NVDisasm, Path: path, read: readProgram(path)} }
	for _, root := range s.cuda() {
		found.look(root+"/bin/nvdisasm", program)
		for _, w := range &wheels {
			found.look(root+"/"+w+"/cu1[0-9]/bin/nvdisasm", program)
			found.look(root+"/"+w+"/cuda_nvdisasm/bin/nvdisasm", program)
		}
	}
	for _, folder := range s.path() {
		found.look(folder+"/nvdisasm", program)
	}
	return found
}

// Libdevice finds NVIDIA's library of device code.
func (s *Search) Libdevice() *Found {
	found := new(Found)
	library := func(path string) *Tool { return &Tool{Name: Libdevice, Path: path, read: readLibrary(path)} }
	const file = "nvvm/libdevice/libdevice*.bc"
	for _, root := range s.cuda() {
		found.look(root+"/"+file, library)
		found.look(root+"/libdevice/libdevice*.bc", library)
		for _, w := range &wheels {
			found.look(root+"/"+w+"/cu1[0-9]/"+file, library)
			found.look(root+"/"+w+"/cuda_nvcc/"+file, library)
		}
	}
	for _, folder := range s.path() {
		if real, err := filepath.EvalSymlinks(folder + "/ptxas"); err == nil {
			found.look(filepath.Dir(filepath.Dir(real))+"/"+file, library)
		}
	}
	return found
}

// Linkers finds LLVM's ELF linker, of LLVM's own major version first.
func (s *Search) Linkers(llvmMajor int) *Found {
	found := new(Found)
	linker := func(path string) *Tool { return &Tool{Name: LLD, Path: path, read: readProgram(path)} }
	for _, root := range s.ROCm {
		found.look(root+"/llvm/bin/ld.lld", linker)
		found.look(root+"/lib/llvm/bin/ld.lld", linker)
	}
	for _, folder := range s.path() {
		found.look(fmt.Sprintf("%s/ld.lld-%d", folder, llvmMajor), linker)
	}
	if !s.Only {
		found.look(fmt.Sprintf("/usr/lib/llvm-%d/bin/ld.lld", llvmMajor), linker)
		found.look("/opt/rocm*/llvm/bin/ld.lld", linker)
		found.look("/usr/lib/llvm-*/bin/ld.lld", linker)
	}
	for _, folder := range s.path() {
		found.look(folder+"/ld.lld", linker)
	}
	return found
}

// DeviceLibs finds AMD's libraries of device code.
func (s *Search) DeviceLibs() *Found {
	found := new(Found)
	// The folder is known by the one that every kernel with mathematics needs.
	library := func(path string) *Tool {
		folder := filepath.Dir(path)
		var files []string
		// Each needs those behind it.
		for _, name := range [...]string{"opencl.bc", "hip.bc", "ocml.bc", "ockl.bc"} {
			if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
				files = append(files, filepath.Join(folder, name))
			}
		}
		return &Tool{Name: ROCm, Path: folder, read: readLibrary(files...)}
	}
	for _, root := range s.rocm() {
		for _, folder := range [...]string{
			"amdgcn/bitcode", "lib/amdgcn/bitcode", "lib/x86_64-linux-gnu/amdgcn/bitcode",
			"lib/llvm/lib/clang/*/lib/amdgcn/bitcode", "llvm/lib/clang/*/lib/amdgcn/bitcode",
		} {
			found.look(root+"/"+folder+"/ocml.bc", library)
		}
	}
	if !s.Only {
		found.look("/usr/lib/llvm-*/lib/clang/*/lib/amdgcn/bitcode/ocml.bc", library)
		found.look("/usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode/ocml.bc", library)
	}
	return found
}
