package compile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// attributeMajor is the first LLVM that reads NVPTX's launch bounds from
// attributes rather than from !nvvm.annotations.
const attributeMajor = 21

// setBounds tells the code generator which blocks the kernel f is launched
// with: those it is fixed to, or the most that kernel and request allow.
func (c *code) setBounds(f capi.Value, block [3]uint32, k *image.Kernel, spec *specialize.Spec, llvmMajor int) {
	if spec.MaxBlock != 0 && (k.MaxBlock == 0 || spec.MaxBlock < k.MaxBlock) {
		k.MaxBlock = spec.MaxBlock
	}
	if c.arch == target.AMDGPU {
		c.boundAMD(f, block, k, spec)
		return
	}
	set := func(name string, dims ...uint32) {
		if llvmMajor >= attributeMajor {
			var list []string
			for _, n := range dims {
				list = append(list, strconv.FormatUint(uint64(n), 10))
			}
			c.setText(f, name, strings.Join(list, ","))
			return
		}
		names := []string{strings.TrimPrefix(name, "nvvm.")}
		if len(dims) > 1 {
			names = []string{names[0] + "x", names[0] + "y", names[0] + "z"}
		}
		for i, n := range dims {
			c.annotate(f, names[i], n)
		}
	}
	if block != ([3]uint32{}) {
		// PTX takes one of the two.
		capi.RemoveStringAttributeAtIndex(f, capi.AttributeFunctionIndex, "nvvm.maxntid")
		set("nvvm.reqntid", block[0], block[1], block[2])
	} else if spec.MaxBlock != 0 && spec.MaxBlock == k.MaxBlock {
		set("nvvm.maxntid", spec.MaxBlock, 1, 1)
	}
	if spec.MinBlocks != 0 {
		set("nvvm.minctasm", spec.MinBlocks)
	}
}

func (c *code) boundAMD(f capi.Value, block [3]uint32, k *image.Kernel, spec *specialize.Spec) {
	const sizes = "amdgpu-flat-work-group-size"
	switch n := uint64(block[0]) * uint64(block[1]) * uint64(block[2]); {
	case n != 0 && n <= math.MaxUint32:
		c.setText(f, sizes, fmt.Sprintf("%d,%d", n, n))
		i32 := capi.Int32TypeInContext(c.context)
		var dims []capi.Metadata
		for _, d := range block {
			dims = append(dims, capi.ValueAsMetadata(capi.ConstInt(i32, uint64(d), false)))
		}
		capi.GlobalSetMetadata(f, c.kinds.reqdWorkGroupSize, capi.MDNodeInContext2(c.context, dims))
	case spec.MaxBlock != 0 && spec.MaxBlock == k.MaxBlock:
		c.setText(f, sizes, fmt.Sprintf("1,%d", spec.MaxBlock))
	}
	if spec.MinBlocks != 0 {
		c.setText(f, "amdgpu-waves-per-eu", strconv.FormatUint(uint64(spec.MinBlocks), 10))
	}
	c.setText(f, "uniform-work-group-size", "true")
}

func (c *code) setText(f capi.Value, name, value string) {
	capi.AddAttributeAtIndex(f, capi.AttributeFunctionIndex, capi.CreateStringAttribute(c.context, name, value))
}

// annotate adds to !nvvm.annotations.
func (c *code) annotate(f capi.Value, name string, n uint32) {
	value := capi.ConstInt(capi.Int32TypeInContext(c.context), uint64(n), false)
	node := capi.MDNodeInContext2(c.context, []capi.Metadata{
		capi.ValueAsMetadata(f), capi.MDStringInContext2(c.context, name), capi.ValueAsMetadata(value),
	})
	capi.AddNamedMetadataOperand(c.module, "nvvm.annotations", capi.MetadataAsValue(c.context, node))
}
