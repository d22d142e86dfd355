package recorder

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
)

// manifest returns a manifest of k alone, as JSON.
func (k *Kernel) manifest() []byte {
	b := object{out: []byte("{\"kernels\": [{")}
	b.text("module", k.Module)
	b.text("kernel", k.Kernel)
	b.number("variables", k.Variables, strconv.FormatBool(k.Variables))
	b.text("target", k.Target)
	if len(k.Constants) > 0 {
		constants := object{out: []byte("{")}
		for _, name := range slices.Sorted(maps.Keys(k.Constants)) {
			constants.name(name)
			constants.out = appendString(constants.out, k.Constants[name])
		}
		b.name("constants")
		b.out = append(append(b.out, constants.out...), '}')
	}
	b.dims("block", k.Block)
	b.dims("grid", k.Grid)
	b.number("maxBlock", k.MaxBlock != 0, strconv.FormatUint(uint64(k.MaxBlock), 10))
	b.number("minBlocks", k.MinBlocks != 0, strconv.FormatUint(uint64(k.MinBlocks), 10))
	b.text("opt", k.Opt)
	b.text("codegen", k.Codegen)
	b.text("pipeline", k.Pipeline)
	b.number("debug", k.Debug, strconv.FormatBool(k.Debug))
	b.number("codeObject", k.CodeObject != 0, strconv.FormatUint(uint64(k.CodeObject), 10))
	return append(b.out, "}]}\n"...)
}

// object is a JSON object being written. Fields of zero value are left out.
type object struct {
	out  []byte
	some bool
}

func (o *object) name(name string) {
	if o.some {
		o.out = append(o.out, ", "...)
	}
	o.some = true
	o.out = append(appendString(o.out, name), ": "...)
}

func (o *object) text(name, value string) {
	if value != "" {
		o.name(name)
		o.out = appendString(o.out, value)
	}
}

func (o *object) number(name string, there bool, value string) {
	if there {
		o.name(name)
		o.out = append(o.out, value...)
	}
}

func (o *object) dims(name string, dims [3]uint32) {
	if dims == ([3]uint32{}) {
		return
	}
	o.name(name)
	for i, n := range dims {
		o.out = append(o.out, "[,,"[i])
		o.out = strconv.AppendUint(o.out, uint64(n), 10)
	}
	o.out = append(o.out, ']')
}

// appendString writes valid UTF-8 as a JSON string.
func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < ' ' || c == 0x7f:
			out = append(out, `\u00`...)
			out = hex.AppendEncode(out, []byte{c})
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
