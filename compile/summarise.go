package compile

import (
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// sharedSpace is the address space of a group's shared memory, the same number
// on every device target.
const sharedSpace = 3

// summarise describes the module: what can be launched, and its variables.
func (c *code) summarise(producer string) *image.Summary {
	if producer == "" {
		producer = c.ident()
	}
	s := &image.Summary{
		Producer:   producer,
		Triple:     capi.GetTarget(c.module),
		DataLayout: capi.GetDataLayoutStr(c.module),
	}
	var grids, hosts []image.Kernel
	kernels := map[string]capi.Value{}
	for f := range c.functions {
		if capi.IsDeclaration(f) || capi.GetLinkage(f) == capi.AvailableExternallyLinkage {
			continue
		}
		// What cannot be launched is no kernel; a compile that names it says why.
		k, err := c.describe(f)
		if err != nil {
			continue
		}
		kernels[k.Name] = f
		if k.Convention == image.Grid {
			grids = append(grids, *k)
		} else {
			hosts = append(hosts, *k)
		}
	}
	// Where there are GPU kernels, other functions are their parts.
	s.Kernels = grids
	if len(grids) == 0 {
		s.Kernels = hosts
	}
	c.shared(s.Kernels, kernels)
	for g := range c.globals {
		if c.listed(g) {
			s.Globals = append(s.Globals, c.global(g))
		}
	}
	return s
}

// ident returns the compiler's name for itself.
func (c *code) ident() string {
	for _, node := range capi.NamedMetadataOperands(c.module, "llvm.ident") {
		if operands := capi.MDNodeOperands(node); len(operands) > 0 && operands[0] != 0 && capi.IsAMDString(operands[0]) != 0 {
			return capi.GetMDString(operands[0])
		}
	}
	return ""
}

// listed tells whether a host can want to reach the variable by its name.
func (c *code) listed(g capi.Value) bool {
	switch capi.GetLinkage(g) {
	case capi.InternalLinkage, capi.PrivateLinkage:
		if !capi.IsExternallyInitialized(g) {
			return false
		}
	case capi.AppendingLinkage, capi.AvailableExternallyLinkage:
		return false
	}
	return !strings.HasPrefix(capi.GetValueName2(g), "llvm.") && !c.isShared(g)
}

func (c *code) global(g capi.Value) image.Global {
	typ := capi.GlobalGetValueType(g)
	out := image.Global{
		Name:         capi.GetValueName2(g),
		Align:        capi.GetAlignment(g),
		Constant:     capi.IsGlobalConstant(g),
		Initialised:  !capi.IsDeclaration(g),
		AddressSpace: capi.GetPointerAddressSpace(capi.TypeOf(g)),
	}
	if capi.TypeIsSized(typ) {
		out.Bytes = capi.ABISizeOfType(c.layout, typ)
		out.Align = max(out.Align, capi.ABIAlignmentOfType(c.layout, typ))
	}
	return out
}

// isShared tells that g is a group's shared memory: on a device target by its
// address space; in OpenCL compiled for a CPU, which has only one, clang marks
// a local variable by having no value.
func (c *code) isShared(g capi.Value) bool {
	if !c.hostArch() {
		return capi.GetPointerAddressSpace(capi.TypeOf(g)) == sharedSpace
	}
	if capi.GetLinkage(g) != capi.InternalLinkage || capi.IsGlobalConstant(g) || capi.IsDeclaration(g) {
		return false
	}
	return capi.IsUndef(capi.GetInitializer(g)) && capi.NamedMetadataOperands(c.module, "opencl.ocl.version") != nil
}

// shared fills in the shared memory of each kernel: the variables that the
// kernel or a function it may call names.
func (c *code) shared(list []image.Kernel, functions map[string]capi.Value) {
	users := map[capi.Value][]capi.Value{}
	for g := range c.globals {
		if c.isShared(g) {
			users[g] = c.users(g)
		}
	}
	if len(users) == 0 {
		return
	}
	for i := range list {
		k := &list[i]
		for g := range c.globals {
			for _, user := range users[g] {
				if user == functions[k.Name] {
					c.addShared(k, g)
				}
			}
		}
	}
}

func (c *code) addShared(k *image.Kernel, g capi.Value) {
	v := c.global(g)
	if v.Bytes == 0 || !v.Initialised {
		k.DynamicShared = true
		return
	}
	at := (uint64(k.SharedBytes) + uint64(v.Align) - 1) &^ (uint64(v.Align) - 1)
	k.SharedBytes = uint32(min(at+v.Bytes, 1<<32-1))
}

// users returns the functions that name g, and those that name one of these,
// and so on.
func (c *code) users(g capi.Value) []capi.Value {
	seen := map[capi.Value]bool{g: true}
	var functions []capi.Value
	for queue := []capi.Value{g}; len(queue) > 0; {
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for use := capi.GetFirstUse(v); use != 0; use = capi.GetNextUse(use) {
			user := capi.GetUser(use)
			if capi.IsAInstruction(user) != 0 {
				user = capi.GetBasicBlockParent(capi.GetInstructionParent(user))
			}
			if seen[user] {
				continue
			}
			seen[user] = true
			queue = append(queue, user)
			if capi.IsAFunction(user) != 0 {
				functions = append(functions, user)
			}
		}
	}
	return functions
}
