package llvm

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// backend is one of LLVM's code generators.
type backend struct {
	name     string
	matches  func(architecture string) bool
	register []func()
	ready    bool
}

var backends = []*backend{
	{name: "X86", matches: func(a string) bool {
		return a == "x86_64" || a == "amd64" || len(a) == 4 && a[0] == 'i' && strings.HasSuffix(a, "86")
	}, register: []func(){
		capi.InitializeX86TargetInfo, capi.InitializeX86Target, capi.InitializeX86TargetMC,
		capi.InitializeX86AsmPrinter, capi.InitializeX86AsmParser,
	}},
	{name: "NVPTX", matches: func(a string) bool {
		return a == "nvptx" || a == "nvptx64"
	}, register: []func(){
		capi.InitializeNVPTXTargetInfo, capi.InitializeNVPTXTarget, capi.InitializeNVPTXTargetMC,
		capi.InitializeNVPTXAsmPrinter,
	}},
	{name: "AMDGPU", matches: func(a string) bool {
		return a == "amdgcn" || a == "r600"
	}, register: []func(){
		capi.InitializeAMDGPUTargetInfo, capi.InitializeAMDGPUTarget, capi.InitializeAMDGPUTargetMC,
		capi.InitializeAMDGPUAsmPrinter, capi.InitializeAMDGPUAsmParser,
	}},
	{name: "AArch64", matches: func(a string) bool {
		return a == "aarch64" || a == "arm64"
	}, register: []func(){
		capi.InitializeAArch64TargetInfo, capi.InitializeAArch64Target, capi.InitializeAArch64TargetMC,
		capi.InitializeAArch64AsmPrinter, capi.InitializeAArch64AsmParser,
	}},
}

// registry guards LLVM's list of targets, which has no lock of its own.
var registry sync.RWMutex

// lookupTarget returns LLVM's target for a triple. Only the back end that the
// triple needs is ever made ready.
func lookupTarget(triple string) (capi.Target, error) {
	architecture, _, _ := strings.Cut(triple, "-")
	var b *backend
	for _, candidate := range backends {
		if candidate.matches(architecture) {
			b = candidate
		}
	}
	if b == nil {
		return 0, fmt.Errorf("no back end for architecture %q", architecture)
	}
	registry.RLock()
	ready := b.ready
	registry.RUnlock()
	if !ready {
		if err := b.makeReady(); err != nil {
			return 0, err
		}
	}
	registry.RLock()
	defer registry.RUnlock()
	var target capi.Target
	var message capi.Message
	if capi.GetTargetFromTriple(triple, &target, &message) {
		return 0, errors.New(cleanMessage(message.Take()))
	}
	return target, nil
}

func (b *backend) makeReady() error {
	registry.Lock()
	defer registry.Unlock()
	if b.ready {
		return nil
	}
	if !capi.Has("Initialize" + b.name + "Target") {
		return fmt.Errorf("%s was built without the %s back end", Current().Path, b.name)
	}
	for _, register := range b.register {
		register()
	}
	b.ready = true
	return nil
}
