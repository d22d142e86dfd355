package main

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/kilnjit/kiln"
	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
	"github.com/kilnjit/kiln/image"
)

// buffers are those that launches have named with as:.
type buffers map[string]*namedBuffer

type namedBuffer struct {
	kind argument.Type
	data []byte
}

// resolve gives each use: the buffer's type and checks that there is one, and
// that each name is given once.
func (named buffers) resolve(args []argument.Argument) error {
	for i := range args {
		a := &args[i]
		known, found := named[a.Name]
		switch {
		case a.Kind == argument.Use && !found:
			return usage("argument %d, %q: no earlier launch has a buffer as:%s:", i, a.Text, a.Name)
		case a.Kind == argument.Use:
			a.Type, a.Count = known.kind, len(known.data)/known.kind.Size()
		case a.Name != "" && (found || slices.ContainsFunc(args[:i], func(other argument.Argument) bool { return other.Name == a.Name })):
			return usage("argument %d, %q: a buffer has the name %s already; use:%[3]s is that buffer", i, a.Text, a.Name)
		}
	}
	return nil
}

// bound are a kernel's arguments, ready to launch.
type bound struct {
	args    []argument.Argument
	buffers [][]byte // by position; nil where the argument is no buffer
	values  [][]byte // the bytes of structs by value, by position
	launch  []kiln.LaunchArg
	// before are the buffers' contents as they were before the launch, where
	// they were to be remembered.
	before [][]byte
}

// remember keeps what the buffers hold now, for a reference to begin with.
func (b *bound) remember() error {
	b.before = make([][]byte, len(b.buffers))
	for i, buffer := range b.buffers {
		for j := range i {
			if len(buffer) > 0 && len(b.buffers[j]) > 0 && &buffer[0] == &b.buffers[j][0] {
				return usage("--check: arguments %d and %d are one buffer, which a reference cannot be given", j, i)
			}
		}
		b.before[i] = slices.Clone(buffer)
	}
	return nil
}

// bind checks the arguments against the kernel's parameters, makes the buffers
// and fills them. Those with a name are taken from named and added to it.
func bind(k *image.Kernel, args []argument.Argument, named buffers) (*bound, error) {
	if err := named.resolve(args); err != nil {
		return nil, err
	}
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
	if err := checkMemory(args); err != nil {
		return nil, err
	}
	for i := range args {
		var err error
		if b.launch[i], err = b.launchArg(&k.Params[i], i, named); err != nil {
			return nil, fmt.Errorf("argument %d, %q: %w", i, args[i].Text, err)
		}
	}
	return b, nil
}

// mismatch returns what the parameter takes instead, empty where a fits.
func mismatch(p *image.Param, a *argument.Argument) string {
	switch p.Kind {
	case image.Pointer:
		if a.Const {
			return "an address, which differs from run to run: leave const: out"
		}
		if a.Kind != argument.Buffer && a.Kind != argument.Use && a.Kind != argument.Null {
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
	if a.Kind != argument.Buffer || a.Out || a.Name != "" {
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

func (b *bound) launchArg(p *image.Param, i int, named buffers) (kiln.LaunchArg, error) {
	a := &b.args[i]
	switch a.Kind {
	case argument.Null:
		return kiln.Arg([]byte(nil)), nil
	case argument.Local:
		return kiln.Arg(uint64(a.Count)), nil
	case argument.Scalar:
		if a.Const {
			return b.constant(p, i), nil
		}
		return kiln.ArgBytes(b.bits(p, i)), nil
	}
	if a.Kind == argument.Use {
		b.buffers[i] = named[a.Name].data
		return kiln.Arg(b.buffers[i]), nil
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
		if a.Const {
			return b.constant(p, i), nil
		}
		return kiln.ArgBytes(data), nil
	}
	b.buffers[i] = data
	if a.Name != "" {
		named[a.Name] = &namedBuffer{a.Type, data}
	}
	return kiln.Arg(data), nil
}

// bits returns a number's bytes.
func (b *bound) bits(p *image.Param, i int) []byte {
	return binary.LittleEndian.AppendUint64(nil, b.args[i].Bits())[:p.Size]
}

// constant returns a number or struct to be compiled in.
func (b *bound) constant(p *image.Param, i int) kiln.LaunchArg {
	if b.values[i] != nil {
		return kiln.ConstBytes(b.values[i])
	}
	return kiln.ConstBytes(b.bits(p, i))
}
