package devicetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
)

var shapes = []device.Dim{{X: 1, Y: 1, Z: 1}, {X: 2, Y: 1, Z: 1}, {X: 3, Y: 5, Z: 7}, {X: 1, Y: 1, Z: 60}, {X: 10_000, Y: 1, Z: 1}}

func properties(b *bench) {
	d := b.device
	if d.Name() == "" || strings.ContainsAny(d.Name(), " \n") {
		b.Errorf("name %q", d.Name())
	}
	other := b.suite.Open(b.T)
	if other.Name() == d.Name() {
		b.Errorf("two devices of the name %q", d.Name())
	}
	b.check(other.Close())
	if im := b.image("empty"); d.Target().Arch() != im.Target.Arch() {
		b.Errorf("target %v, the image's is %v", d.Target(), im.Target)
	}
	l := d.Limits()
	if slices.Contains([]uint32{
		l.MaxGrid.X, l.MaxGrid.Y, l.MaxGrid.Z, l.MaxBlock.X, l.MaxBlock.Y, l.MaxBlock.Z,
		l.MaxBlockItems, l.MaxSharedBytes, l.MaxParamBytes,
	}, 0) {
		b.Errorf("a limit is zero: %+v", l)
	}
	if l != d.Limits() || d.Target() != d.Target() {
		b.Error("properties change")
	}
}

func launches(b *bench) {
	lib := b.load(b.image("add"))
	if lib.Bytes() <= 0 {
		b.Errorf("library of %d bytes", lib.Bytes())
	}
	bounds, facts := b.device.Limits(), device.FactsOf(nil, b.image("add"))
	block := device.Dim{X: 8, Y: 2, Z: 1}
	for _, grid := range shapes {
		n := int(grid.Count() * block.Count())
		p := b.alloc(uint64(4 * n))
		l := &device.Launch{Grid: grid, Block: block, Params: parameters(p, 7)}
		if work, err := device.Check(&bounds, &facts, l); !work || err != nil {
			b.Fatalf("checking grid %v: work %v, %v", grid, work, err)
		}
		for range 3 {
			if err := lib.Function().Launch(l); err != nil {
				b.Errorf("grid %v: %v", grid, err)
			}
		}
		for i, got := range b.words(p, n) {
			if got != 21 {
				b.Fatalf("grid %v: item %d was run for %d, want 21", grid, i, got)
			}
		}
		b.check(p.Free())
	}
	b.check(lib.Close())
}

// loadTwice: libraries of one image have nothing to do with each other.
func loadTwice(b *bench) {
	im := b.image("empty")
	first, second := b.load(im), b.load(im)
	l := over(1, nil)
	b.check(first.Function().Launch(l))
	b.check(first.Close())
	if err := second.Function().Launch(l); err != nil {
		b.Errorf("after the other library was closed: %v", err)
	}
	if err := first.Function().Launch(l); !errors.Is(err, device.ErrClosed) {
		b.Errorf("launch of a closed library: %v", err)
	}
}

// refusesImages: as in llvm/llvm-project#145498, there is a library if and only
// if there is no error.
func refusesImages(b *bench) {
	im := b.image("empty")
	for name, change := range map[string]func(*image.Image){
		"unknown format":          func(im *image.Image) { im.Format = 255 },
		"no payload":              func(im *image.Image) { im.Payload = nil },
		"no such entry":           func(im *image.Image) { im.Entry = "no such entry" },
		"no entry":                func(im *image.Image) { im.Entry = "" },
		"cut payload":             func(im *image.Image) { im.Payload = im.Payload[:len(im.Payload)/2] },
		"a variable without home": func(im *image.Image) { im.Globals = []image.Slot{{Name: "v", Bytes: 4, Align: 4}} },
		"a variable not held":     func(im *image.Image) { im.Variables = []image.Slot{{Name: "v", Bytes: 4, Align: 4}} },
	} {
		bad := *im
		bad.Kernel = "refused"
		change(&bad)
		lib, err := b.device.Load(context.Background(), &bad)
		if lib != nil || !errors.Is(err, device.ErrImage) || !strings.Contains(err.Error(), `"refused"`) {
			b.Errorf("%s: library %v, error %v", name, lib, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if lib, err := b.device.Load(ctx, im); lib != nil || !errors.Is(err, context.Canceled) {
		b.Errorf("cancelled load: library %v, error %v", lib, err)
	}
}

func concurrentLaunches(b *bench) {
	im := b.image("empty")
	shared := b.load(im)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			own, err := b.device.Load(context.Background(), im)
			if err != nil {
				b.Error(err)
				return
			}
			for _, grid := range shapes {
				l := &device.Launch{Grid: grid, Block: device.Dim{X: 4, Y: 1, Z: 1}}
				for _, lib := range []device.Library{shared, own} {
					if err := lib.Function().Launch(l); err != nil {
						b.Errorf("grid %v: %v", grid, err)
					}
				}
			}
			if err := own.Close(); err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
}

// limits: triton-lang/triton#3299, #580 and #7260, iree-org/iree#21527,
// fla-org/flash-linear-attention#172: each limit is taken and one more is
// refused by the name of what is too large; so are a negative number and a
// product of more than 64 bits. A zero extent is a success without work.
func limits(b *bench) {
	bounds, facts := b.device.Limits(), device.FactsOf(nil, b.image("empty"))
	run := b.function("empty").Launch
	one := device.Dim{X: 1, Y: 1, Z: 1}
	with := func(d device.Dim, axis int, v uint32) device.Dim {
		*[]*uint32{&d.X, &d.Y, &d.Z}[axis] = v
		return d
	}
	try := func(name string, l device.Launch, work bool, what string, launched bool) {
		b.Helper()
		got, err := device.Check(&bounds, &facts, &l)
		var refused *device.LaunchError
		switch {
		case what == "":
			if got != work || err != nil {
				b.Errorf("%s: work %v, error %v", name, got, err)
			} else if launched {
				if err := run(&l); err != nil {
					b.Errorf("%s: %v", name, err)
				}
			}
		case got || !errors.As(err, &refused) || refused.What != what:
			b.Errorf("%s: work %v, error %v, want one of %s", name, got, err, what)
		}
	}
	extents := func(d device.Dim) []uint32 { return []uint32{d.X, d.Y, d.Z} }
	for axis, letter := range []string{"x", "y", "z"} {
		most := extents(bounds.MaxGrid)[axis]
		// A grid at its limit is run only where that takes no hours.
		try("grid at its limit", device.Launch{Grid: with(one, axis, most), Block: one}, true, "", most <= 1<<16)
		try("zero grid", device.Launch{Grid: with(one, axis, 0), Block: one}, false, "", true)
		try("grid over its limit", device.Launch{Grid: with(one, axis, most+1), Block: one}, false, "grid."+letter, false)
		try("negative grid", device.Launch{Grid: with(one, axis, 1<<32-1), Block: one}, false, "grid."+letter, false)

		most = extents(bounds.MaxBlock)[axis]
		try("block at its limit", device.Launch{Grid: one, Block: with(one, axis, most)}, true, "", true)
		try("zero block", device.Launch{Grid: one, Block: with(one, axis, 0)}, false, "", false)
		try("block over its limit", device.Launch{Grid: one, Block: with(one, axis, most+1)}, false, "block."+letter, false)
		try("negative block", device.Launch{Grid: one, Block: with(one, axis, 1<<32-1)}, false, "block."+letter, false)
	}
	items := bounds.MaxBlockItems
	for y := uint32(2); y <= bounds.MaxBlock.Y; y *= 2 {
		if x := items / y; items%y == 0 && x <= bounds.MaxBlock.X && x < bounds.MaxBlock.X {
			try(fmt.Sprintf("block of %d × %d", x, y), device.Launch{Grid: one, Block: device.Dim{X: x, Y: y, Z: 1}}, true, "", true)
			try(fmt.Sprintf("block of %d × %d", x+1, y), device.Launch{Grid: one, Block: device.Dim{X: x + 1, Y: y, Z: 1}}, false, "work-items of a block", false)
		}
	}
	if bounds.MaxGrid.Count() > 1<<62 {
		try("the product of all limits", device.Launch{Grid: bounds.MaxGrid, Block: one}, false, "number of groups", false)
	}
	try("shared memory at its limit", device.Launch{Grid: one, Block: one, SharedBytes: bounds.MaxSharedBytes}, true, "", true)
	try("shared memory over its limit", device.Launch{Grid: one, Block: one, SharedBytes: bounds.MaxSharedBytes + 1}, false, "shared memory of a group", false)
	try("parameters nobody takes", device.Launch{Grid: one, Block: one, Params: make([]byte, 8)}, false, "length of the parameter block", false)
}
