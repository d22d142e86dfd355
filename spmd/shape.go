package spmd

import (
	"strconv"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// shape is what is known of a value in the lanes that run side by side.
type shape struct {
	kind shapeKind
	// stride is what an affine value grows by from lane to lane; bytes for a pointer.
	stride int64
	// signed and unsigned tell that an affine value, so read, does not wrap
	// between any two lanes that run, nor between them and the first.
	signed, unsigned bool
	// aligned: for an affine value of stride 1, the first lane's is a multiple of
	// the number of lanes; for a uniform one, the value itself is.
	aligned bool
	// guess is the stride that a varying value has unless an index wraps between
	// two lanes, which only a test while it runs can tell; 0 for none.
	guess int64
	// soa tells that a pointer leads into a private array whose lanes lie side by
	// side element by element.
	soa bool
}

type shapeKind uint8

const (
	unknown shapeKind = iota
	uniform
	affine
	varying
)

var (
	isUniform = shape{kind: uniform}
	isVarying = shape{kind: varying}
	// ascendingID is the shape of an id along the lanes.
	ascendingID = shape{kind: affine, stride: 1, signed: true, unsigned: true, aligned: true}
)

// scalar reports whether the value is kept as the first lane's alone.
func (s shape) scalar() bool { return s.kind == uniform || s.kind == affine }

// meet returns what holds where a value has one shape or the other.
func (s shape) meet(o shape) shape {
	switch {
	case s.kind == unknown:
		return o
	case o.kind == unknown:
		return s
	case s.kind == varying && s == o:
		return s
	case s.kind != o.kind || s.stride != o.stride || s.soa != o.soa || s.kind == varying:
		if s.soa || o.soa {
			return shape{kind: varying, soa: true}
		}
		return isVarying
	}
	return shape{
		kind: s.kind, stride: s.stride, soa: s.soa,
		signed: s.signed && o.signed, unsigned: s.unsigned && o.unsigned, aligned: s.aligned && o.aligned,
	}
}

// shapes works out the shapes of one function's values, and with them where
// control differs between lanes.
type shapes struct {
	g     *graph
	sizes *sizes
	lanes int64
	// flat tells that lanes do not lie along x alone.
	flat bool
	// group tells that the lanes are all items of a group.
	group bool
	// partial tells that a row need not be a multiple of the lanes.
	partial bool
	// inputs are the shapes of what comes into a region.
	inputs map[string]shape
	of     map[string]shape
	// branches are the blocks whose terminator's condition varies, joins those
	// where lanes meet that went different ways.
	branches, joins []bool
	private         map[string]privateArray
	pure            func(callee string) bool
}

func (s *shapes) solve() {
	n := len(s.g.succs)
	s.of = map[string]shape{}
	s.branches, s.joins = make([]bool, n), make([]bool, n)
	for _, p := range s.g.fn.Params {
		s.of[p.Name] = isUniform
	}
	for changed := true; changed; {
		changed = false
		for _, b := range s.g.order {
			for _, in := range s.g.fn.Blocks[b].Instrs {
				if in.Name != "" {
					old := s.of[in.Name]
					if now := old.meet(s.transfer(b, in)); now != old {
						s.of[in.Name] = now
						changed = true
					}
				}
				if (in.Op == "br" || in.Op == "switch") && len(in.Args) > 0 && !s.branches[b] &&
					s.at(in.Args[0]).kind > uniform {
					s.branches[b] = true
					s.diverge(b)
					changed = true
				}
			}
		}
	}
}

// at returns an operand's shape.
func (s *shapes) at(o irtext.Operand) shape {
	if o.Local() {
		return s.of[o.Text]
	}
	sh := isUniform
	if n, ok := integer(o.Text); ok {
		sh.aligned = n%s.lanes == 0
	}
	return sh
}

func integer(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// same meets the shapes of all operands, taking affine ones for varying.
func (s *shapes) same(args []irtext.Operand) shape {
	sh := isUniform
	for _, a := range args {
		switch k := s.at(a).kind; {
		case k == unknown:
			return shape{}
		case k != uniform:
			sh = isVarying
		}
	}
	return sh
}

func (s *shapes) transfer(b int, in *irtext.Instr) shape {
	switch in.Op {
	case "phi":
		return s.phi(b, in)
	case "add", "sub", "mul", "shl", "or", "and", "lshr", "ashr", "udiv", "urem":
		return s.arithmetic(in)
	case "icmp":
		return s.compare(in)
	case "sext", "zext", "trunc":
		return s.resize(in)
	case "bitcast", "freeze":
		if a := s.at(in.Args[0]); a.kind == affine && in.Type == in.Args[0].Type {
			return a
		}
	case "ptrtoint", "inttoptr":
		if a := s.at(in.Args[0]); a.kind == affine && !a.soa && (in.Type == "ptr" || in.Type == "i64") &&
			(in.Args[0].Type == "ptr" || in.Args[0].Type == "i64") {
			return shape{kind: affine, stride: a.stride}
		}
	case "getelementptr":
		return s.address(in)
	case "select":
		return s.choose(in)
	case "load":
		if in.Has("volatile") || in.Has("atomic") {
			return isVarying
		}
	case "alloca":
		p := s.private[in.Name]
		return shape{kind: affine, stride: p.lane, soa: p.soa}
	case "atomicrmw", "cmpxchg":
		return isVarying
	case "call":
		return s.call(in)
	}
	return s.same(in.Args)
}

func (s *shapes) call(in *irtext.Instr) shape {
	if sh, ok := s.inputs[in.Callee]; ok {
		return sh
	}
	if c := collectives()[in.Callee]; c.kind != noMeeting {
		return s.together(in, c)
	}
	if kind, d, ok := idOf(in.Callee); ok {
		switch {
		case kind == tid && d == 0 && s.flat && s.partial:
			return shape{kind: varying, guess: 1} // but where a row ends between two lanes
		case kind == tid && (s.flat || s.group):
			return isVarying
		case kind == tid && d == 0:
			return ascendingID
		case kind == ntid && d == 0 && !s.flat && !s.partial:
			return shape{kind: uniform, aligned: true}
		}
		return isUniform
	}
	if !s.pure(in.Callee) {
		return isVarying
	}
	return s.same(in.Args)
}

// together is the shape of what items get that meet.
func (s *shapes) together(in *irtext.Instr, c collective) shape {
	switch {
	case c.kind == atBarrier:
		return isUniform
	case s.group || c.op == readLane || c.op == matching:
		return isVarying
	case len(in.Args) > 0:
		return s.same(in.Args[:1])
	}
	return isUniform
}

func (s *shapes) phi(b int, in *irtext.Instr) shape {
	var sh shape
	first := in.Args[0].Text
	identical := true
	for _, a := range in.Args {
		identical = identical && a.Text == first
		sh = sh.meet(s.at(a))
	}
	if sh.kind == unknown {
		return sh
	}
	if sh.soa && len(in.Args) > 1 {
		return shape{kind: varying, soa: true}
	}
	if s.joins[b] && !identical {
		return isVarying
	}
	// Lanes leave a divergent loop in different turns, each with its own value.
	for i, a := range in.Args {
		for _, l := range s.g.loops {
			if !l.divergent || l.blocks.has(b) || !l.blocks.has(s.g.block(in.Labels[i])) {
				continue
			}
			if def := s.g.fn.Defs[a.Text]; def != nil && l.blocks.has(def.Block.Index) || !identical {
				return isVarying
			}
		}
	}
	return sh
}

func (g *graph) block(name string) int {
	for _, b := range g.fn.Blocks {
		if b.Name == name {
			return b.Index
		}
	}
	return -1
}

func (s *shapes) resize(in *irtext.Instr) shape {
	a := s.at(in.Args[0])
	switch {
	case a.kind == uniform:
		return shape{kind: uniform, aligned: a.aligned}
	case a.kind != affine:
		return a
	}
	out := shape{kind: affine, stride: a.stride, aligned: a.aligned}
	switch {
	case in.Op == "trunc":
		if irtext.Bits(in.Type) < 16 {
			return isVarying
		}
		out.signed = a.aligned || in.Has("nsw") && a.signed
		out.unsigned = a.aligned || in.Has("nuw") && a.unsigned
	case in.Op == "sext" || in.Has("nneg"):
		if !a.signed {
			return shape{kind: varying, guess: a.stride}
		}
		out.signed, out.unsigned = true, a.aligned
	default:
		if !a.unsigned {
			return shape{kind: varying, guess: a.stride}
		}
		out.signed, out.unsigned = true, true
	}
	return out
}

func (s *shapes) choose(in *irtext.Instr) shape {
	c, x, y := s.at(in.Args[0]), s.at(in.Args[1]), s.at(in.Args[2])
	switch {
	case c.kind == unknown || x.kind == unknown || y.kind == unknown:
		return shape{}
	case c.kind == uniform && !x.soa && !y.soa:
		return x.meet(y)
	}
	return shape{kind: varying, soa: x.soa || y.soa}
}

func (s *shapes) address(in *irtext.Instr) shape {
	base := s.at(in.Args[0])
	list, ok := s.sizes.steps(in)
	if !ok {
		return s.same(in.Args)
	}
	out := shape{kind: base.kind, stride: base.stride, guess: base.guess, soa: base.soa}
	for _, st := range list {
		if st.fixed {
			continue
		}
		i := s.at(st.index)
		switch {
		case i.kind == unknown || out.kind == unknown:
			return shape{}
		case out.kind == uniform && i.kind == varying && !base.soa:
			out.kind, out.guess = varying, i.guess*st.scale
		case out.kind == uniform && i.kind == affine && irtext.Bits(st.index.Type) < 64 && !i.signed && !base.soa:
			out.kind, out.guess = varying, i.stride*st.scale
		case out.kind == varying && i.kind == uniform && !base.soa:
		case out.kind == varying || i.kind == varying,
			i.kind == affine && irtext.Bits(st.index.Type) < 64 && !i.signed:
			out = shape{kind: varying, soa: out.soa}
		case i.kind == affine:
			scale := st.scale
			if base.soa {
				scale *= s.lanes
			}
			out.kind = affine
			out.stride += i.stride * scale
		}
	}
	if out.kind == affine && out.stride == 0 {
		return shape{kind: varying, soa: base.soa}
	}
	return out
}
