package spmd

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// partly is what is known of a lane's value while compiling: the bits of value
// that are set in known.
type partly struct{ value, known uint64 }

// maxLook bounds how many instructions are looked at for one lane's value.
const maxLook = 200

// constantLanes returns the pattern of a shuffle whose lanes can be named
// while compiling.
func (w *laneWriter) constantLanes(o irtext.Operand) (string, bool) {
	var parts []string
	low := uint64(w.lanes - 1)
	for lane := range w.lanes {
		left := maxLook
		p := w.look(o, uint64(lane), &left)
		if p.known&low != low {
			return "", false
		}
		parts = append(parts, fmt.Sprintf("i32 %d", p.value&low))
	}
	return w.wide("i32") + " <" + strings.Join(parts, ", ") + ">", true
}

func width64(typ string) uint64 {
	n := irtext.Bits(typ)
	if n <= 0 || n > 64 {
		return 0
	}
	return ^uint64(0) >> (64 - n)
}

// look follows an operand's value in one lane.
func (w *laneWriter) look(o irtext.Operand, lane uint64, left *int) partly {
	all := width64(o.Type)
	if all == 0 {
		return partly{}
	}
	if !o.Local() {
		switch o.Text {
		case "true":
			return partly{1, all}
		case "false":
			return partly{0, all}
		}
		if n, ok := integer(o.Text); ok {
			return partly{uint64(n) & all, all}
		}
		return partly{}
	}
	in := w.l.fn.Defs[o.Text]
	if *left--; in == nil || *left < 0 {
		return partly{}
	}
	p := w.lookAt(in, lane, left)
	p.known &= all
	p.value &= p.known
	return p
}

func (w *laneWriter) lookAt(in *irtext.Instr, lane uint64, left *int) partly {
	arg := func(i int) partly { return w.look(in.Args[i], lane, left) }
	if in.Op == "call" {
		if base, _, ok := intrinsicName(in.Callee); ok {
			return lookIntrinsic(base, in, arg)
		}
		return w.lookID(in, lane)
	}
	switch in.Op {
	case "zext":
		p := arg(0)
		p.known |= ^width64(in.Args[0].Type)
		return p
	case "trunc":
		return arg(0)
	case "and":
		x, y := arg(0), arg(1)
		return partly{x.value & y.value, x.known&y.known | x.known&^x.value | y.known&^y.value}
	case "or":
		x, y := arg(0), arg(1)
		return partly{x.value | y.value, x.known&y.known | x.known&x.value | y.known&y.value}
	case "xor":
		x, y := arg(0), arg(1)
		return partly{x.value ^ y.value, x.known & y.known}
	case "add", "sub", "mul":
		x, y := arg(0), arg(1)
		known := lowOnes(x.known) & lowOnes(y.known)
		switch in.Op {
		case "add":
			return partly{x.value + y.value, known}
		case "sub":
			return partly{x.value - y.value, known}
		}
		// A factor with zeros at its end gives as many more bits.
		return partly{x.value * y.value, known | lowOnes(x.known&^x.value) | lowOnes(y.known&^y.value)}
	case "shl", "lshr":
		by := arg(1)
		n := by.value
		if all := width64(in.Type); by.known&all != all || n > 63 {
			return partly{}
		}
		x := arg(0)
		if in.Op == "shl" {
			return partly{x.value << n, x.known<<n | (1<<n - 1)}
		}
		return partly{x.value >> n, x.known>>n | ^(width64(in.Type) >> n)}
	case "select":
		c := arg(0)
		switch {
		case c.known&1 == 0:
			x, y := arg(1), arg(2)
			return partly{x.value, x.known & y.known &^ (x.value ^ y.value)}
		case c.value&1 != 0:
			return arg(1)
		}
		return arg(2)
	case "icmp":
		return compareKnown(in, arg(0), arg(1))
	}
	return partly{}
}

// lookIntrinsic is for operands that are known as a whole.
func lookIntrinsic(base string, in *irtext.Instr, arg func(i int) partly) partly {
	all := width64(in.Type)
	var v [2]uint64
	for i := range min(len(in.Args), 2) {
		p := arg(i)
		if all == 0 || p.known&all != all {
			return partly{}
		}
		v[i] = p.value & all
	}
	switch base {
	case "umin":
		return partly{min(v[0], v[1]), all}
	case "umax":
		return partly{max(v[0], v[1]), all}
	case "usub.sat":
		return partly{v[0] - min(v[0], v[1]), all}
	case "ctpop":
		return partly{uint64(bits.OnesCount64(v[0])), all}
	}
	return partly{}
}

// lowOnes keeps the ones at the end of a number.
func lowOnes(n uint64) uint64 { return n &^ (n + 1) }

func compareKnown(in *irtext.Instr, x, y partly) partly {
	all := width64(in.Args[0].Type)
	if all == 0 || x.known&all != all || y.known&all != all {
		return partly{}
	}
	sign := all ^ all>>1
	a, b := x.value&all, y.value&all
	predicate := in.Head[1].Text
	if predicate == "samesign" {
		predicate = in.Head[2].Text
	}
	if predicate[0] == 's' {
		a, b = a^sign, b^sign
	}
	is := false
	switch predicate {
	case "eq":
		is = a == b
	case "ne":
		is = a != b
	case "slt", "ult":
		is = a < b
	case "sle", "ule":
		is = a <= b
	case "sgt", "ugt":
		is = a > b
	case "sge", "uge":
		is = a >= b
	}
	if is {
		return partly{1, 1}
	}
	return partly{0, 1}
}

// lookID is what is known of an id: row by row a chunk's first item is a
// multiple of the lanes, and so is a whole row.
func (w *laneWriter) lookID(in *irtext.Instr, lane uint64) partly {
	kind, d, ok := idOf(in.Callee)
	low := uint64(w.lanes - 1)
	switch {
	case !ok || w.s.flat || d != 0:
		return partly{}
	case kind == tid:
		return partly{lane, low}
	case kind == ntid && !w.s.partial:
		return partly{0, low}
	}
	return partly{}
}
