package main

import (
	"fmt"
	"math"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/image"
)

// bound are a kernel's arguments, ready to launch.
type bound struct {
	args    []argument.Argument
	buffers [][]byte // by position; nil where the argument is no buffer
	values  [][]byte // the bytes of structs by value, by position
	launch  []kiln.LaunchArg
}

// bind checks the arguments against the kernel's parameters, makes the buffers
// and fills them.
func bind(k *image.Kernel, args []argument.Argument) (*bound, error) {
	if len(args) != len(k.Params) {
		return nil, usage("%s takes %d arguments, %d are given\n  %s", k.Name, len(k.Params), len(args), signature(k))
	}
	b := &bound{args: args, buffers: make([][]byte, len(args)), values: make([][]byte, len(args)), launch: make([]kiln.LaunchArg, len(args))}
	for i := range args {
		if want := mismatch(&k.Params[i], &args[i]); want != "" {
			return nil, usage("argument %d, %q: parameter %q of %s takes %s\n  %s",
				i, args[i].Text, parameter(&k.Params[i]), k.Name, want, signature(k))
		}
	}
	for i := range args {
		var err error
		if b.launch[i], err = b.launchArg(&k.Params[i], i); err != nil {
			return nil, fmt.Errorf("argument %d, %q: %w", i, args[i].Text, err)
		}
	}
	return b, nil
}

// mismatch returns what the parameter takes instead, empty where a fits.
func mismatch(p *image.Param, a *argument.Argument) string {
	switch p.Kind {
	case image.Pointer:
		if a.Kind != argument.Buffer && a.Kind != argument.Null {
			return "a buffer, such as f32[1024]=0, or null"
		}
	case image.SharedPointer:
		if a.Kind != argument.Local {
			return "a size of shared memory in bytes, such as local=4Ki"
		}
	case image.Aggregate:
		return mismatchBytes(p, a)
	default:
		class, size := scalarClass(p.Type)
		if class == "" {
			return mismatchBytes(p, a)
		}
		if a.Kind != argument.Scalar || a.Type.Size() != size || a.Type.Float() != (class == "f") {
			return fmt.Sprintf("a number of type %s%d, such as %s%d=5", class, 8*size, class, 8*size)
		}
		if p.Type == "i1" && a.Bits() > 1 {
			return "0 or 1"
		}
	}
	return ""
}

func mismatchBytes(p *image.Param, a *argument.Argument) string {
	want := fmt.Sprintf("%d bytes by value, such as u8[%d]=0 or u8[]=@file", p.Size, p.Size)
	if a.Kind != argument.Buffer || a.Out {
		return want
	}
	if size, err := a.Bytes(); err == nil && size != int64(p.Size) {
		return want
	}
	return ""
}

// scalarClass returns "i" or "f" and the size in bytes of a plain number.
func scalarClass(llvmType string) (class string, size int) {
	switch llvmType {
	case "i1", "i8":
		return "i", 1
	case "i16":
		return "i", 2
	case "i32":
		return "i", 4
	case "i64":
		return "i", 8
	case "half":
		return "f", 2
	case "float":
		return "f", 4
	case "double":
		return "f", 8
	}
	return "", 0
}

func (b *bound) launchArg(p *image.Param, i int) (kiln.LaunchArg, error) {
	a := &b.args[i]
	switch a.Kind {
	case argument.Null:
		return kiln.Arg([]byte(nil)), nil
	case argument.Local:
		return kiln.Arg(uint64(a.Count)), nil
	case argument.Scalar:
		if a.Const {
			return number(a, kiln.Const[uint8], kiln.Const[uint16], kiln.Const[uint32], kiln.Const[uint64], kiln.Const[float32], kiln.Const[float64]), nil
		}
		return number(a, kiln.Arg[uint8], kiln.Arg[uint16], kiln.Arg[uint32], kiln.Arg[uint64], kiln.Arg[float32], kiln.Arg[float64]), nil
	}
	size, err := a.Bytes()
	if err != nil {
		return kiln.LaunchArg{}, &inputError{err}
	}
	data, err := newBuffer(int(size))
	if err != nil {
		return kiln.LaunchArg{}, err
	}
	if err := a.FillBuffer(data); err != nil {
		return kiln.LaunchArg{}, &inputError{err}
	}
	if p.Kind != image.Pointer {
		b.values[i] = data
		return byValue(data)
	}
	b.buffers[i] = data
	return kiln.Arg(data), nil
}

// number gives a scalar by the one of six functions that has its size and class.
func number(a *argument.Argument, of8 func(uint8) kiln.LaunchArg, of16 func(uint16) kiln.LaunchArg, of32 func(uint32) kiln.LaunchArg,
	of64 func(uint64) kiln.LaunchArg, ofFloat func(float32) kiln.LaunchArg, ofDouble func(float64) kiln.LaunchArg) kiln.LaunchArg {
	bits := a.Bits()
	switch {
	case a.Type == argument.F32:
		return ofFloat(math.Float32frombits(uint32(bits)))
	case a.Type == argument.F64:
		return ofDouble(math.Float64frombits(bits))
	case a.Type.Size() == 1:
		return of8(uint8(bits))
	case a.Type.Size() == 2: // halves too
		return of16(uint16(bits))
	case a.Type.Size() == 4:
		return of32(uint32(bits))
	}
	return of64(bits)
}

// byValue gives an aggregate of a size that C structs commonly have.
func byValue(data []byte) (kiln.LaunchArg, error) {
	switch len(data) {
	case 4:
		return kiln.Arg([4]byte(data)), nil
	case 8:
		return kiln.Arg([8]byte(data)), nil
	case 12:
		return kiln.Arg([12]byte(data)), nil
	case 16:
		return kiln.Arg([16]byte(data)), nil
	case 20:
		return kiln.Arg([20]byte(data)), nil
	case 24:
		return kiln.Arg([24]byte(data)), nil
	case 28:
		return kiln.Arg([28]byte(data)), nil
	case 32:
		return kiln.Arg([32]byte(data)), nil
	case 40:
		return kiln.Arg([40]byte(data)), nil
	case 48:
		return kiln.Arg([48]byte(data)), nil
	case 56:
		return kiln.Arg([56]byte(data)), nil
	case 64:
		return kiln.Arg([64]byte(data)), nil
	case 80:
		return kiln.Arg([80]byte(data)), nil
	case 96:
		return kiln.Arg([96]byte(data)), nil
	case 112:
		return kiln.Arg([112]byte(data)), nil
	case 128:
		return kiln.Arg([128]byte(data)), nil
	}
	return kiln.LaunchArg{}, usage("structs of %d bytes cannot be given on the command line; 4 to 32 bytes in steps of 4, to 64 in steps of 8, to 128 in steps of 16 can", len(data))
}
