package kiln

import (
	"context"
	"slices"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/device"
)

// specialise returns the kernel's form for the constants in r: the one that is
// loaded already, or a new one from the cache or the compiler.
func (k *Kernel) specialise(ctx context.Context, r *record, hash uint64) (*specialisation, error) {
	request, err := k.request(r)
	if err != nil {
		return nil, err
	}
	words, block := slices.Clone(r.words), r.launch.Block
	return k.loading.do(k.engine.base, ctx, cache.Key(request.Digest()), func(ctx context.Context) (*specialisation, error) {
		// Whoever was ahead may have loaded it between our look-up and here.
		if s := k.table.Load().find(words, hash); s != nil {
			return s, nil
		}
		im, err := k.engine.image(ctx, request)
		if err != nil {
			return nil, err
		}
		library, err := k.module.load(ctx, im)
		if err != nil {
			return nil, err
		}
		if !k.engine.adopt(library) {
			library.Close()
			return nil, ErrClosed
		}
		s := &specialisation{words: words, hash: hash, function: library.Function(), library: library, image: im}
		k.mu.Lock()
		k.table.Store(k.table.Load().with(s))
		k.remember(block)
		k.mu.Unlock()
		k.recent.Store(s)
		return s, nil
	})
}

// remember notes a block size that has code of its own; k.mu is held.
func (k *Kernel) remember(block device.Dim) {
	var known []device.Dim
	if p := k.blocks.Load(); p != nil {
		known = *p
	}
	if k.ownBlock && len(known) < maxBlocks && !slices.Contains(known, block) {
		known = append(slices.Clone(known), block)
		k.blocks.Store(&known)
	}
}

// adopt makes the engine close the library with itself; false after that.
func (e *Engine) adopt(library device.Library) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.libraries == nil {
		return false
	}
	e.libraries[library] = struct{}{}
	e.stats.codeBytes.Add(int64(library.Bytes()))
	return true
}
