package spmd_test

import "math"

// machine interprets a program for one launch.
type machine struct {
	grid, block [3]uint32
	input       []int32
	output      []int32
	counts      []int32
	steps       int
}

type item struct {
	m        *machine
	tid, cta [3]uint32
	number   int
	vars     [variables]int32
	private  [privateSize]int32
}

type flow uint8

const (
	onward flow = iota
	breaking
	continuing
	returning
)

func (m *machine) run(p *program) {
	size := m.block[0] * m.block[1] * m.block[2]
	for g := range m.grid[0] * m.grid[1] * m.grid[2] {
		for l := range size {
			it := &item{m: m, number: int(g*size + l)}
			it.tid = [3]uint32{l % m.block[0], l / m.block[0] % m.block[1], l / m.block[0] / m.block[1]}
			it.cta = [3]uint32{g % m.grid[0], g / m.grid[0] % m.grid[1], g / m.grid[0] / m.grid[1]}
			it.block(p.body)
			for i, v := range it.vars {
				m.output[it.number*outputSize+i] += v
			}
		}
	}
}

func (it *item) block(list []stmt) flow {
	for _, s := range list {
		if f := it.stmt(s); f != onward {
			return f
		}
	}
	return onward
}

func (it *item) stmt(s stmt) flow {
	it.m.steps++
	switch s.op {
	case "set":
		it.vars[s.n] = it.eval(s.e)
	case "priv":
		v := it.eval(s.e)
		it.private[uint32(it.eval(s.at))%privateSize] = v
	case "byte":
		v := it.eval(s.e)
		at := uint32(it.eval(s.at)) % (4 * privateSize)
		shift := at % 4 * 8
		it.private[at/4] = int32(uint32(it.private[at/4])&^(0xff<<shift) | uint32(v)&0xff<<shift)
	case "out":
		v := it.eval(s.e)
		it.m.output[it.number*outputSize+int(uint32(it.eval(s.at))%outputSize)] = v
	case "count":
		it.m.counts[s.n] += it.eval(s.e)
	case "if":
		if it.eval(s.e) != 0 {
			return it.block(s.blocks[0])
		}
		if len(s.blocks) > 1 {
			return it.block(s.blocks[1])
		}
	case "loop":
		times := it.eval(s.e) & 7
		for i := int32(0); i < times; i++ {
			it.vars[s.n] = i
			switch it.block(s.blocks[0]) {
			case breaking:
				return onward
			case returning:
				return returning
			}
		}
	case "switch":
		for i := int(uint32(it.eval(s.e)) % 5); i < len(s.blocks); i++ {
			if f := it.block(s.blocks[i]); f != onward || s.n == 0 {
				return f
			}
		}
	case "break":
		return breaking
	case "continue":
		return continuing
	case "return":
		return returning
	}
	return onward
}

func (it *item) eval(e expr) int32 {
	it.m.steps++
	var a, b int32
	switch e.op {
	case "const":
		return e.n
	case "var":
		return it.vars[e.n]
	case "global":
		return int32(it.cta[0]*it.m.block[0] + it.tid[0])
	case "id":
		return int32([]uint32{it.tid[0], it.tid[1], it.tid[2], it.m.block[0], it.m.block[1], it.cta[0], it.cta[1], it.m.grid[0]}[e.n])
	case "in":
		return it.m.input[uint32(it.eval(e.args[0]))%inputSize]
	case "row":
		if i := uint32(it.eval(e.args[0])) + it.tid[0]; i < inputSize {
			return it.m.input[i]
		}
		return 0
	case "priv":
		return it.private[uint32(it.eval(e.args[0]))%privateSize]
	case "byte":
		at := uint32(it.eval(e.args[0])) % (4 * privateSize)
		return int32(int8(it.private[at/4] >> (at % 4 * 8)))
	case "out":
		return it.m.output[it.number*outputSize+int(uint32(it.eval(e.args[0]))%outputSize)]
	case "select":
		c, x, y := it.eval(e.args[0]), it.eval(e.args[1]), it.eval(e.args[2])
		if c != 0 {
			return x
		}
		return y
	}
	a, b = it.eval(e.args[0]), it.eval(e.args[1])
	bit := func(c bool) int32 {
		if c {
			return 1
		}
		return 0
	}
	switch e.op {
	case "add":
		return a + b
	case "sub":
		return a - b
	case "mul":
		return a * b
	case "and":
		return a & b
	case "or":
		return a | b
	case "xor":
		return a ^ b
	case "shl":
		return a << (b & 31)
	case "lshr":
		return int32(uint32(a) >> (b & 31))
	case "ashr":
		return a >> (b & 31)
	case "sdiv":
		return a / (b&0xffff | 1)
	case "udiv":
		return int32(uint32(a) / uint32(b|1))
	case "srem":
		return a % (b&0xffff | 1)
	case "urem":
		return int32(uint32(a) % uint32(b|1))
	case "eq":
		return bit(a == b)
	case "ne":
		return bit(a != b)
	case "slt":
		return bit(a < b)
	case "ult":
		return bit(uint32(a) < uint32(b))
	case "sgt":
		return bit(a > b)
	case "smin":
		return min(a, b)
	case "umax":
		return int32(max(uint32(a), uint32(b)))
	case "narrow":
		return int32(int16(a)) + int32(uint8(b))
	case "wide":
		return int32(int64(a) * int64(b) >> 7)
	case "call":
		for n := a & 7; n > 0; n-- {
			b = b*3 + n
		}
		return b
	case "float":
		f := float32(a&0xff)*float32(b&0xff) + 0.5
		return int32(math.Sqrt(float64(f)))
	}
	panic(e.op)
}
