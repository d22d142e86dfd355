package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/kilnjit/kiln/target"
)

// bundleHeader is the table of an offload bundle.
type bundleHeader struct {
	entries []bundleRecord
	// end is where the last entry's bytes end.
	end uint64
}

type bundleRecord struct {
	id           string
	offset, size uint64
}

func readBundleHeader(b []byte) (bundleHeader, error) {
	le := binary.LittleEndian
	at := uint64(len(magicBundle))
	if uint64(len(b)) < at+8 {
		return bundleHeader{}, errors.New("it ends before the number of its entries: truncated")
	}
	count := le.Uint64(b[at:])
	at += 8
	if count > maxParts || count*24 > uint64(len(b))-at {
		return bundleHeader{}, fmt.Errorf("its table of %d entries reaches behind the end: truncated or damaged", count)
	}
	h := bundleHeader{entries: make([]bundleRecord, count)}
	for i := range h.entries {
		if uint64(len(b))-at < 24 {
			return bundleHeader{}, fmt.Errorf("entry %d lies behind the end: truncated", i)
		}
		r := &h.entries[i]
		var n uint64
		r.offset, r.size, n = le.Uint64(b[at:]), le.Uint64(b[at+8:]), le.Uint64(b[at+16:])
		at += 24
		if n > uint64(len(b))-at {
			return bundleHeader{}, fmt.Errorf("the ID of entry %d lies behind the end: truncated or damaged", i)
		}
		r.id = string(b[at : at+n])
		at += n
		if r.offset > uint64(len(b)) || r.size > uint64(len(b))-r.offset {
			return bundleHeader{}, fmt.Errorf("entry %q lies at %d+%d, the bundle has %d bytes: truncated or damaged", r.id, r.offset, r.size, len(b))
		}
		h.end = max(h.end, r.offset+r.size)
	}
	h.end = max(h.end, at)
	return h, nil
}

func bundleExtent(b []byte) (uint64, error) {
	h, err := readBundleHeader(b)
	return h.end, err
}

func (f *File) openBundles() error {
	h, err := readBundleHeader(f.data)
	if err != nil {
		return err
	}
	for _, r := range h.entries {
		p := f.part(r.offset, r.size)
		p.Kind, p.Label = kindOf(p.raw), r.id
		p.Model, p.Target = parseEntryID(r.id)
		if err := f.add(p); err != nil {
			return err
		}
	}
	return nil
}

// parseEntryID splits a bundle's entry ID, "hipv4-amdgcn-amd-amdhsa--gfx906".
func parseEntryID(id string) (model string, t target.Target) {
	model, triple, ok := strings.Cut(id, "-")
	if !ok {
		return "", target.Target{}
	}
	if model == "host" {
		// clang-offload-bundler 19 can write the host's ID twice over.
		triple, _, _ = strings.Cut(triple, "-host-")
		triple = strings.TrimRight(triple, "-")
	}
	return model, parseTarget(triple)
}

// BundleEntry is one image of an offload bundle to be written.
type BundleEntry struct {
	// ID is model, triple and target ID: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+",
	// "host-x86_64-unknown-linux-gnu-".
	ID string
	// Data may be empty, as HIP's host entry is.
	Data []byte
}

// EncodeBundle writes an offload bundle whose images lie at multiples of align
// bytes, a power of two; 0 means 4096, which the GPU's loader can map. HIP's run
// time wants the host's entry first.
func EncodeBundle(entries []BundleEntry, align uint32) ([]byte, error) {
	if align == 0 {
		align = 4096
	}
	if bits.OnesCount32(align) != 1 {
		return nil, fmt.Errorf("writing an offload bundle: alignment %d is no power of two", align)
	}
	seen := map[string]bool{}
	at := uint64(len(magicBundle) + 8)
	for _, e := range entries {
		if e.ID == "" || seen[e.ID] {
			return nil, fmt.Errorf("writing an offload bundle: entry ID %q is empty or there twice", e.ID)
		}
		seen[e.ID] = true
		at += 24 + uint64(len(e.ID))
	}
	le := binary.LittleEndian
	out := append([]byte(nil), magicBundle...)
	out = le.AppendUint64(out, uint64(len(entries)))
	for _, e := range entries {
		at = alignUp(at, align)
		out = le.AppendUint64(out, at)
		out = le.AppendUint64(out, uint64(len(e.Data)))
		out = le.AppendUint64(out, uint64(len(e.ID)))
		out = append(out, e.ID...)
		at += uint64(len(e.Data))
	}
	for _, e := range entries {
		out = append(out, make([]byte, alignUp(uint64(len(out)), align)-uint64(len(out)))...)
		out = append(out, e.Data...)
	}
	return out, nil
}
