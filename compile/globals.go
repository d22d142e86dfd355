package compile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/spmd"
)

// A module's variables exist once for all its kernels. The image of a kernel
// names those it uses by their slots' symbols and holds none of them; an image
// of their own holds them all, with what initialises them. What is constant is
// no variable here, and each image's own.

// slot is a variable that kernels share.
type slot struct {
	image.Slot
	variable capi.Value
	// bytes and align are the variable's by the module's own layout.
	bytes uint64
	align uint32
}

// slots returns the variables of the module that its kernels share. It depends
// on the module alone, not on the kernel, and must be asked before the module
// is changed.
func (c *code) slots() []slot {
	var all []slot
	index := uint32(0)
	for g := range c.globals {
		if c.isSlot(g) {
			all = append(all, slot{
				Slot:     image.Slot{Index: index, Name: capi.GetValueName2(g), Constant: capi.IsGlobalConstant(g)},
				variable: g,
				bytes:    capi.ABISizeOfType(c.layout, capi.GlobalGetValueType(g)),
				align:    c.alignment(g),
			})
		}
		index++
	}
	return all
}

func (c *code) isSlot(g capi.Value) bool {
	if capi.IsDeclaration(g) || capi.IsThreadLocal(g) || c.isShared(g) || strings.HasPrefix(capi.GetValueName2(g), "llvm.") {
		return false
	}
	// The host sets what is marked so, constant or not.
	if capi.IsExternallyInitialized(g) {
		return true
	}
	if capi.IsGlobalConstant(g) {
		return false
	}
	switch capi.GetLinkage(g) {
	case capi.AppendingLinkage, capi.AvailableExternallyLinkage:
		return false
	case capi.InternalLinkage, capi.PrivateLinkage:
		return !onlyRead(g)
	}
	return true
}

// onlyRead tells that all uses of an address, within its module, are loads.
func onlyRead(address capi.Value) bool {
	for use := capi.GetFirstUse(address); use != 0; use = capi.GetNextUse(use) {
		user := capi.GetUser(use)
		op := capi.Opcode(0)
		switch {
		case capi.IsAInstruction(user) != 0:
			op = capi.GetInstructionOpcode(user)
		case capi.IsAConstantExpr(user) != 0:
			op = capi.GetConstOpcode(user)
		}
		switch op {
		case capi.OpLoad:
		case capi.OpGetElementPtr, capi.OpBitCast, capi.OpAddrSpaceCast:
			if !onlyRead(user) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// link makes the module name the variables of the slots and hold them no more.
func (c *code) link(slots []slot) error {
	c.unalias(slots)
	for i := range slots {
		s := &slots[i]
		old := s.variable
		space := capi.GetPointerAddressSpace(capi.TypeOf(old))
		// A new variable is not taken to lie near the code, which the old one
		// may be marked for.
		s.variable = capi.AddGlobalInAddressSpace(c.module, capi.GlobalGetValueType(old), s.Symbol(), space)
		if err := s.named(); err != nil {
			return err
		}
		capi.SetLinkage(s.variable, capi.ExternalLinkage)
		capi.SetGlobalConstant(s.variable, s.Constant)
		capi.SetAlignment(s.variable, c.alignment(old))
		capi.ReplaceAllUsesWith(old, s.variable)
		capi.SetComdat(old, 0)
		capi.SetLinkage(old, capi.InternalLinkage)
	}
	return nil
}

// alignment returns the alignment in bytes that a variable has in memory.
func (c *code) alignment(g capi.Value) uint32 {
	return max(capi.GetAlignment(g), capi.ABIAlignmentOfType(c.layout, capi.GlobalGetValueType(g)))
}

func (s *slot) named() error {
	if capi.GetValueName2(s.variable) != s.Symbol() {
		return faultf(ErrUnsupported, "the module has something of the name %q, which is kiln's own", s.Symbol())
	}
	return nil
}

// unalias puts the variables of the slots in the place of aliases of them.
func (c *code) unalias(slots []slot) {
	for a := capi.GetFirstGlobalAlias(c.module); a != 0; a = capi.GetNextGlobalAlias(a) {
		target := capi.AliasGetAliasee(a)
		base := target
		for capi.IsAConstantExpr(base) != 0 {
			base = capi.GetOperand(base, 0)
		}
		if slices.ContainsFunc(slots, func(s slot) bool { return s.variable == base }) {
			capi.ReplaceAllUsesWith(a, target)
			// What an alias stands for must be defined, unused as it is.
			capi.AliasSetAliasee(a, c.object("unused alias", a, 1, []byte{0}))
			capi.SetLinkage(a, capi.InternalLinkage)
		}
	}
}

// constructed tells whether the module does something on its own when loaded.
func (c *code) constructed() bool {
	for _, name := range [...]string{"llvm.global_ctors", "llvm.global_dtors"} {
		if g := capi.GetNamedGlobal(c.module, name); g != 0 && !capi.IsDeclaration(g) && !capi.IsNull(capi.GetInitializer(g)) {
			return true
		}
	}
	return false
}

// convention tells what the module's kernels are.
func (c *code) convention() image.Convention {
	if !c.hostArch() {
		return image.Grid
	}
	for f := range c.functions {
		if !capi.IsDeclaration(f) && c.isGrid(f) {
			return image.Grid
		}
	}
	return image.Host
}

// extractVariables leaves the module's variables, under their slots' symbols,
// and what initialises them.
func (b *build) extractVariables() error {
	if b.request.Kernel != "" || !b.request.Spec.IsZero() {
		return faultf(ErrBadRequest, "variables are asked for, and kernel %q or a specialisation as well", b.request.Kernel)
	}
	b.desc = &image.Kernel{Convention: b.code.convention()}
	if err := b.checkFamily(); err != nil {
		return err
	}
	b.code.isolate(0, b.desc.Convention)
	if b.gpu() {
		if err := b.deviceVariables(); err != nil {
			return err
		}
		return b.verify(ErrBadModule)
	}
	for i := range b.slots {
		s := &b.slots[i]
		capi.SetValueName2(s.variable, s.Symbol())
		if err := s.named(); err != nil {
			return err
		}
		capi.SetLinkage(s.variable, capi.ExternalLinkage)
		capi.SetVisibility(s.variable, capi.HiddenVisibility)
		capi.SetAlignment(s.variable, b.code.alignment(s.variable))
		// It may be written to by the host.
		capi.SetGlobalConstant(s.variable, false)
	}
	if err := b.module.RunPasses("globaldce", nil, llvm.PassOptions{}); err != nil {
		return err
	}
	if err := b.code.checkExtracted(); err != nil {
		return err
	}
	return b.verify(ErrBadModule)
}

// lowerVariables makes variables of the host of a device's. Those that cannot
// be, since they start with a function that cannot, are left out: kernels that
// use none of them need not know.
func (b *build) lowerVariables() error {
	lower := func(names []string) (*llvm.Module, error) {
		return spmd.Variables(b.module, names, spmd.Options{Triple: b.machine.Triple(), DataLayout: b.machine.DataLayout()})
	}
	names := make([]string, len(b.slots))
	for i := range b.slots {
		names[i] = b.slots[i].Symbol()
	}
	lowered, err := lower(names)
	if errors.Is(err, spmd.ErrUnsupported) {
		if names, err = b.lowered(lower); err != nil {
			return err
		}
		lowered, err = lower(names)
	}
	if err != nil {
		return err
	}
	b.module.Close()
	b.module, b.code = lowered, newCode(b.context.Ref(), lowered.Ref())
	return b.prepare()
}

// lowered returns which of the module's variables can be lowered by themselves.
func (b *build) lowered(lower func([]string) (*llvm.Module, error)) (names []string, err error) {
	for i := range b.slots {
		s := &b.slots[i]
		module, err := lower([]string{s.Symbol()})
		switch {
		case errors.Is(err, spmd.ErrUnsupported):
			b.remarks = append(b.remarks, fmt.Sprintf("variable %q is left out: %v", s.Name, err))
		case err != nil:
			return nil, err
		default:
			module.Close()
			names = append(names, s.Symbol())
		}
	}
	return names, nil
}

// table returns the slots that the payload names, and those it holds, with
// their sizes on the target.
func (b *build) table() (named, held []image.Slot) {
	for i := range b.slots {
		s := b.slots[i].Slot
		g := capi.GetNamedGlobal(b.module.Ref(), s.Symbol())
		if g == 0 {
			continue
		}
		s.Bytes, s.Align = capi.ABISizeOfType(b.code.layout, capi.GlobalGetValueType(g)), b.code.alignment(g)
		switch {
		case !capi.IsDeclaration(g):
			held = append(held, s)
		case slices.Contains(b.undefined, s.Symbol()):
			named = append(named, s)
			b.remarks = append(b.remarks, fmt.Sprintf("variable %q is shared by the module's kernels", s.Name))
		}
	}
	b.undefined = slices.DeleteFunc(b.undefined, func(name string) bool { return strings.HasPrefix(name, image.SlotPrefix) })
	return named, held
}
