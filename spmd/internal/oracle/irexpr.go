package oracle

import (
	"fmt"
	"math"
)

// eval writes an expression and returns its value.
func (w *writer) eval(e *Expr) string {
	switch e.Op {
	case "int":
		return fmt.Sprint(e.N)
	case "float":
		return fmt.Sprintf("0x%016X", math.Float64bits(float64(math.Float32frombits(uint32(e.N)))))
	case "var":
		return w.op("load %s, ptr %%v%d", w.typeOf(e.N), e.N)
	case "arg":
		return fmt.Sprintf("%%a%d", e.N)
	case "turn":
		return w.op("load i32, ptr %s", w.turns[e.N])
	case "id":
		return w.id(ids[e.N])
	}
	args := make([]string, len(e.Args))
	for i := range e.Args {
		args[i] = w.eval(&e.Args[i])
	}
	switch e.Op {
	case "in":
		return w.op("load i32, %s %s", w.pointer(), w.element("i32", "%in", w.modulo(args[0], inputSize)))
	case "fin":
		return w.op("load float, %s %s", w.pointer(), w.element("float", "%fin", w.modulo(args[0], inputSize)))
	case "private":
		return w.op("load i32, ptr %s", w.privateElement(w.modulo(args[0], privateSize)))
	case "own", "shared":
		index := "%item"
		if e.Op == "shared" {
			index = w.modulo(args[0], w.p.Items())
		}
		at, space := w.sharedElement(e.N, index)
		return w.op("load i32, %s %s", space, at)
	case "select", "fselect":
		typ := map[string]string{"select": "i32", "fselect": "float"}[e.Op]
		return w.op("select i1 %s, %s %s, %s %s", w.op("icmp ne i32 %s, 0", args[0]), typ, args[1], typ, args[2])
	case "shl", "lshr", "ashr":
		return w.op("%s i32 %s, %s", e.Op, args[0], w.op("and i32 %s, 31", args[1]))
	case "udiv", "urem":
		return w.op("%s i32 %s, %s", e.Op, args[0], w.op("or i32 %s, 1", args[1]))
	case "sdiv", "srem":
		return w.op("%s i32 %s, %s", e.Op, args[0], w.op("add i32 %s, 1", w.op("and i32 %s, 15", args[1])))
	case "smin", "umax":
		return w.call("i32", "llvm."+e.Op+".i32", "i32, i32", args...)
	case "eq", "ne", "slt", "ult", "sgt":
		return w.op("zext i1 %s to i32", w.op("icmp %s i32 %s, %s", e.Op, args[0], args[1]))
	case "flt", "feq":
		return w.op("zext i1 %s to i32", w.op("fcmp o%s float %s, %s", map[string]string{"flt": "lt", "feq": "eq"}[e.Op], args[0], args[1]))
	case "fneg":
		return w.op("fneg float %s", args[0])
	case "fabs", "fsqrt":
		return w.call("float", "llvm."+map[string]string{"fabs": "fabs", "fsqrt": "sqrt"}[e.Op]+".f32", "float", args...)
	case "fma":
		return w.call("float", "llvm.fma.f32", "float, float, float", args...)
	case "sitofp":
		return w.op("sitofp i32 %s to float", args[0])
	case "fptosi":
		return w.call("i32", "llvm.fptosi.sat.i32.f32", "float", args...)
	case "fadd", "fsub", "fmul", "fdiv":
		return w.op("%s float %s, %s", e.Op, args[0], args[1])
	}
	return w.op("%s i32 %s, %s", e.Op, args[0], args[1])
}

func (w *writer) id(name string) string {
	switch name {
	case "item":
		return "%item"
	case "lane":
		if w.d != AMDGPU {
			return w.register("laneid")
		}
		return w.op("and i32 %%item, %d", warpSize-1)
	case "warp":
		return w.op("lshr i32 %%item, 5")
	}
	return w.register(name)
}
