package kiln

import (
	"context"
	"runtime"
	"unsafe"

	"github.com/kilnjit/kiln/device"
)

// record is the memory of one launch, reused by later ones.
type record struct {
	launch device.Launch
	words  []uint64 // the constants, as the key of the specialisation
	result LaunchArg
	// passed is the shape that was last found right.
	passed shapeOf
	// What follows is for launches in streams.
	queued bool
	keep   []unsafe.Pointer // what the arguments point to, so that it stays alive
	held   []*region        // buffers
	stripe *stripe
}

func newRecord(k *Kernel) *record {
	r := &record{stripe: k.engine.stripe()}
	r.fit(k)
	return r
}

// fits tells whether the record has the right memory for a launch of k.
func (r *record) fits(k *Kernel) bool {
	return len(r.launch.Params) == int(k.info.ParamBytes) && cap(r.words) >= k.room
}

// fit gives the record memory for launches of k.
func (r *record) fit(k *Kernel) {
	r.launch.Params = alignedBytes(int(k.info.ParamBytes))
	r.words = make([]uint64, 0, k.room)
}

// at returns the address of a parameter in the block. Offsets come with the
// block's size, so they lie in it.
func (r *record) at(offset uint32) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(r.launch.Params)), offset)
}

// alignedBytes returns n bytes at a 64-byte boundary, as over-aligned
// parameters and vector loads want.
func alignedBytes(n int) []byte {
	b := make([]byte, n+64+8) // a number is stored as 8 bytes
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
	l := k.engine.lane()
	if l == nil {
		return k.launchAside(ctx, args)
	}
	r := &l.record
	if !r.fits(k) {
		r.fit(k)
	}
	s, err := k.prepare(r, args)
	if s == nil && err == nil {
		s, err = k.specialise(ctx, r, hashWords(r.words))
	}
	if err == nil && s != nothing {
		err = k.run(s, r)
	}
	if r.result.tag != 0 {
		r.result = LaunchArg{}
	}
	l.leave()
	// What the arguments point to is the kernel's for as long.
	runtime.KeepAlive(unsafe.SliceData(args))
	return err
}

// nothing is the form of a kernel for launches without work.
var nothing = new(specialisation)

// prepare lays the launch out in r and returns the form of the kernel that it
// asks for: nil where that is not there yet, nothing where there is no work.
// The launch must count as under way.
func (k *Kernel) prepare(r *record, args []LaunchArg) (*specialisation, error) {
	if k.engine.closed.Load() {
		return nil, ErrClosed
	}
	if err := k.fill(r, args); err != nil {
		return nil, err
	}
	if !r.passed.is(k, &r.launch) {
		if work, err := device.Check(&k.limits, &k.facts, &r.launch); err != nil {
			return nil, err
		} else if !work {
			return nothing, nil
		}
		r.passed = shapeOf{k.number, r.launch.Grid, r.launch.Block, r.launch.SharedBytes}
	}
	if s := k.recent.Load(); s != nil && s.is(r.words) {
		return s, nil
	}
	return k.table.Load().find(r.words, hashWords(r.words)), nil
}

// shapeOf is the shape of a launch of the kernel of that number.
type shapeOf struct {
	kernel      uint64
	grid, block device.Dim
	shared      uint32
}

// is compares number by number: memory that was just written in small pieces is
// slow to read in large ones.
func (s *shapeOf) is(k *Kernel, l *device.Launch) bool {
	return s.kernel == k.number && s.shared == l.SharedBytes &&
		s.grid.X == l.Grid.X && s.grid.Y == l.Grid.Y && s.grid.Z == l.Grid.Z &&
		s.block.X == l.Block.X && s.block.Y == l.Block.Y && s.block.Z == l.Block.Z
}

// run launches and sees to the result.
func (k *Kernel) run(s *specialisation, r *record) error {
	if err := s.function.Launch(&r.launch); err != nil {
		return err
	}
	if r.result.tag != 0 {
		r.result.take(r.launch.Params[k.result.offset:])
	}
	return nil
}

// launchAside is Launch without a lane.
func (k *Kernel) launchAside(ctx context.Context, args []LaunchArg) error {
	r := k.records.Get().(*record)
	r.stripe.enter()
	defer r.stripe.leave()
	s, err := k.prepare(r, args)
	if s == nil && err == nil {
		s, err = k.specialise(ctx, r, hashWords(r.words))
	}
	if err == nil && s != nothing {
		err = k.run(s, r)
	}
	r.forget()
	k.records.Put(r)
	runtime.KeepAlive(unsafe.SliceData(args))
	return err
}

// forget drops what the record's launch referred to.
func (r *record) forget() {
	clear(r.keep)
	r.keep = r.keep[:0]
	r.queued = false
	r.result = LaunchArg{}
}
