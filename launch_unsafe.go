package kiln

import (
	"context"
	"slices"
	"unsafe"

	"github.com/kilnjit/kiln/device"
)

// record is the memory of one launch, reused by later ones.
type record struct {
	launch device.Launch
	words  []uint64         // the constants, as the key of the specialisation
	keep   []unsafe.Pointer // what the arguments point to, so that it stays alive
	result LaunchArg
	stripe *stripe
	held   []*region // buffers of a launch in a stream
}

func newRecord(k *Kernel) *record {
	r := &record{launch: device.Launch{Params: alignedBytes(int(k.info.ParamBytes))}}
	r.words = make([]uint64, 0, len(k.params)+5)
	r.keep = make([]unsafe.Pointer, 0, len(k.params))
	r.stripe = k.engine.stripe()
	return r
}

// at returns the address of a parameter in the block. Offsets come with the
// block's size, so they lie in it.
func (r *record) at(offset uint32) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(r.launch.Params)), offset)
}

// alignedBytes returns n bytes at a 64-byte boundary, as over-aligned
// parameters and vector loads want.
func alignedBytes(n int) []byte {
	b := make([]byte, n+64)
	skip := -uintptr(unsafe.Pointer(&b[0])) & 63
	return b[skip : skip+uintptr(n) : skip+uintptr(n)]
}

// Launch runs the kernel over its grid and returns when all of it has ended.
// What is not compiled yet is compiled first: ctx bounds that wait, not the
// run itself. A warm launch takes no lock and allocates nothing.
//
// Errors match [ErrArgument], [ErrLaunch], [ErrFault] or [ErrClosed], or are a
// [*CompileError].
func (k *Kernel) Launch(ctx context.Context, args ...LaunchArg) error {
	r := k.records.Get().(*record)
	err := k.launch(ctx, r, args)
	r.forget()
	k.records.Put(r)
	return err
}

// forget drops what the record's launch referred to.
func (r *record) forget() {
	clear(r.keep)
	r.keep = r.keep[:0]
	if r.result.tag != 0 {
		r.result = LaunchArg{}
	}
}

func (k *Kernel) launch(ctx context.Context, r *record, args []LaunchArg) error {
	if err := k.fill(r, args); err != nil {
		return err
	}
	if run, err := device.Check(&k.limits, &k.facts, &r.launch); !run {
		return err
	}
	r.stripe.enter()
	defer r.stripe.leave()
	if k.engine.closed.Load() {
		return ErrClosed
	}
	s := k.recent.Load()
	if s == nil || !slices.Equal(s.words, r.words) {
		hash := hashWords(r.words)
		if s = k.table.Load().find(r.words, hash); s == nil {
			var err error
			if s, err = k.specialise(ctx, r, hash); err != nil {
				return err
			}
		}
	}
	if err := s.function.Launch(&r.launch); err != nil {
		return err
	}
	if r.result.tag != 0 {
		r.result.take(r.launch.Params[k.result.offset:])
	}
	return nil
}
