// Package devicetest holds what every device must do, as tests.
package devicetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kilnjit/kiln/device"
	"github.com/kilnjit/kiln/image"
)

// Run tests the devices that open returns, each of which it closes. The image
// is of a kernel over a grid that takes no parameters and does nothing,
// compiled for such a device.
func Run(t *testing.T, open func(t *testing.T) device.Device, empty *image.Image) {
	fresh := func(t *testing.T) device.Device {
		t.Helper()
		d := open(t)
		t.Cleanup(func() {
			if err := d.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
		return d
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, device.Device, *image.Image)
	}{
		{"Properties", properties},
		{"Launch", launch},
		{"LoadTwice", loadTwice},
		{"RefusesImages", refusesImages},
		{"Concurrent", concurrent},
		{"Close", closes},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, fresh(t), empty) })
	}
}

var shapes = []device.Dim{{X: 1, Y: 1, Z: 1}, {X: 2, Y: 1, Z: 1}, {X: 3, Y: 5, Z: 7}, {X: 1, Y: 1, Z: 60}, {X: 10_000, Y: 1, Z: 1}}

func load(t *testing.T, d device.Device, im *image.Image) device.Library {
	t.Helper()
	lib, err := d.Load(context.Background(), im)
	if err != nil {
		t.Fatalf("loading: %v", err)
	}
	return lib
}

func properties(t *testing.T, d device.Device, im *image.Image) {
	if d.Name() == "" || strings.ContainsAny(d.Name(), " \n") {
		t.Errorf("name %q", d.Name())
	}
	if d.Target().Arch() != im.Target.Arch() {
		t.Errorf("target %v, the image's is %v", d.Target(), im.Target)
	}
	l := d.Limits()
	if slices.Contains([]uint32{
		l.MaxGrid.X, l.MaxGrid.Y, l.MaxGrid.Z, l.MaxBlock.X, l.MaxBlock.Y, l.MaxBlock.Z,
		l.MaxBlockItems, l.MaxSharedBytes, l.MaxParamBytes,
	}, 0) {
		t.Errorf("a limit is zero: %+v", l)
	}
	if l != d.Limits() || d.Target() != d.Target() {
		t.Error("properties change")
	}
}

func launch(t *testing.T, d device.Device, im *image.Image) {
	lib := load(t, d, im)
	if lib.Bytes() <= 0 {
		t.Errorf("library of %d bytes", lib.Bytes())
	}
	limits, facts := d.Limits(), device.FactsOf(nil, im)
	for _, grid := range shapes {
		l := &device.Launch{Grid: grid, Block: device.Dim{X: 8, Y: 2, Z: 1}}
		if work, err := device.Check(&limits, &facts, l); !work || err != nil {
			t.Fatalf("checking grid %v: work %v, %v", grid, work, err)
		}
		for range 3 {
			if err := lib.Function().Launch(l); err != nil {
				t.Errorf("grid %v: %v", grid, err)
			}
		}
	}
	if err := lib.Close(); err != nil {
		t.Error(err)
	}
}

// loadTwice: libraries of one image have nothing to do with each other.
func loadTwice(t *testing.T, d device.Device, im *image.Image) {
	first, second := load(t, d, im), load(t, d, im)
	l := &device.Launch{Grid: shapes[0], Block: shapes[0]}
	if err := first.Function().Launch(l); err != nil {
		t.Error(err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := second.Function().Launch(l); err != nil {
		t.Errorf("after the other library was closed: %v", err)
	}
}

func refusesImages(t *testing.T, d device.Device, im *image.Image) {
	for name, change := range map[string]func(*image.Image){
		"unknown format": func(im *image.Image) { im.Format = 255 },
		"no payload":     func(im *image.Image) { im.Payload = nil },
		"no such entry":  func(im *image.Image) { im.Entry = "no such entry" },
		"cut payload":    func(im *image.Image) { im.Payload = im.Payload[:len(im.Payload)/2] },
	} {
		bad := *im
		bad.Kernel = "refused"
		change(&bad)
		lib, err := d.Load(context.Background(), &bad)
		if lib != nil || !errors.Is(err, device.ErrImage) || !strings.Contains(err.Error(), `"refused"`) {
			t.Errorf("%s: library %v, error %v", name, lib, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if lib, err := d.Load(ctx, im); lib != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled load: library %v, error %v", lib, err)
	}
}

func concurrent(t *testing.T, d device.Device, im *image.Image) {
	shared := load(t, d, im)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			own, err := d.Load(context.Background(), im)
			if err != nil {
				t.Error(err)
				return
			}
			for _, grid := range shapes {
				l := &device.Launch{Grid: grid, Block: device.Dim{X: 4, Y: 1, Z: 1}}
				for _, lib := range []device.Library{shared, own} {
					if err := lib.Function().Launch(l); err != nil {
						t.Errorf("grid %v: %v", grid, err)
					}
				}
			}
			if err := own.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func closes(t *testing.T, d device.Device, im *image.Image) {
	lib := load(t, d, im)
	for range 2 {
		if err := d.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	if _, err := d.Load(context.Background(), im); !errors.Is(err, device.ErrClosed) {
		t.Errorf("load on a closed device: %v", err)
	}
	if err := lib.Function().Launch(&device.Launch{Grid: shapes[0], Block: shapes[0]}); !errors.Is(err, device.ErrClosed) {
		t.Errorf("launch on a closed device: %v", err)
	}
	if err := lib.Close(); err != nil {
		t.Errorf("closing a library after its device: %v", err)
	}
}
