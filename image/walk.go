package image

import (
	"fmt"
	"iter"
)

// Found is one piece of device code met in a walk.
type Found struct {
	// Path are the labels of the parts from the outermost to this one.
	Path []string
	Part *Part
	// File is the part opened. It is nil where the kind is unknown or the bytes
	// are scrambled.
	File *File
}

// maxDepth is more than twice what real files nest: a program holds a bundle of
// code objects that hold bitcode.
const maxDepth = 12

// All walks through everything inside the file, however deep, and yields each
// piece of code: the containers between are opened and not yielded, and neither
// is f itself. Packed parts are unpacked as the walk meets them. A part that is
// damaged yields an error that names it, and the walk goes on behind it.
func (f *File) All() iter.Seq2[*Found, error] {
	return func(yield func(*Found, error) bool) {
		w := walk{yield: yield, left: f.limits.Bytes}
		w.file(f, nil, 0)
	}
}

type walk struct {
	yield func(*Found, error) bool
	// left is what parts may still unpack to.
	left uint64
}

// file visits the parts of f and returns false once the caller has enough.
func (w *walk) file(f *File, path []string, depth int) bool {
	for i := range f.Parts {
		p := &f.Parts[i]
		// Bundles keep a place for the host's own code, which lies elsewhere.
		if p.Size == 0 || p.Kind == 0 && p.Model == "host" {
			continue
		}
		inner := path
		if p.Label != "" {
			inner = append(path[:len(path):len(path)], p.Label)
		}
		if !w.part(p, inner, depth) {
			return false
		}
	}
	return true
}

func (w *walk) part(p *Part, path []string, depth int) bool {
	if p.Packing == Scrambled || p.Kind == 0 {
		return w.yield(&Found{Path: path, Part: p}, nil)
	}
	if depth == maxDepth {
		return w.yield(nil, fmt.Errorf("%s: more than %d containers inside each other: %w", p.describe(), maxDepth, ErrFormat))
	}
	limited := *p
	limited.limits.Bytes = min(p.limits.Bytes, w.left)
	file, err := limited.Open()
	if err != nil {
		return w.yield(nil, err)
	}
	if p.Packing != Stored {
		w.left -= uint64(len(file.data))
	}
	if !file.Kind.IsContainer() && !w.yield(&Found{Path: path, Part: p, File: file}, nil) {
		return false
	}
	return w.file(file, path, depth+1)
}
