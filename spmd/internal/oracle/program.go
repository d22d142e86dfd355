// Package oracle makes random GPU kernels and says what they compute, for tests
// to hold against what compiled kernels do. A Program is a kernel's source with
// the launch that it is for; Draw makes one, IR writes it for a device's
// compiler, and Run interprets it, work-items in step wherever they meet.
//
// Programs have no races and no barrier that only some live work-items reach:
// Draw keeps to that by construction, and Run checks it.
package oracle

import "math"

// Program is one kernel and its launch. It marshals to JSON, so that programs
// that once failed can be kept.
type Program struct {
	Grid, Block [3]uint32
	// Args are the kernel's scalar arguments.
	Args [2]int32
	// Seed is what the input is made of.
	Seed uint32
	// Shared are arrays of int32 that a group shares, with an element for each
	// of its items. At most one of them is sized by the launch.
	Shared []SharedArray `json:",omitempty"`
	// Exits tells that items may return before others.
	Exits bool
	Body  []Stmt
}

// SharedArray is one array that a group shares.
type SharedArray struct {
	// Dynamic tells that the launch gives the memory.
	Dynamic bool `json:",omitempty"`
	// Atomic is the one operation by which items change each other's elements.
	Atomic string
}

// The fixed parts of a program. Each variable is named by its index.
const (
	ints        = 6 // variables of type int32: 0 to 5
	floats      = 3 // of type float32: 6 to 8
	variables   = ints + floats
	privateSize = 8  // elements of the one private array
	inputSize   = 64 // elements of each input
	outInts     = 10 // output elements of each item, of int32
	outFloats   = 4  // and of float32
	counters    = 4
	warpSize    = 32
)

// level tells for which items a value or a condition is the same.
type level uint8

const (
	byGroup level = iota // all items of a group
	byWarp               // all lanes of a warp
	byLane               // none
)

// variableLevel is what each variable holds at most.
var variableLevel = [variables]level{byLane, byLane, byLane, byGroup, byGroup, byWarp, byLane, byLane, byGroup}

// counterOps are the operations that count statements do, by counter.
var counterOps = [counters]string{"add", "xor", "max", "umin"}

// Expr is an expression. Op names an operator or what is read: "int" and
// "float" (a constant with bits N), "var", "arg", "turn" (the count of the
// N-th loop around), "id" (of ids), "in" and "fin" (the inputs), "private",
// "own" and "shared" (this item's or any element of shared array N).
type Expr struct {
	Op   string
	N    int32  `json:",omitempty"`
	Args []Expr `json:",omitempty"`
}

// Stmt is a statement.
//
//	set       variable N to E0
//	private   element E0 to E1
//	share     this item's element of shared array N to E0
//	atomic    element E0 of shared array N by E1
//	out, fout output element N of this item to E0
//	count     counter N by E0
//	if        E0: block 0, else block 1
//	switch    E0 modulo the number of blocks; N is 1 where blocks fall through
//	loop      block 0, at most E0 modulo 8 times, while E1 if there is one;
//	          N is 1 where the test is behind the block
//	break, continue, return
//	barrier   with id N
//	reduce    variable N to what Kind ("popc", "and", "or") makes of all items' E0
//	warp      variable N to what Kind makes of the E of the lanes in Mask
type Stmt struct {
	Op     string
	N      int32    `json:",omitempty"`
	Kind   string   `json:",omitempty"`
	E      []Expr   `json:",omitempty"`
	Blocks [][]Stmt `json:",omitempty"`
	// Mask names the lanes of a warp operation, Width is that of a shuffle's segments.
	Mask  uint32 `json:",omitempty"`
	Width int32  `json:",omitempty"`
}

var ids = []string{"tid.x", "tid.y", "tid.z", "lane", "item", "warp", "ntid.x", "ntid.y", "ctaid.x", "ctaid.y", "nctaid.x"}

func idLevel(n int32) level {
	switch {
	case n < 5:
		return byLane
	case n == 5:
		return byWarp
	}
	return byGroup
}

// operator is what is known of one: the types of its operands and result, in
// letters, i for int32 and f for float32.
type operator struct{ args, result string }

var operators = map[string]operator{
	"add": {"ii", "i"}, "sub": {"ii", "i"}, "mul": {"ii", "i"}, "and": {"ii", "i"}, "or": {"ii", "i"}, "xor": {"ii", "i"},
	"shl": {"ii", "i"}, "lshr": {"ii", "i"}, "ashr": {"ii", "i"}, "udiv": {"ii", "i"}, "urem": {"ii", "i"},
	"sdiv": {"ii", "i"}, "srem": {"ii", "i"}, "smin": {"ii", "i"}, "umax": {"ii", "i"},
	"eq": {"ii", "i"}, "ne": {"ii", "i"}, "slt": {"ii", "i"}, "ult": {"ii", "i"}, "sgt": {"ii", "i"},
	"select": {"iii", "i"}, "fselect": {"iff", "f"},
	"fadd": {"ff", "f"}, "fsub": {"ff", "f"}, "fmul": {"ff", "f"}, "fdiv": {"ff", "f"}, "fma": {"fff", "f"},
	"fneg": {"f", "f"}, "fabs": {"f", "f"}, "fsqrt": {"f", "f"},
	"flt": {"ff", "i"}, "feq": {"ff", "i"}, "sitofp": {"i", "f"}, "fptosi": {"f", "i"},
}

// The names in the order in which a test case is made simpler.
var (
	intOperators = []string{"add", "sub", "xor", "and", "or", "mul", "eq", "ne", "slt", "ult", "sgt", "select", "shl", "lshr",
		"ashr", "udiv", "urem", "sdiv", "srem", "smin", "umax", "flt", "feq", "fptosi"}
	floatOperators = []string{"fadd", "fsub", "fmul", "sitofp", "fneg", "fabs", "fselect", "fdiv", "fma", "fsqrt"}
)

// Items is the number of work-items of a group.
func (p *Program) Items() int { return int(p.Block[0] * p.Block[1] * p.Block[2]) }

// Groups is the number of groups of the launch.
func (p *Program) Groups() int { return int(p.Grid[0] * p.Grid[1] * p.Grid[2]) }

// SharedBytes is the memory that a group needs of the launch.
func (p *Program) SharedBytes() int {
	for _, s := range p.Shared {
		if s.Dynamic {
			return 4 * p.Items()
		}
	}
	return 0
}

// Buffers are what a kernel reads and writes, in the order of its parameters;
// the scalar arguments follow.
type Buffers struct {
	Out   []int32
	FOut  []float32
	In    []int32
	FIn   []float32
	Count []int32
}

// NewBuffers returns the buffers as the launch finds them.
func (p *Program) NewBuffers() *Buffers {
	n := p.Items() * p.Groups()
	b := &Buffers{
		Out: make([]int32, n*outInts), FOut: make([]float32, n*outFloats),
		In: make([]int32, inputSize), FIn: make([]float32, inputSize), Count: make([]int32, counters),
	}
	state := p.Seed*2654435761 + 12345
	next := func() uint32 {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		if state == 0 {
			state = 1
		}
		return state
	}
	for i := range inputSize {
		v := int32(next())
		if next()%4 != 0 {
			v %= 64
		}
		b.In[i] = v
		b.FIn[i] = float32(int32(next())>>8) / float32(int32(1)<<(next()%28))
		if next()%16 == 0 {
			b.FIn[i] = float32(math.Inf(1))
		}
	}
	b.Count[3] = -1
	return b
}

// Shuffles is a program that does one kind of shuffle, "idx", "up", "down" or
// "bfly", in segments of the width, for some distances and for some
// that differ from lane to lane, and folds all it reads into variables 0 and 6.
func Shuffles(kind string, width int32, block [3]uint32) *Program {
	p := &Program{Grid: [3]uint32{1, 1, 1}, Block: block, Seed: 7}
	op := func(name string, args ...Expr) Expr { return Expr{Op: name, Args: args} }
	number := func(n int32) Expr { return Expr{Op: "int", N: n} }
	variable := func(n int32) Expr { return Expr{Op: "var", N: n} }
	lane := Expr{Op: "id", N: 3}
	add := func(s ...Stmt) { p.Body = append(p.Body, s...) }
	add(Stmt{Op: "set", N: 1, E: []Expr{op("in", Expr{Op: "id", N: 4})}}, Stmt{Op: "set", N: 7, E: []Expr{op("sitofp", lane)}})
	for _, by := range []int32{0, 1, 2, 3, 7, 8, 15, 16, 31, warpSize, warpSize + 2} {
		distance := number(by)
		if by >= warpSize {
			distance = op("xor", op("mul", lane, number(by-29)), number(by))
		}
		for _, typed := range []struct{ to, from, sum int32 }{{2, 1, 0}, {8, 7, 6}} {
			times, plus, factor := "mul", "add", number(31)
			if typed.sum >= ints {
				times, plus, factor = "fmul", "fadd", op("sitofp", number(3))
			}
			add(Stmt{Op: "warp", Kind: kind, N: typed.to, E: []Expr{variable(typed.from), distance}, Mask: fullMask, Width: width},
				Stmt{Op: "set", N: typed.sum, E: []Expr{op(plus, op(times, variable(typed.sum), factor), variable(typed.to))}})
		}
	}
	add(Stmt{Op: "out", E: []Expr{variable(0)}}, Stmt{Op: "fout", E: []Expr{variable(6)}})
	return p
}
