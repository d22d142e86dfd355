package main

import (
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/device"
)

type devicesCommand struct {
	Features bool `help:"Print the processor's features as well."`
}

// deviceResult is one device.
type deviceResult struct {
	Name      string `json:"name"`
	Triple    string `json:"triple"`
	Processor string `json:"processor"`
	Features  string `json:"features"`
	// MaxGrid and MaxBlock bound each dimension, MaxBlockItems their product.
	MaxGrid        [3]uint32 `json:"max_grid"`
	MaxBlock       [3]uint32 `json:"max_block"`
	MaxBlockItems  uint32    `json:"max_block_items"`
	MaxSharedBytes uint32    `json:"max_shared_bytes"`
	MaxParamBytes  uint32    `json:"max_param_bytes"`
}

// Run lists the devices. It opens no LLVM.
func (c *devicesCommand) Run(s *session) error {
	engine, err := s.openEngine(&observed{})
	if err != nil {
		return err
	}
	defer engine.Close()
	d := engine.Device()
	t, l := d.Target(), d.Limits()
	dims := func(d device.Dim) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }
	results := []deviceResult{{
		d.Name(), t.Triple, t.Processor, t.Features, dims(l.MaxGrid), dims(l.MaxBlock), l.MaxBlockItems, l.MaxSharedBytes, l.MaxParamBytes,
	}}
	if s.json {
		return s.printJSON(results)
	}
	for i := range results {
		if err := c.print(s, &results[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *devicesCommand) print(s *session, r *deviceResult) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s, %s\n", r.Name, r.Processor, r.Triple)
	fmt.Fprintf(&b, "  grid        up to %d,%d,%d\n", r.MaxGrid[0], r.MaxGrid[1], r.MaxGrid[2])
	fmt.Fprintf(&b, "  block       up to %d,%d,%d, at most %d work-items\n", r.MaxBlock[0], r.MaxBlock[1], r.MaxBlock[2], r.MaxBlockItems)
	fmt.Fprintf(&b, "  shared      %s a group\n", size(int64(r.MaxSharedBytes)))
	fmt.Fprintf(&b, "  parameters  %s\n", size(int64(r.MaxParamBytes)))
	if c.Features {
		fmt.Fprintf(&b, "  features    %s\n", strings.ReplaceAll(r.Features, ",", " "))
	}
	_, err := fmt.Fprint(s.stdout, b.String())
	return err
}
