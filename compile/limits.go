package compile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// checkLimits refuses what the processor cannot run, with the numbers: its
// assembler would say less, or LLVM nothing at all.
func (b *build) checkLimits() error {
	to := b.request.Target
	l := to.Limits().WithDevice(b.request.Limits)
	if b.request.Variables {
		return nil
	}
	if err := b.checkParams(l); err != nil {
		return err
	}
	for axis, n := range b.block {
		if most := l.BlockDims[axis]; most != 0 && n > most {
			return faultf(ErrUnsupported, "a block of %d work-items along %s; %s has at most %d", n, axes[axis], to.Processor, most)
		}
	}
	if n := uint64(b.block[0]) * uint64(b.block[1]) * uint64(b.block[2]); l.Block != 0 && n > uint64(l.Block) {
		return faultf(ErrUnsupported, "a block of %d x %d x %d work-items; %s has at most %d", b.block[0], b.block[1], b.block[2], to.Processor, l.Block)
	}
	if n := b.request.Spec.MaxBlock; l.Block != 0 && n > l.Block {
		return faultf(ErrUnsupported, "blocks of up to %d work-items; %s has at most %d", n, to.Processor, l.Block)
	}
	if shared := b.code.sharedBytes(); l.StaticShared != 0 && shared > uint64(l.StaticShared) {
		return faultf(ErrUnsupported, "the kernel declares %d bytes of shared memory; %s has room for %d: size some of it at launch, or use less", shared, to.Processor, l.StaticShared)
	}
	if s, ok := text(b.function, "nvvm.maxnreg"); ok {
		if n, err := strconv.ParseUint(s, 10, 32); err == nil && l.Registers != 0 && n > uint64(l.Registers) {
			return faultf(ErrUnsupported, "the kernel asks for %d registers a work-item; %s has at most %d", n, to.Processor, l.Registers)
		}
	}
	return b.checkCluster(l)
}

// checkParams refuses parameters that do not fit, and lists their sizes.
func (b *build) checkParams(l target.Limits) error {
	most, why := l.ParamBytes, b.request.Target.Processor
	if b.ptx != 0 && b.ptx < target.LongParamsPTX && most > target.ShortParamBytes {
		most, why = target.ShortParamBytes, fmt.Sprintf("PTX %s on %s", b.ptx, why)
	}
	if most == 0 || b.desc.ParamBytes <= most {
		return nil
	}
	var sizes []string
	for i := range b.desc.Params {
		p := &b.desc.Params[i]
		sizes = append(sizes, fmt.Sprintf("%s %d", paramName(i, p), p.Size))
		if len(sizes) == mostNamed && len(b.desc.Params) > mostNamed {
			sizes = append(sizes, fmt.Sprintf("and %d more", len(b.desc.Params)-mostNamed))
			break
		}
	}
	return faultf(ErrUnsupported, "the kernel's parameters take %d bytes (%s); %s has room for %d: pass large ones by address",
		b.desc.ParamBytes, strings.Join(sizes, ", "), why, most)
}

func paramName(i int, p *image.Param) string {
	if p.Name != "" {
		return fmt.Sprintf("%d %q:", i, p.Name)
	}
	return fmt.Sprintf("%d (%s):", i, p.Type)
}

// checkCluster refuses clusters that the processor does not have.
func (b *build) checkCluster(l target.Limits) error {
	if b.request.Target.Arch() != target.NVPTX {
		return nil
	}
	var cluster [3]uint32
	var product uint32
	if s, ok := text(b.function, "nvvm.cluster_dim"); ok {
		cluster, product = dims(s)
	}
	switch {
	case product == 0:
		return nil
	case l.Cluster == 0:
		return faultf(ErrUnsupported, "the kernel is for clusters of %d blocks; %s has none: they are there from sm_90 on", product, b.request.Target.Processor)
	case product > l.Cluster:
		return faultf(ErrUnsupported, "the kernel is for clusters of %d x %d x %d blocks; %s has at most %d", cluster[0], cluster[1], cluster[2], b.request.Target.Processor, l.Cluster)
	}
	return nil
}

// sharedBytes adds up the shared memory that is declared with a size.
func (c *code) sharedBytes() uint64 {
	n := uint64(0)
	for g := range c.globals {
		if capi.IsDeclaration(g) || !c.isShared(g) {
			continue
		}
		align := uint64(c.alignment(g))
		n = (n+align-1)&^(align-1) + capi.ABISizeOfType(c.layout, capi.GlobalGetValueType(g))
	}
	return n
}
