package kiln

import (
	"fmt"
	"slices"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/specialize"
)

const (
	wordBlock = 1 << iota
	wordGrid
)

// fill lays the arguments out in r: the parameter block, the shape, and the
// words that name the specialisation (flags, which arguments are constant,
// their values).
func (k *Kernel) fill(r *record, args []LaunchArg) error {
	one := device.Dim{X: 1, Y: 1, Z: 1}
	r.launch.Grid, r.launch.Block, r.launch.SharedBytes = one, one, 0
	if b := k.info.ReqdBlock; b[0] != 0 {
		r.launch.Block = device.Dim{X: b[0], Y: b[1], Z: b[2]}
	}
	masks := (len(k.params) + 63) / 64
	r.words = r.words[:1+masks]
	clear(r.words)
	next := 0
	for i := range args {
		a := &args[i]
		switch a.kind {
		case argValue, argConst:
			if next >= len(k.params) {
				return k.wrongCount(args)
			}
			p := &k.params[next]
			if a.size != p.size || a.class != p.class {
				if !p.takes(a) {
					return k.mismatch(next, a)
				}
			}
			a.store(r.launch.Params[p.offset : p.offset+p.size])
			if a.ptr != nil && a.class == classPointer {
				r.keep = append(r.keep, a.ptr)
			}
			if a.kind == argConst || p.constant {
				if p.class == classPointer {
					return &ArgumentError{k.info.Name, next, "an address cannot be a constant, for it differs from run to run: use Arg"}
				}
				r.words[1+next/64] |= 1 << (next % 64)
				r.words = appendWords(r.words, a)
			}
			next++
		case argGrid, argConstGrid, argBlock, argConstBlock:
			if a.size > 2 {
				return &ArgumentError{k.info.Name, -1, fmt.Sprintf("a grid or block has at most 3 dimensions, got %d", a.size+1)}
			}
			d := device.Dim{X: uint32(a.lo), Y: uint32(a.lo >> 32), Z: uint32(a.hi)}
			switch a.kind {
			case argConstGrid:
				r.words[0] |= wordGrid
				fallthrough
			case argGrid:
				r.launch.Grid = d
			case argConstBlock:
				r.words[0] |= wordBlock
				fallthrough
			default:
				r.launch.Block = d
			}
		case argShared:
			r.launch.SharedBytes = uint32(a.lo)
		case argResult:
			if a.size != k.result.size || (a.class != k.result.class && !k.result.any) {
				return &ArgumentError{k.info.Name, -1, fmt.Sprintf("the result is %s, which does not go into %s", spell(k.info.Result.Type, k.result.size), a.String())}
			}
			r.result = *a
		default:
			return k.notAnArgument(next)
		}
	}
	if next != len(k.params) {
		return k.wrongCount(args)
	}
	if r.words[0] != 0 {
		k.addShape(r)
	}
	return nil
}

func (p *param) takes(a *LaunchArg) bool {
	if a.size != p.size {
		return false
	}
	if p.class == classPointer {
		return a.class == classInt
	}
	return p.any || (p.class == classInt && a.class == classPointer)
}

func appendWords(words []uint64, a *LaunchArg) []uint64 {
	if a.size <= 8 && a.class != classBytes {
		return append(words, a.lo)
	}
	b := a.bytes()
	for len(b) > 0 {
		var w uint64
		for i := range min(8, len(b)) {
			w |= uint64(b[i]) << (8 * i)
		}
		words = append(words, w)
		b = b[min(8, len(b)):]
	}
	return words
}

func (k *Kernel) addShape(r *record) {
	if r.words[0]&wordBlock != 0 {
		b := &r.launch.Block
		r.words = append(r.words, uint64(b.X)|uint64(b.Y)<<32, uint64(b.Z))
	}
	if r.words[0]&wordGrid != 0 {
		g := &r.launch.Grid
		r.words = append(r.words, uint64(g.X)|uint64(g.Y)<<32, uint64(g.Z))
	}
}

// request builds the compile request of what r asks for.
func (k *Kernel) request(r *record) (compile.Request, error) {
	toolchain, err := k.engine.toolchain()
	if err != nil {
		return compile.Request{}, err
	}
	target, err := k.engine.target()
	if err != nil {
		return compile.Request{}, err
	}
	spec := specialize.Spec{}
	for i := range k.params {
		if r.words[1+i/64]&(1<<(i%64)) != 0 {
			p := &k.params[i]
			value := slices.Clone(r.launch.Params[p.offset : p.offset+p.size])
			spec.Constants = append(spec.Constants, specialize.Constant{Index: i, Bytes: value})
		}
	}
	if b := r.launch.Block; r.words[0]&wordBlock != 0 {
		spec.Block = [3]uint32{b.X, b.Y, b.Z}
	}
	if g := r.launch.Grid; r.words[0]&wordGrid != 0 {
		spec.Grid = [3]uint32{g.X, g.Y, g.Z}
	}
	return compile.Request{
		Module:       k.module.data,
		ModuleDigest: k.module.digest,
		Kernel:       k.info.Name,
		Target:       target,
		Spec:         spec,
		Options:      k.options.Compile,
		Toolchain:    toolchain,
	}, nil
}
