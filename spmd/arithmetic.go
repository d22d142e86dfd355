package spmd

import (
	"math/bits"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// arithmetic finds the shape of an integer operation. What matters is when the
// lanes of the result still ascend in even steps, and when they are all equal.
func (s *shapes) arithmetic(in *irtext.Instr) shape {
	x, y := s.at(in.Args[0]), s.at(in.Args[1])
	switch {
	case x.kind == unknown || y.kind == unknown:
		return shape{}
	case x.kind == varying || y.kind == varying:
		return guess(in, x, y)
	case x.kind == uniform && y.kind == uniform:
		return shape{kind: uniform, aligned: s.multiple(in, x, y)}
	}
	nsw, nuw := in.Has("nsw"), in.Has("nuw")
	n, isConst := integer(in.Args[1].Text)
	switch in.Op {
	case "add", "or":
		if in.Op == "or" {
			if !in.Has("disjoint") {
				return isVarying
			}
			nsw, nuw = true, true
		}
		return s.sum(x, y, x.stride+y.stride, nsw, nuw)
	case "sub":
		out := s.sum(x, y, x.stride-y.stride, nsw, false)
		out.aligned = out.aligned && y.kind == uniform
		return out
	case "mul", "shl":
		factor := n
		if in.Op == "shl" {
			if !isConst || n < 0 || n > 62 {
				return isVarying
			}
			factor = 1 << n
		}
		if x.kind != affine || !isConst || factor == 0 {
			return isVarying
		}
		hi, lo := bits.Mul64(uint64(max(x.stride, -x.stride)), uint64(max(factor, -factor)))
		if hi != 0 || lo>>62 != 0 {
			return isVarying
		}
		return shape{kind: affine, stride: x.stride * factor, signed: nsw && x.signed, unsigned: nuw && x.unsigned && x.stride > 0 && factor > 0}
	}
	if !isConst {
		return isVarying
	}
	if in.Op == "ashr" {
		if sh, ok := s.signExtension(in, n); ok {
			return sh
		}
	}
	switch {
	case x.aligned:
		return s.ofAligned(in, x, n)
	case in.Op == "and" && x.kind == affine && (n == 1<<32-1 || n == 1<<16-1):
		return shape{kind: varying, guess: x.stride} // a number cut short and extended
	}
	return isVarying
}

// guess keeps what is guessed of a varying value where it is moved or scaled.
func guess(in *irtext.Instr, x, y shape) shape {
	n, ok := integer(in.Args[1].Text)
	switch {
	case in.Op == "add" && y.kind == varying && x.kind == uniform:
		x, y = y, x
	case y.kind != uniform:
		return isVarying
	}
	switch {
	case in.Op == "add" || in.Op == "sub" || in.Op == "or" && in.Has("disjoint"):
		return shape{kind: varying, guess: x.guess}
	case ok && in.Op == "shl" && n >= 0 && n < 8:
		return shape{kind: varying, guess: x.guess << n}
	case ok && in.Op == "mul" && n > 0 && n < 256:
		return shape{kind: varying, guess: x.guess * n}
	}
	return isVarying
}

// sum adds two shapes of which one is affine.
func (s *shapes) sum(x, y shape, stride int64, nsw, nuw bool) shape {
	if stride == 0 {
		return isVarying
	}
	aligned := x.aligned && y.aligned && (x.kind == uniform || y.kind == uniform) && stride == 1
	ok := func(v shape, no bool) bool { return v.kind == uniform || no }
	return shape{
		kind: affine, stride: stride, aligned: aligned,
		signed:   aligned || nsw && ok(x, x.signed) && ok(y, y.signed),
		unsigned: aligned || nuw && ok(x, x.unsigned) && ok(y, y.unsigned) && stride > 0,
	}
}

// multiple reports whether a uniform result is a multiple of the number of lanes.
func (s *shapes) multiple(in *irtext.Instr, x, y shape) bool {
	switch in.Op {
	case "add", "sub", "or":
		return x.aligned && y.aligned
	case "mul", "and":
		return x.aligned || y.aligned
	case "shl":
		n, ok := integer(in.Args[1].Text)
		return x.aligned || ok && n >= 0 && n < 63 && (int64(1)<<n)%s.lanes == 0
	}
	return false
}

// ofAligned is for operations with a constant on base+lane, where the base is
// a multiple of the number of lanes, so that no lane carries into its upper bits.
func (s *shapes) ofAligned(in *irtext.Instr, x shape, n int64) shape {
	low := s.lanes - 1
	switch in.Op {
	case "and":
		switch n & low {
		case low:
			return ascendingID
		case 0:
			return shape{kind: uniform, aligned: true}
		}
	case "lshr":
		if n >= 0 && n < 63 && (int64(1)<<n)%s.lanes == 0 {
			return isUniform
		}
	case "ashr":
		if n >= 0 && n < 63 && (int64(1)<<n)%s.lanes == 0 {
			return isUniform
		}
	case "udiv":
		if n > 0 && n%s.lanes == 0 {
			return isUniform
		}
	case "urem":
		if n > 0 && n%s.lanes == 0 {
			return ascendingID
		}
	}
	return isVarying
}

// signExtension finds the shape of a shift right after a shift left by as much
// or more of an aligned value: a truncation, an extension and perhaps a scaling
// in one register.
func (s *shapes) signExtension(in *irtext.Instr, right int64) (shape, bool) {
	def := s.g.fn.Defs[in.Args[0].Text]
	if def == nil || def.Op != "shl" {
		return shape{}, false
	}
	x := s.at(def.Args[0])
	left, ok := integer(def.Args[1].Text)
	if !ok || !x.aligned || x.kind != affine || left < right || right < 0 || int64(irtext.Bits(in.Type))-left < 16 {
		return shape{}, false
	}
	whole := left == right
	return shape{kind: affine, stride: 1 << (left - right), signed: true, unsigned: whole, aligned: whole}, true
}

// compare finds where all lanes of base+lane lie on the same side of a bound.
func (s *shapes) compare(in *irtext.Instr) shape {
	x, y := s.at(in.Args[0]), s.at(in.Args[1])
	if x.kind == unknown || y.kind == unknown {
		return shape{}
	}
	predicate := ""
	for i, t := range in.Head {
		if i > 0 && !t.Is("samesign") {
			predicate = t.Text
			break
		}
	}
	bound := in.Args[1]
	if x.kind == uniform && y.kind == affine {
		x, y, bound = y, x, in.Args[0]
		predicate = swapped[predicate]
	}
	if x.kind == affine && x.aligned && y.kind == uniform {
		switch predicate {
		case "slt", "ult", "sge", "uge":
			if y.aligned {
				return isUniform
			}
		case "sgt", "ugt", "sle", "ule":
			// x > c is x >= c+1; c of all ones leaves nothing above.
			if n, ok := integer(bound.Text); ok && (n+1)%s.lanes == 0 {
				return isUniform
			}
		}
	}
	return s.same(in.Args)
}

var swapped = map[string]string{
	"slt": "sgt", "ult": "ugt", "sle": "sge", "ule": "uge", "sgt": "slt", "ugt": "ult", "sge": "sle", "uge": "ule",
	"eq": "eq", "ne": "ne",
}
