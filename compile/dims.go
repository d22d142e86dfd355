package compile

import (
	"slices"

	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/specialize"
)

// GPU code asks for its place and for sizes by intrinsics, AMD's for sizes by
// loads from what the run time puts behind the arguments or into the dispatch
// packet. What a request fixes is put in their places; what it only bounds
// becomes a range.

// query is what an intrinsic tells along one axis.
type query uint8

const (
	itemID query = iota
	groupID
	blockSize
	gridSize
)

var axes = [...]string{"x", "y", "z"}

var queries = [...]struct {
	prefix string
	query  query
}{
	{"llvm.nvvm.read.ptx.sreg.tid.", itemID},
	{"llvm.nvvm.read.ptx.sreg.ctaid.", groupID},
	{"llvm.nvvm.read.ptx.sreg.ntid.", blockSize},
	{"llvm.nvvm.read.ptx.sreg.nctaid.", gridSize},
	{"llvm.amdgcn.workitem.id.", itemID},
	{"llvm.amdgcn.workgroup.id.", groupID},
}

// fixDims puts the block and grid sizes that are fixed into the code.
func (c *code) fixDims(block [3]uint32, spec *specialize.Spec) {
	grid := spec.Grid
	for _, q := range &queries {
		for axis, name := range axes {
			f := capi.GetNamedFunction(c.module, q.prefix+name)
			if f == 0 {
				continue
			}
			for _, call := range users(f) {
				if capi.IsACallInst(call) == 0 {
					continue
				}
				switch q.query {
				case blockSize:
					c.fix(call, block[axis])
				case gridSize:
					c.fix(call, grid[axis])
				case itemID:
					n := block[axis]
					if n == 0 {
						n = spec.MaxBlock
					}
					c.below(call, n)
				case groupID:
					c.below(call, grid[axis])
				}
			}
		}
	}
	c.fixHidden(block, grid)
}

// users returns what uses a value now; the list does not change with it.
func users(v capi.Value) []capi.Value {
	var all []capi.Value
	for use := capi.GetFirstUse(v); use != 0; use = capi.GetNextUse(use) {
		if user := capi.GetUser(use); !slices.Contains(all, user) {
			all = append(all, user)
		}
	}
	return all
}

// fix puts n in the place of an instruction, unless it is 0.
func (c *code) fix(instruction capi.Value, n uint32) {
	if n != 0 {
		c.replace(instruction, n)
	}
}

func (c *code) replace(instruction capi.Value, n uint32) {
	capi.ReplaceAllUsesWith(instruction, capi.ConstInt(capi.TypeOf(instruction), uint64(n), false))
	capi.InstructionEraseFromParent(instruction)
}

// below tells LLVM that a call returns less than n, unless n is 0.
func (c *code) below(call capi.Value, n uint32) {
	switch n {
	case 0:
	case 1:
		c.replace(call, 0)
	default:
		kind := capi.GetEnumAttributeKindForName("range")
		capi.AddCallSiteAttribute(call, capi.AttributeReturnIndex,
			capi.CreateConstantRangeAttribute(c.context, kind, 32, []uint64{0}, []uint64{uint64(n)}))
	}
}

// hidden is a field that AMD's run time fills in, with what is known of it.
type hidden struct {
	offset, bytes uint64
	value         func(block, grid [3]uint32) (n uint32, known bool)
}

func hiddenFields(offset, bytes uint64, value func(block, grid [3]uint32, axis int) (uint32, bool)) []hidden {
	var fields []hidden
	for axis := range axes {
		fields = append(fields, hidden{offset + bytes*uint64(axis), bytes, func(block, grid [3]uint32) (uint32, bool) {
			return value(block, grid, axis)
		}})
	}
	return fields
}

var (
	blockOf = func(block, _ [3]uint32, axis int) (uint32, bool) { return block[axis], block[axis] != 0 }
	gridOf  = func(_, grid [3]uint32, axis int) (uint32, bool) { return grid[axis], grid[axis] != 0 }
	itemsOf = func(block, grid [3]uint32, axis int) (uint32, bool) {
		n := uint64(block[axis]) * uint64(grid[axis])
		return uint32(n), n != 0 && n < 1<<32
	}
	// Groups are always whole.
	noRest = func(_, _ [3]uint32, _ int) (uint32, bool) { return 0, true }

	// implicitFields are those behind the arguments, from code object 5 on.
	implicitFields = slices.Concat(hiddenFields(0, 4, gridOf), hiddenFields(12, 2, blockOf), hiddenFields(18, 2, noRest))
	// packetFields are those of the dispatch packet.
	packetFields = slices.Concat(hiddenFields(4, 2, blockOf), hiddenFields(12, 4, itemsOf))
)

func (c *code) fixHidden(block, grid [3]uint32) {
	for _, source := range [...]struct {
		intrinsic string
		fields    []hidden
	}{
		{"llvm.amdgcn.implicitarg.ptr", implicitFields},
		{"llvm.amdgcn.dispatch.ptr", packetFields},
	} {
		if source.fields[0].offset == 0 && c.codeObject() < hiddenArguments {
			continue
		}
		f := capi.GetNamedFunction(c.module, source.intrinsic)
		if f == 0 {
			continue
		}
		for _, call := range users(f) {
			c.loads(call, 0, func(load capi.Value, offset uint64) {
				for i := range source.fields {
					field := &source.fields[i]
					typ := capi.TypeOf(load)
					if offset != field.offset || capi.GetTypeKind(typ) != capi.IntegerTypeKind || uint64(capi.GetIntTypeWidth(typ)) != 8*field.bytes {
						continue
					}
					if n, known := field.value(block, grid); known {
						c.replace(load, n)
					}
					return
				}
			})
		}
	}
}

// loads calls found for each load at a constant offset from an address.
func (c *code) loads(address capi.Value, offset uint64, found func(load capi.Value, offset uint64)) {
	for _, user := range users(address) {
		switch {
		case capi.IsALoadInst(user) != 0:
			if !capi.GetVolatile(user) {
				found(user, offset)
			}
		case capi.IsAGetElementPtrInst(user) != 0:
			// Those of clang are in bytes.
			if capi.GetNumIndices(user) != 1 || capi.GetOperand(user, 0) != address {
				continue
			}
			index := capi.GetOperand(user, 1)
			if capi.IsAConstantInt(index) == 0 {
				continue
			}
			size := capi.ABISizeOfType(c.layout, capi.GetGEPSourceElementType(user))
			c.loads(user, offset+size*capi.ConstIntGetZExtValue(index), found)
		case capi.IsAAddrSpaceCastInst(user) != 0, capi.IsABitCastInst(user) != 0:
			c.loads(user, offset, found)
		}
	}
}
