package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// Device libraries are large and kernels use little of them. Their functions
// are read when something refers to them; marked so that only these are linked,
// they cost what is used.

// linkLibrary links what the kernel needs of the device library, and settles
// what the library asks about the target.
func (b *build) linkLibrary() error {
	arch := b.request.Target.Arch()
	missing := b.code.wanted(arch)
	if len(missing) > 0 {
		library, err := b.library()
		if err != nil {
			return &fault{kind: ErrMissing, text: fmt.Sprintf("the kernel calls %s of %s, which was not found: %s",
				someOf(missing), libraryName(arch), err), cause: err}
		}
		files, err := library.Files()
		if err != nil {
			return err
		}
		for _, f := range files {
			if !slices.ContainsFunc(b.code.wanted(arch), func(name string) bool { return mayDefine(f.Name, name) }) {
				continue
			}
			if err := b.linkFile(library.Path, f.Name, f.Data); err != nil {
				return err
			}
		}
		if left := b.code.wanted(arch); len(left) > 0 {
			return faultf(ErrUnsupported, "the kernel calls %s, which %s in %s does not have", someOf(left), libraryName(arch), library.Path)
		}
	}
	if arch == target.AMDGPU {
		if err := b.code.settleOCLC(b.request.Target.Processor, b.wave, b.codeObject); err != nil {
			return err
		}
	} else {
		b.code.settleReflect(target.SM(b.request.Target.Processor))
	}
	if err := b.checkDefined(); err != nil {
		return err
	}
	if len(missing) > 0 && b.request.Options.Opt == O0 {
		// The library has code for other processors behind its questions, and at
		// this level nothing else would drop it.
		return b.module.RunPasses("function(sccp,simplifycfg)", nil, llvm.PassOptions{})
	}
	return nil
}

func libraryName(arch target.Arch) string {
	if arch == target.AMDGPU {
		return "AMD's device library (ocml.bc, ockl.bc)"
	}
	return "NVIDIA's device library (libdevice.10.bc)"
}

func someOf(names []string) string {
	if n := len(names) - mostNamed; n > 0 {
		return strings.Join(names[:mostNamed], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

// wanted lists the functions that only a device library defines.
func (c *code) wanted(arch target.Arch) []string {
	var names []string
	for f := range c.functions {
		name := capi.GetValueName2(f)
		if capi.IsDeclaration(f) && capi.GetFirstUse(f) != 0 && ofLibrary(arch, name) {
			names = append(names, name)
		}
	}
	return names
}

// ofLibrary tells whether a name is a device library's. OpenCL's functions have
// the names of C++'s rules.
func ofLibrary(arch target.Arch, name string) bool {
	if arch == target.AMDGPU {
		return strings.HasPrefix(name, "__ocml_") || strings.HasPrefix(name, "__ockl_") || strings.HasPrefix(name, "_Z")
	}
	return strings.HasPrefix(name, "__nv_")
}

// mayDefine tells by their names whether a library's file may have a function.
func mayDefine(file, function string) bool {
	switch file {
	case "ocml.bc":
		return strings.HasPrefix(function, "__ocml_")
	case "ockl.bc":
		return strings.HasPrefix(function, "__ockl_")
	}
	return true
}

// checkDefined refuses functions that nothing defines, by their names: a linker
// would say it later, and a driver less of it.
func (b *build) checkDefined() error {
	var names []string
	for f := range b.code.functions {
		name := capi.GetValueName2(f)
		ofDriver := b.request.Target.Arch() == target.NVPTX && inDriver(name)
		if capi.IsDeclaration(f) && capi.GetFirstUse(f) != 0 && !strings.HasPrefix(name, "llvm.") && !ofDriver {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return faultf(ErrUnsupported, "the kernel calls %s, which neither the module nor the device library defines", someOf(names))
}

// inDriver tells whether NVIDIA's driver has a function for kernels.
func inDriver(name string) bool {
	switch name {
	case "vprintf", "malloc", "free", "__assertfail":
		return true
	}
	return strings.HasPrefix(name, "cuda") || strings.HasPrefix(name, "__cuda")
}

// linkFile links what is needed of one file.
func (b *build) linkFile(folder, name string, data []byte) error {
	library, err := b.context.ParseLazy(name, data)
	if err != nil {
		producer := ""
		if id, idErr := image.Identify(data); idErr == nil && id.Producer != "" {
			producer = ", made by " + id.Producer
		}
		return &fault{kind: ErrUnsupported, text: fmt.Sprintf("device library %s in %s%s (reader is LLVM %s): %s",
			name, folder, producer, b.compiler.toolchain.Version, message(err)), cause: err}
	}
	ref := library.Ref()
	capi.SetTarget(ref, capi.GetTarget(b.module.Ref()))
	capi.SetDataLayout(ref, capi.GetDataLayoutStr(b.module.Ref()))
	capi.SetModuleInlineAsm2(ref, "")
	of := &code{module: ref}
	for _, list := range [...]string{"llvm.used", "llvm.compiler.used"} {
		if g := capi.GetNamedGlobal(ref, list); g != 0 {
			capi.DeleteGlobal(g)
		}
	}
	for f := range of.functions {
		markUnneeded(f)
	}
	for g := range of.globals {
		markUnneeded(g)
	}
	if err := b.module.Link(library); err != nil {
		return &fault{kind: ErrUnsupported, text: fmt.Sprintf("linking device library %s in %s: %s", name, folder, message(err)), cause: err}
	}
	own := func(g capi.Value) {
		if capi.GetLinkage(g) == capi.LinkOnceODRLinkage {
			capi.SetLinkage(g, capi.InternalLinkage)
			capi.SetVisibility(g, capi.DefaultVisibility)
		}
	}
	for f := range b.code.functions {
		own(f)
	}
	for g := range b.code.globals {
		own(g)
	}
	return nil
}

// markUnneeded makes a linker take a definition only where something refers to it.
func markUnneeded(g capi.Value) {
	switch capi.GetLinkage(g) {
	case capi.InternalLinkage, capi.PrivateLinkage, capi.AppendingLinkage, capi.AvailableExternallyLinkage:
		return
	}
	// A function whose body is not read yet is a definition, too.
	if !capi.IsDeclaration(g) {
		capi.SetComdat(g, 0)
		capi.SetLinkage(g, capi.LinkOnceODRLinkage)
	}
}

// settleReflect answers the questions that libdevice asks of its compiler.
func (c *code) settleReflect(sm int) {
	answers := map[string]uint64{
		"__CUDA_ARCH":      uint64(sm) * 10,
		"__CUDA_FTZ":       c.flagValue("nvvm-reflect-ftz", 0),
		"__CUDA_PREC_SQRT": c.flagValue("nvvm-reflect-prec-sqrt", 1),
		"__CUDA_PREC_DIV":  1,
	}
	for _, name := range [...]string{"__nvvm_reflect", "__nvvm_reflect_ocl", "llvm.nvvm.reflect", "llvm.nvvm.reflect.p0"} {
		f := capi.GetNamedFunction(c.module, name)
		if f == 0 {
			continue
		}
		for _, call := range users(f) {
			if capi.IsACallInst(call) != 0 {
				c.replace(call, uint32(answers[textOf(capi.GetOperand(call, 0))]))
			}
		}
	}
}

// textOf returns the zero-terminated text that a constant address leads to.
func textOf(address capi.Value) string {
	for capi.IsAConstantExpr(address) != 0 {
		address = capi.GetOperand(address, 0)
	}
	if capi.IsAGlobalVariable(address) == 0 || capi.IsDeclaration(address) {
		return ""
	}
	value := capi.GetInitializer(address)
	if !capi.IsConstantString(value) {
		return ""
	}
	text, _, _ := strings.Cut(capi.GetAsString(value), "\x00")
	return text
}

// flagValue returns a module flag's number, or otherwise.
func (c *code) flagValue(name string, otherwise uint64) uint64 {
	for _, node := range capi.NamedMetadataOperands(c.module, "llvm.module.flags") {
		operands := capi.MDNodeOperands(node)
		if len(operands) == 3 && capi.IsAMDString(operands[1]) != 0 && capi.GetMDString(operands[1]) == name && capi.IsAConstantInt(operands[2]) != 0 {
			return capi.ConstIntGetZExtValue(operands[2])
		}
	}
	return otherwise
}

// settleOCLC defines the constants that AMD's device libraries read.
func (c *code) settleOCLC(processor string, wave, codeObject int) error {
	answers := map[string]uint64{
		"__oclc_ISA_version":              isaVersion(processor),
		"__oclc_ABI_version":              uint64(codeObject) * 100,
		"__oclc_wavefrontsize64":          b2u(wave == 64),
		"__oclc_wavefrontsize_log2":       5 + b2u(wave == 64),
		"__oclc_finite_only_opt":          0,
		"__oclc_unsafe_math_opt":          0,
		"__oclc_daz_opt":                  0,
		"__oclc_correctly_rounded_sqrt32": 1,
		"__oclc_amd_opt":                  1,
	}
	var unknown []string
	for g := range c.globals {
		name := capi.GetValueName2(g)
		if !strings.HasPrefix(name, "__oclc_") {
			continue
		}
		n, ok := answers[name]
		if !ok && capi.IsDeclaration(g) {
			unknown = append(unknown, name)
			continue
		}
		if ok {
			capi.SetInitializer(g, capi.ConstInt(capi.GlobalGetValueType(g), n, false))
			capi.SetGlobalConstant(g, true)
			capi.SetLinkage(g, capi.InternalLinkage)
			capi.SetVisibility(g, capi.DefaultVisibility)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return faultf(ErrUnsupported, "the device library asks for %s, which kiln does not know", strings.Join(unknown, ", "))
	}
	return nil
}

// isaVersion returns the number of a processor as AMD's libraries have it:
// 9010 for gfx90a, 11000 for gfx1100; the last two digits are hexadecimal.
func isaVersion(processor string) uint64 {
	digits := strings.TrimPrefix(processor, "gfx")
	if generic, ok := strings.CutSuffix(digits, "-generic"); ok {
		// The least of its family.
		digits = map[string]string{"9": "900", "9-4": "940", "10-1": "1010", "10-3": "1030", "11": "1100", "12": "1200"}[generic]
	}
	if len(digits) < 3 {
		return 0
	}
	n := uint64(0)
	for _, d := range digits[:len(digits)-2] {
		n = n*10 + uint64(d-'0')
	}
	digit := func(b byte) uint64 {
		if b >= 'a' && b <= 'f' {
			return uint64(b-'a') + 10
		}
		return uint64(b - '0')
	}
	return n*1000 + digit(digits[len(digits)-2])*100 + digit(digits[len(digits)-1])
}
