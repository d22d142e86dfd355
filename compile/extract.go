package compile

import (
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// isolate makes everything but the function f local to the module and forgets
// what only held things alive, so that dead code elimination leaves what f
// needs. An f of 0 stands for what sets the module's variables.
func (c *code) isolate(f capi.Value, convention image.Convention) {
	c.release(f, convention)
	for g := range c.globals {
		c.localise(g)
	}
	for other := range c.functions {
		if other != f {
			c.localise(other)
		}
	}
	for a := capi.GetFirstGlobalAlias(c.module); a != 0; a = capi.GetNextGlobalAlias(a) {
		capi.SetLinkage(a, capi.InternalLinkage)
	}
	for i := capi.GetFirstGlobalIFunc(c.module); i != 0; i = capi.GetNextGlobalIFunc(i) {
		capi.SetLinkage(i, capi.InternalLinkage)
	}
	if f != 0 {
		capi.SetComdat(f, 0)
		capi.SetLinkage(f, capi.ExternalLinkage)
		capi.SetVisibility(f, capi.HiddenVisibility)
	}
}

// release deletes the lists that keep things alive without using them, and
// what the module does on its own when it is loaded: that is for the image of
// its variables alone, and GPU kernels' modules do nothing.
func (c *code) release(f capi.Value, convention image.Convention) {
	names := []string{"llvm.used", "llvm.compiler.used"}
	if f != 0 || convention == image.Grid {
		names = append(names, "llvm.global_ctors", "llvm.global_dtors")
	}
	if convention == image.Grid {
		capi.SetModuleInlineAsm2(c.module, "")
	}
	for _, name := range names {
		if g := capi.GetNamedGlobal(c.module, name); g != 0 {
			capi.DeleteGlobal(g)
		}
	}
}

// localise makes a definition local.
func (c *code) localise(g capi.Value) {
	if capi.IsDeclaration(g) {
		return
	}
	switch capi.GetLinkage(g) {
	case capi.InternalLinkage, capi.PrivateLinkage, capi.AvailableExternallyLinkage, capi.AppendingLinkage:
		return
	}
	if strings.HasPrefix(capi.GetValueName2(g), "llvm.") {
		return
	}
	capi.SetComdat(g, 0)
	capi.SetLinkage(g, capi.InternalLinkage)
}

// checkExtracted refuses what cannot be loaded without the system's linker.
func (c *code) checkExtracted() error {
	for g := range c.globals {
		if capi.IsThreadLocal(g) {
			return faultf(ErrUnsupported, "it uses the thread-local variable %q: pass its address as an argument instead", capi.GetValueName2(g))
		}
	}
	if i := capi.GetFirstGlobalIFunc(c.module); i != 0 {
		return faultf(ErrUnsupported, "it uses the indirect function %q: call one of its implementations instead", capi.GetValueName2(i))
	}
	return nil
}

// quietFrame is the frame size in bytes up to which only the entry's counts.
const quietFrame = "1024"

// retarget makes every function code for the request's processor, with what
// its level and kiln's loader ask for.
func (c *code) retarget(entry string, r *Request) {
	attribute := func(name, value string) capi.Attribute { return capi.CreateStringAttribute(c.context, name, value) }
	set := []capi.Attribute{
		// A frame larger than the guard page below the stack must not step over it.
		attribute("probe-stack", "inline-asm"),
		attribute("target-cpu", r.Target.Processor),
		// The code generator reports each frame that exceeds the size.
		attribute("warn-stack-size", quietFrame),
	}
	if r.Target.Features != "" {
		set = append(set, attribute("target-features", r.Target.Features))
	}
	switch r.Options.Opt {
	case Os:
		set = append(set, c.flag("optsize"))
	case Oz:
		set = append(set, c.flag("optsize"), c.flag("minsize"))
	}
	const self = capi.AttributeFunctionIndex
	for f := range c.functions {
		if capi.IsDeclaration(f) {
			continue
		}
		capi.RemoveStringAttributeAtIndex(f, self, "tune-cpu")
		capi.RemoveStringAttributeAtIndex(f, self, "target-features")
		// clang -O0 marks every function so, with its companion.
		if r.Options.Opt != O0 && enum(f, self, c.kinds.optnone) {
			capi.RemoveEnumAttributeAtIndex(f, self, c.kinds.optnone)
			capi.RemoveEnumAttributeAtIndex(f, self, c.kinds.noinline)
		}
		for _, a := range set {
			capi.AddAttributeAtIndex(f, self, a)
		}
	}
	if entry != "" {
		capi.AddAttributeAtIndex(capi.GetNamedFunction(c.module, entry), self, attribute("warn-stack-size", "0"))
	}
}
