package main

import (
	"encoding/binary"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/image"
)

// returned receives a host function's result as it lies in memory.
type returned struct {
	launch []kiln.LaunchArg
	bytes  func() []byte
}

// resultType returns the type that a result's bytes are read as, false for
// void and for what is no number.
func resultType(p *image.Param) (argument.Type, bool) {
	switch p.Type {
	case "i1", "i8":
		return argument.I8, true
	case "i16":
		return argument.I16, true
	case "i32":
		return argument.I32, true
	case "i64":
		return argument.I64, true
	case "half":
		return argument.F16, true
	case "float":
		return argument.F32, true
	case "double":
		return argument.F64, true
	}
	return 0, false
}

// newReturned returns the receiver of a result; one that is no number, or
// void, is not asked for.
func newReturned(p *image.Param) returned {
	t, ok := resultType(p)
	switch {
	case !ok:
		return returned{bytes: func() []byte { return nil }}
	case t == argument.F32:
		return receive[float32]()
	case t == argument.F64:
		return receive[float64]()
	case t.Size() == 1:
		return receive[uint8]()
	case t.Size() == 2:
		return receive[uint16]()
	case t.Size() == 4:
		return receive[uint32]()
	}
	return receive[uint64]()
}

func receive[T any]() returned {
	v := new(T)
	return returned{[]kiln.LaunchArg{kiln.Result(v)}, func() []byte {
		data, _ := binary.Append(nil, binary.LittleEndian, *v) // T is one of the plain numbers above
		return data
	}}
}
