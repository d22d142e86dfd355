package oracle

import "math"

// control is how a statement ends.
type control uint8

const (
	goOn control = iota
	doBreak
	doContinue
	doReturn
)

func (l *lane) block(list []Stmt) control {
	for i := range list {
		if c := l.execute(&list[i]); c != goOn {
			return c
		}
	}
	return goOn
}

func (l *lane) execute(s *Stmt) control {
	e := func(i int) uint32 { return l.eval(&s.E[i]) }
	b, g := l.g.b, l.g
	switch s.Op {
	case "set":
		l.vars[s.N] = e(0)
	case "private":
		at := e(0) % privateSize
		l.private[at] = int32(e(1))
	case "share":
		v := e(0)
		l.touch(s.N, uint32(l.item), writeOwn).value = int32(v)
	case "atomic":
		at, v := e(0), e(1)
		c := l.touch(s.N, at, changeAny)
		c.value = int32(fold(g.p.Shared[s.N].Atomic, uint32(c.value), v))
	case "out":
		b.Out[l.global()*outInts+int(s.N)] = int32(e(0))
	case "fout":
		b.FOut[l.global()*outFloats+int(s.N)] = math.Float32frombits(e(0))
	case "count":
		b.Count[s.N] = int32(fold(counterOps[s.N], uint32(b.Count[s.N]), e(0)))
	case "if":
		if e(0) != 0 {
			return l.block(s.Blocks[0])
		} else if len(s.Blocks) > 1 {
			return l.block(s.Blocks[1])
		}
	case "switch":
		n := uint32(len(s.Blocks))
		for i := e(0) % n; i < n; i++ {
			if c := l.block(s.Blocks[i]); c != goOn || s.N == 0 {
				return c
			}
		}
	case "loop":
		return l.loop(s)
	case "break":
		return doBreak
	case "continue":
		return doContinue
	case "return":
		return doReturn
	case "barrier":
		l.value = 0
		if _, ok := l.wait(s); !ok {
			return doReturn
		}
	default: // reduce, warp
		for i, to := range []*uint32{&l.value, &l.other} {
			if i < len(s.E) {
				*to = e(i)
			}
		}
		result, ok := l.wait(s)
		if !ok {
			return doReturn
		}
		if s.Kind != "sync" {
			l.vars[s.N] = result
		}
	}
	return goOn
}

func (l *lane) loop(s *Stmt) control {
	bound := int32(l.eval(&s.E[0]) % 8)
	at := len(l.turns)
	l.turns = append(l.turns, 0)
	defer func() { l.turns = l.turns[:at] }()
	more := func() bool { return l.turns[at] < bound && (len(s.E) < 2 || l.eval(&s.E[1]) != 0) }
	for s.N == 1 || more() {
		if c := l.block(s.Blocks[0]); c == doBreak {
			break
		} else if c == doReturn {
			return c
		}
		l.turns[at]++
		if s.N == 1 && !more() {
			break
		}
	}
	return goOn
}

// global is the item's number in the launch.
func (l *lane) global() int {
	p, id := l.g.p, l.g.id
	group := (id[2]*p.Grid[1]+id[1])*p.Grid[0] + id[0]
	return int(group)*p.Items() + l.item
}

func (l *lane) eval(e *Expr) uint32 {
	arg := func(i int) uint32 { return l.eval(&e.Args[i]) }
	switch e.Op {
	case "int", "float":
		return uint32(e.N)
	case "var":
		return l.vars[e.N]
	case "arg":
		return uint32(l.g.p.Args[e.N])
	case "turn":
		return uint32(l.turns[e.N])
	case "id":
		return l.id(ids[e.N])
	case "in":
		return uint32(l.g.b.In[arg(0)%inputSize])
	case "fin":
		return math.Float32bits(l.g.b.FIn[arg(0)%inputSize])
	case "private":
		return uint32(l.private[arg(0)%privateSize])
	case "own":
		return uint32(l.touch(e.N, uint32(l.item), readOwn).value)
	case "shared":
		return uint32(l.touch(e.N, arg(0), readAny).value)
	case "select", "fselect":
		c, x, y := arg(0), arg(1), arg(2)
		if c != 0 {
			return x
		}
		return y
	}
	args := [3]uint32{}
	for i := range e.Args {
		args[i] = arg(i)
	}
	if o := operators[e.Op]; o.result == "f" || o.args[0] == 'f' {
		return floatOperation(e.Op, args)
	}
	return intOperation(e.Op, args[0], args[1])
}

func (l *lane) id(name string) uint32 {
	p := l.g.p
	switch name {
	case "tid.x":
		return l.tid[0]
	case "tid.y":
		return l.tid[1]
	case "tid.z":
		return l.tid[2]
	case "lane":
		return uint32(l.item % warpSize)
	case "warp":
		return uint32(l.item / warpSize)
	case "item":
		return uint32(l.item)
	case "ntid.x":
		return p.Block[0]
	case "ntid.y":
		return p.Block[1]
	case "ctaid.x":
		return l.g.id[0]
	case "ctaid.y":
		return l.g.id[1]
	}
	return p.Grid[0]
}
