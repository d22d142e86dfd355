package spmd

import (
	"strconv"
	"strings"
)

// memoryFunction defines vloadN, vstoreN and those of half.
func (b *body) memoryFunction(name string, params []clType, first int, inMemory bool) string {
	load := strings.HasPrefix(name, "vload")
	rest := strings.TrimPrefix(strings.TrimPrefix(name, "vload"), "vstore")
	aligned := strings.HasPrefix(rest, "a_")
	rest = strings.TrimPrefix(rest, "a")
	half := strings.HasPrefix(rest, "_half")
	rest = strings.TrimPrefix(rest, "_half")
	rest, mode, _ := strings.Cut(rest, "_")
	n := 1
	if rest != "" {
		var err error
		if n, err = strconv.Atoi(rest); err != nil || n < 2 || n > 16 {
			return ""
		}
	}
	at := len(params) - 1
	if at < 1 || !params[at].pointer || params[at].elem() == "" || load != (at == 1) || mode != "" && mode != "rte" {
		return ""
	}
	elem := params[at].elem()
	offset := b.arg(first + at - 1)
	stride := n
	if aligned && n == 3 {
		stride = 4
	}
	index := b.op("mul %s %s, %d", offset.typ, offset.value, stride)
	base := b.op("getelementptr %s, ptr %s, %s %s", elem, b.arg(first+at).value, offset.typ, index)
	list := make([]string, n)
	if !load {
		value := params[0]
		list[0] = b.unpack(first, value)
		if value.n != 0 {
			list = b.elements(typed{value.ir(), list[0]})
		}
		if len(list) != n {
			return ""
		}
		for i, v := range list {
			if value.elem() != elem {
				v = b.op("fptrunc %s %s to %s", value.elem(), v, elem)
			}
			b.do("store %s %s, ptr %s, align %d", elem, v, b.elementAt(elem, base, i), clBits(elem)/8)
		}
		return "void"
	}
	result := elem
	for i := range list {
		list[i] = b.op("load %s, ptr %s, align %d", elem, b.elementAt(elem, base, i), clBits(elem)/8)
		if half {
			result = "float"
			list[i] = b.op("fpext half %s to float", list[i])
		}
	}
	if n == 1 {
		return b.pack(typed{result, list[0]}, false)
	}
	return b.pack(b.vector(result, list), inMemory)
}

func (b *body) elementAt(elem, base string, i int) string {
	if i == 0 {
		return base
	}
	return b.op("getelementptr %s, ptr %s, i64 %d", elem, base, i)
}
