package kiln

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/kilnjit/kiln/compile"
	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
	"github.com/kilnjit/kiln/specialize"
)

const (
	wordBlock = 1 << iota
	wordGrid
	wordOwnBlock // the block, if it is one of the first sizes that the kernel meets
)

// maxBlocks is how many block sizes of a kernel get code of their own.
const maxBlocks = 16

// fill lays the arguments out in r: the parameter block, the shape, and the
// words that name the specialisation (flags, which arguments are constant,
// their values).
func (k *Kernel) fill(r *record, args []LaunchArg) error {
	one := device.Dim{X: 1, Y: 1, Z: 1}
	r.launch.Grid, r.launch.Block, r.launch.SharedBytes = one, one, 0
	if b := k.info.ReqdBlock; b[0] != 0 {
		r.launch.Block = device.Dim{X: b[0], Y: b[1], Z: b[2]}
	}
	words, keep := r.words[:k.flags], r.keep[:0]
	for i := range words {
		words[i] = 0
	}
	if k.ownBlock {
		words[0] = wordOwnBlock
	}
	next, params := 0, r.at(0)
	for i := range args {
		a := &args[i]
		switch kind := a.tag.kind(); kind {
		case argValue, argConst:
			if next >= len(k.params) {
				return k.wrongCount(args)
			}
			p := &k.params[next]
			if a.tag>>8 == p.tag>>8 && p.number {
				a.storeNumber(params, p.offset)
			} else if a.tag>>8 != p.tag>>8 && !p.takes(a) {
				return k.mismatch(next, a)
			} else {
				a.store(r.at(p.offset))
			}
			if r.queued && a.ptr != nil && a.tag.class() == classPointer {
				keep = append(keep, a.ptr)
			}
			if kind == argConst || p.constant {
				if p.class == classPointer {
					return &ArgumentError{k.info.Name, next, "an address cannot be a constant, for it differs from run to run: use Arg"}
				}
				words[1+uint(next)/64] |= 1 << (uint(next) % 64)
				if a.tag.class() == classBytes {
					words = appendBytes(words, a.bytes())
				} else {
					words = append(words, a.value)
				}
			}
			next++
		case argGrid, argConstGrid, argBlock, argConstBlock:
			if a.tag.class() == classTooMany {
				return &ArgumentError{k.info.Name, -1, "a grid or block has at most 3 dimensions"}
			}
			d, word := &r.launch.Grid, uint64(wordGrid)
			if kind >= argBlock {
				d, word = &r.launch.Block, wordBlock
			}
			d.X, d.Y, d.Z = uint32(a.value), uint32(a.value>>32), a.tag.size()
			if kind == argConstGrid || kind == argConstBlock {
				words[0] |= word
			}
		case argShared:
			r.launch.SharedBytes = uint32(a.value)
		case argResult:
			if a.tag.size() != k.result.size || (a.tag.class() != k.result.class && !k.result.any) {
				return &ArgumentError{k.info.Name, -1, fmt.Sprintf("the result is %s, which does not go into %s", spell(k.info.Result.Type, k.result.size), a.String())}
			}
			r.result = *a
		default:
			// A case of its own would make a jump table of the switch, which is slower.
			if kind != argBuffer {
				return k.notAnArgument(next)
			}
			if next >= len(k.params) {
				return k.wrongCount(args)
			}
			if err := k.fillBuffer(r, next, a); err != nil {
				return err
			}
			if r.queued {
				keep = append(keep, a.ptr)
			}
			next++
		}
	}
	r.words, r.keep = words, keep
	if next != len(k.params) {
		return k.wrongCount(args)
	}
	if r.words[0] != 0 {
		k.addShape(r)
	}
	if k.asksShared {
		return k.addShared(r)
	}
	return nil
}

// addShared adds the shared memory that arguments ask for, each piece at a
// multiple of 64 bytes, as the kernel's code expects them.
func (k *Kernel) addShared(r *record) error {
	total := uint64(r.launch.SharedBytes)
	for i := range k.info.Params {
		if p := &k.info.Params[i]; p.Kind == image.SharedPointer {
			size := binary.LittleEndian.Uint64(r.launch.Params[p.Offset:])
			if size > math.MaxUint32 {
				return &ArgumentError{k.info.Name, i, fmt.Sprintf("%d bytes of shared memory are more than any device has", size)}
			}
			total += (size + 63) &^ 63
		}
	}
	r.launch.SharedBytes = uint32(min(total, math.MaxUint32))
	return nil
}

func (p *param) takes(a *LaunchArg) bool {
	class := a.tag.class()
	if a.tag.size() != p.size {
		return false
	}
	if p.class == classPointer {
		return class == classInt
	}
	return p.any || class == classBytes || (p.class == classInt && class == classPointer)
}

func appendBytes(words []uint64, b []byte) []uint64 {
	for len(b) > 0 {
		var w [8]byte
		b = b[copy(w[:], b):]
		words = append(words, binary.LittleEndian.Uint64(w[:]))
	}
	return words
}

func (k *Kernel) addShape(r *record) {
	if r.words[0]&wordOwnBlock != 0 {
		r.words[0] &^= wordOwnBlock
		if known := k.blocks.Load(); known == nil || len(*known) < maxBlocks || slices.Contains(*known, r.launch.Block) {
			r.words[0] |= wordBlock
		}
	}
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
