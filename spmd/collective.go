package spmd

import (
	"strings"
	"sync"

	"github.com/kilnjit/kiln/spmd/internal/irtext"
)

// collective is a call in which items of a group take part together. Ingest
// turns every barrier and warp operation of a device into calls of these few
// functions; each form of a kernel says what they do.
//
// Barriers name an id and how many items meet there, 0 for all that have not
// returned. Warp operations name the lanes that meet by a mask. A lane that has
// returned counts nowhere. Values travel as integers.
type collective struct {
	kind   meeting
	result string
	// params are the types of the arguments: i32 id, i32 items, value for a
	// barrier; i64 mask, value, lane for a warp operation.
	params string
	op     combination
}

// meeting tells who meets in a collective.
type meeting uint8

const (
	noMeeting meeting = iota
	// atBarrier: the items of a group.
	atBarrier
	// inWarp: the lanes that the mask names.
	inWarp
	// atSite: those lanes of a warp that come to the same call, once no other can.
	atSite
)

// combination tells what each gets of the values that all bring. The numbers
// are those that scheduler.ll knows.
type combination uint8

const (
	nothing   combination = iota
	readLane              // the value of the lane named
	ballot                // a bit for each lane whose value is odd
	matching              // a bit for each lane with the same value
	sumUp                 // the sum
	andAll                // the conjunction of all bits
	orAll                 // the disjunction
	xorAll                // the sum of all bits without carry
	smallest              // the least, signed
	greatest              // the greatest, signed
	lowest                // the least, unsigned
	highest               // the greatest, unsigned
	whoIsHere             // a bit for each lane that takes part
)

var reductions = map[string]combination{
	"add": sumUp, "and": andAll, "or": orAll, "xor": xorAll,
	"smin": smallest, "smax": greatest, "umin": lowest, "umax": highest,
}

var collectives = sync.OnceValue(makeCollectives)

func makeCollectives() map[string]collective {
	m := map[string]collective{
		"@kiln.barrier.sync": {atBarrier, "void", "i32, i32", nothing},
		"@kiln.warp.sync":    {inWarp, "void", "i64", nothing},
		"@kiln.warp.read":    {inWarp, "i32", "i64, i32, i32", readLane},
		"@kiln.warp.ballot":  {inWarp, "i64", "i64, i1", ballot},
		"@kiln.warp.match":   {inWarp, "i64", "i64, i64", matching},
		"@kiln.warp.active":  {atSite, "i64", "", whoIsHere},
	}
	for name, op := range reductions {
		m["@kiln.warp."+name] = collective{inWarp, "i32", "i64, i32", op}
		if op <= orAll {
			m["@kiln.barrier."+name] = collective{atBarrier, "i32", "i32, i32, i32", op}
		}
	}
	return m
}

// collective adds the call of a collective and declares it. What it does to
// memory is unknown to LLVM, so that nothing moves across it.
func (b *body) collective(name string, args ...string) string {
	c := collectives()[name]
	if _, ok := b.lib.has[name]; !ok {
		b.lib.has[name] = ""
		b.lib.declares = append(b.lib.declares, irtext.Entity{
			Name: name, Line: "declare " + c.result + " " + name + "(" + c.params + ") convergent nounwind",
		})
	}
	list := make([]string, len(args))
	types := strings.Split(c.params, ", ")
	for i, a := range args {
		list[i] = types[i] + " " + a
	}
	call := "call " + c.result + " " + name + "(" + strings.Join(list, ", ") + ") convergent"
	if c.result == "void" {
		b.do("%s", call)
		return "void"
	}
	return b.op("%s", call)
}

// widened converts a value to i64, and narrowed back from it.
func (b *body) widened(v typed) string {
	switch v.typ {
	case "i64":
		return v.value
	case "float":
		return b.widened(typed{"i32", b.op("bitcast float %s to i32", v.value)})
	}
	return b.op("zext %s %s to i64", v.typ, v.value)
}

func (b *body) narrowed(typ, wide string) string {
	if typ == "i64" {
		return wide
	}
	return b.op("trunc i64 %s to %s", wide, typ)
}

// shape reports whether the function is declared with this result and these
// parameters.
func (s *signature) shape(result, params string) bool {
	return s.result == result && strings.Join(s.params, ", ") == params
}

// pair makes a struct of two values.
func (b *body) pair(typ, x, y string) string {
	first := b.op("insertvalue { %s, i1 } poison, %s %s, 0", typ, typ, x)
	return b.op("insertvalue { %s, i1 } %s, i1 %s, 1", typ, first, y)
}
