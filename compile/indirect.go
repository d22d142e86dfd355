package compile

import (
	"fmt"
	"slices"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// Code for a GPU is loaded by a driver, which takes no addresses from outside.
// A kernel reaches the module's variables by an address that lies in a variable
// of its own, and that the host writes there once the kernel is loaded.

// globalSpace is the address space of device memory on every GPU target.
const globalSpace = 1

// indirect makes the module name none of the slots' variables: every use loads
// the address.
func (b *build) indirect() error {
	c := b.code
	c.unalias(b.slots)
	pointer := capi.PointerTypeInContext(c.context, globalSpace)
	for i := range b.slots {
		s := &b.slots[i]
		if capi.GetFirstUse(s.variable) == 0 {
			continue
		}
		symbol := s.AddressSymbol()
		g := capi.AddGlobalInAddressSpace(c.module, pointer, symbol, globalSpace)
		if capi.GetValueName2(g) != symbol {
			return faultf(ErrUnsupported, "the module has something of the name %q, which is kiln's own", symbol)
		}
		capi.SetInitializer(g, capi.ConstPointerNull(pointer))
		capi.SetExternallyInitialized(g, true)
		capi.SetVisibility(g, capi.ProtectedVisibility)
		capi.SetAlignment(g, pointerBytes)
		d := &detour{code: c, slots: b.slots, slot: s, address: g, pointer: pointer}
		if err := d.redirect(s.variable, d.direct); err != nil {
			return err
		}
		b.addresses = append(b.addresses, i)
		capi.SetComdat(s.variable, 0)
		capi.SetLinkage(s.variable, capi.InternalLinkage)
	}
	return nil
}

// detour puts loads of one variable's address in the place of its uses.
type detour struct {
	*code
	slots   []slot
	slot    *slot
	address capi.Value
	pointer capi.Type
}

// maker builds, before an instruction, what stands for a value there.
type maker func(b capi.Builder) (capi.Value, error)

func (d *detour) direct(b capi.Builder) (capi.Value, error) {
	load := capi.BuildLoad2(b, d.pointer, d.address, "")
	capi.SetAlignment(load, pointerBytes)
	empty := capi.MetadataAsValue(d.context, capi.MDNodeInContext2(d.context, nil))
	capi.SetMetadata(load, capi.GetMDKindIDInContext(d.context, "invariant.load"), empty)
	// NVIDIA's constant memory is none that another image's variable lies in.
	own := capi.TypeOf(d.slot.variable)
	if own == d.pointer || d.arch == target.NVPTX && capi.GetPointerAddressSpace(own) > globalSpace {
		return load, nil
	}
	return capi.BuildAddrSpaceCast(b, load, own, ""), nil
}

// redirect replaces every use of old, a constant, by what made builds.
func (d *detour) redirect(old capi.Value, made maker) error {
	for _, user := range users(old) {
		switch {
		case capi.IsAInstruction(user) != 0:
			if err := d.instruction(user, old, made); err != nil {
				return err
			}
		case capi.IsAConstantExpr(user) != 0:
			if err := d.redirect(user, d.expression(user, old, made)); err != nil {
				return err
			}
		case !d.idle(user):
			return faultf(ErrUnsupported, "the address of variable %q is part of another constant, which a GPU's loader cannot fill in: store it when the program runs", d.slot.Name)
		}
	}
	return nil
}

// idle tells that a constant is part only of what the kernel's image does not
// hold: lists like llvm.used, variables of slots, variables without a use.
func (d *detour) idle(v capi.Value) bool {
	if capi.IsAInstruction(v) != 0 || capi.IsAFunction(v) != 0 {
		return false
	}
	if capi.IsAGlobalVariable(v) != 0 {
		return capi.GetLinkage(v) == capi.AppendingLinkage || capi.GetFirstUse(v) == 0 ||
			slices.ContainsFunc(d.slots, func(s slot) bool { return s.variable == v })
	}
	for _, user := range users(v) {
		if !d.idle(user) {
			return false
		}
	}
	return true
}

// instruction replaces the uses of old in one instruction.
func (d *detour) instruction(user, old capi.Value, made maker) error {
	builder := capi.CreateBuilderInContext(d.context)
	defer capi.DisposeBuilder(builder)
	phi := capi.IsAPHINode(user) != 0
	for i := range uint32(capi.GetNumOperands(user)) {
		if capi.GetOperand(user, i) != old {
			continue
		}
		before := user
		if phi {
			before = capi.GetBasicBlockTerminator(capi.GetIncomingBlock(user, i))
		}
		capi.PositionBuilderBefore(builder, before)
		v, err := made(builder)
		if err != nil {
			return err
		}
		if capi.TypeOf(v) != capi.TypeOf(old) {
			if !d.takesAny(user, i) {
				return faultf(ErrUnsupported, "variable %q in constant memory is used in a way that depends on where it lies: use it through a plain pointer", d.slot.Name)
			}
		}
		if !phi || d.firstEdge(user, i) {
			capi.SetOperand(user, i, v)
		}
	}
	return nil
}

// firstEdge tells that edge i of a phi node is the first from its block. Another
// gets the value of that one: it must be the same.
func (d *detour) firstEdge(phi capi.Value, i uint32) bool {
	block := capi.GetIncomingBlock(phi, i)
	for earlier := range i {
		if capi.GetIncomingBlock(phi, earlier) == block {
			capi.SetOperand(phi, i, capi.GetOperand(phi, earlier))
			return false
		}
	}
	return true
}

// takesAny tells that an instruction takes an address of any space there.
func (d *detour) takesAny(user capi.Value, operand uint32) bool {
	switch capi.GetInstructionOpcode(user) {
	case capi.OpStore:
		return operand == 1
	case capi.OpLoad, capi.OpPtrToInt:
		return true
	}
	return false
}

// expression returns what builds a constant expression as instructions, with
// what made builds in the place of old.
func (d *detour) expression(e, old capi.Value, made maker) maker {
	return func(b capi.Builder) (capi.Value, error) {
		v, err := made(b)
		if err != nil {
			return 0, err
		}
		typ := capi.TypeOf(e)
		switch op := capi.GetConstOpcode(e); op {
		case capi.OpGetElementPtr:
			if capi.GetOperand(e, 0) != old {
				break
			}
			operands := capi.Operands(e)
			if capi.IsInBounds(e) {
				return capi.BuildInBoundsGEP2(b, capi.GetGEPSourceElementType(e), v, operands[1:], ""), nil
			}
			return capi.BuildGEP2(b, capi.GetGEPSourceElementType(e), v, operands[1:], ""), nil
		case capi.OpAddrSpaceCast:
			if typ == capi.TypeOf(v) {
				return v, nil
			}
			return capi.BuildAddrSpaceCast(b, v, typ, ""), nil
		case capi.OpBitCast:
			return v, nil
		case capi.OpPtrToInt:
			return capi.BuildPtrToInt(b, v, typ, ""), nil
		case capi.OpIntToPtr:
			return capi.BuildIntToPtr(b, v, typ, ""), nil
		case capi.OpAdd, capi.OpSub, capi.OpXor:
			left, right := capi.GetOperand(e, 0), capi.GetOperand(e, 1)
			if left == old {
				left = v
			}
			if right == old {
				right = v
			}
			return capi.BuildBinOp(b, op, left, right, ""), nil
		}
		return 0, faultf(ErrUnsupported, "the address of variable %q is used in %s, which cannot be worked out when the kernel runs", d.slot.Name, capi.PrintValueToString(e).Take())
	}
}

// slotsLeft drops from the image's table the variables that the optimiser has
// found to be of no use to the kernel.
func (b *build) slotsLeft() {
	for _, i := range b.addresses {
		s := &b.slots[i]
		if g := capi.GetNamedGlobal(b.module.Ref(), s.AddressSymbol()); g != 0 && capi.GetFirstUse(g) != 0 {
			b.named = append(b.named, b.onDevice(i))
		}
	}
	for _, i := range b.held {
		b.holds = append(b.holds, b.onDevice(i))
	}
}

// onDevice returns the i-th slot with its size on the target.
func (b *build) onDevice(i int) image.Slot {
	s := &b.slots[i]
	out := s.Slot
	out.Bytes, out.Align = s.bytes, s.align
	return out
}

// deviceVariables leaves the module's variables under their device symbols, in
// device memory.
func (b *build) deviceVariables() error {
	c := b.code
	for i := range b.slots {
		s := &b.slots[i]
		g := s.variable
		if capi.GetPointerAddressSpace(capi.TypeOf(g)) > globalSpace {
			// Constant memory takes no address of a kernel's.
			moved := capi.AddGlobalInAddressSpace(c.module, capi.GlobalGetValueType(g), "", globalSpace)
			capi.SetInitializer(moved, capi.GetInitializer(g))
			if capi.GetFirstUse(g) != 0 {
				capi.ReplaceAllUsesWith(g, capi.ConstAddrSpaceCast(moved, capi.TypeOf(g)))
			}
			capi.SetComdat(g, 0)
			capi.SetLinkage(g, capi.InternalLinkage)
			g = moved
		}
		capi.SetAlignment(g, s.align)
		capi.SetValueName2(g, s.DeviceSymbol())
		if capi.GetValueName2(g) != s.DeviceSymbol() {
			return faultf(ErrUnsupported, "the module has something of the name %q, which is kiln's own", s.DeviceSymbol())
		}
		capi.SetLinkage(g, capi.ExternalLinkage)
		capi.SetVisibility(g, capi.ProtectedVisibility)
		capi.SetExternallyInitialized(g, true)
		capi.SetGlobalConstant(g, false)
		s.variable = g
		b.held = append(b.held, i)
	}
	if err := b.module.RunPasses("globaldce", nil, llvm.PassOptions{}); err != nil {
		return fmt.Errorf("dropping what no variable needs: %w", err)
	}
	return nil
}
