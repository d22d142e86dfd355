package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
)

const (
	offloadVersion     = 1
	offloadHeaderBytes = 32
	offloadEntryBytes  = 40
	offloadStringBytes = 16
	offloadAlign       = 8
)

// The numbers by which offload binaries name the model that launches an image.
// HIP was 3 up to LLVM 19, when the numbers became bits.
const (
	modelOpenMP = 1
	modelCUDA   = 2
	modelOldHIP = 3
	modelHIP    = 4
	modelSYCL   = 8
)

func modelName(n uint16) string {
	switch n {
	case modelOpenMP:
		return "openmp"
	case modelCUDA:
		return "cuda"
	case modelOldHIP, modelHIP:
		return "hip"
	case modelSYCL:
		return "sycl"
	}
	return ""
}

// The numbers by which offload binaries name an image's kind.
var offloadKinds = map[Kind]uint16{ELF: 1, AMDGPUObject: 1, Bitcode: 2, Cubin: 3, FatBinary: 4, PTXText: 5}

func offloadExtent(b []byte) (uint64, error) {
	le := binary.LittleEndian
	if len(b) < offloadHeaderBytes {
		return 0, errors.New("it ends within its header: truncated")
	}
	if version := le.Uint32(b[4:]); version != offloadVersion {
		return 0, fmt.Errorf("it has version %d, kiln reads %d", version, offloadVersion)
	}
	n := le.Uint64(b[8:])
	if n < offloadHeaderBytes || n > uint64(len(b)) {
		return 0, fmt.Errorf("it says it has %d bytes, %d are there: truncated or damaged", n, len(b))
	}
	return n, nil
}

// openOffload reads the records that lie one after the other.
func (f *File) openOffload() error {
	f.Version = fmt.Sprint(offloadVersion)
	for at := uint64(0); at < uint64(len(f.data)); {
		rest := f.data[at:]
		if rest[0] == 0 {
			at += uint64(len(rest) - len(bytes.TrimLeft(rest, "\x00")))
			continue
		}
		if !hasPrefix(rest, magicOffload) {
			return fmt.Errorf("no record begins at byte %d: damaged", at)
		}
		n, err := offloadExtent(rest)
		if err == nil {
			err = f.offloadRecord(at, rest[:n])
		}
		if err != nil {
			return fmt.Errorf("the record at byte %d: %w", at, err)
		}
		at += n
	}
	return nil
}

func (f *File) offloadRecord(at uint64, b []byte) error {
	le := binary.LittleEndian
	entry := le.Uint64(b[16:])
	if entry > uint64(len(b)) || uint64(len(b))-entry < offloadEntryBytes {
		return fmt.Errorf("its entry at byte %d lies behind its end at %d", entry, len(b))
	}
	e := b[entry:]
	table, count, offset, size := le.Uint64(e[8:]), le.Uint64(e[16:]), le.Uint64(e[24:]), le.Uint64(e[32:])
	if offset > uint64(len(b)) || size > uint64(len(b))-offset {
		return fmt.Errorf("its image lies at %d+%d, the record has %d bytes", offset, size, len(b))
	}
	if table > uint64(len(b)) || count > (uint64(len(b))-table)/offloadStringBytes {
		return fmt.Errorf("its table of %d strings reaches behind its end", count)
	}
	// The strings of a real record are a handful, and together no longer than it.
	properties := map[string]string{}
	for i, room := uint64(0), len(b); i < count; i++ {
		s := b[table+i*offloadStringBytes:]
		name, value := textAt(b, le.Uint64(s)), textAt(b, le.Uint64(s[8:]))
		if room -= len(name) + len(value); room < 0 {
			return errors.New("its strings are longer than itself")
		}
		properties[string(name)] = string(value)
	}
	p := f.part(at+offset, size)
	p.Kind, p.Model = kindOf(p.raw), modelName(le.Uint16(e[2:]))
	triple, arch := properties["triple"], properties["arch"]
	p.Label, p.Target = triple, parseTarget(triple)
	if arch != "" {
		p.Label, p.Target = triple+" "+arch, parseTarget(triple+"/"+arch)
	}
	delete(properties, "triple")
	delete(properties, "arch")
	if len(properties) > 0 {
		p.Properties = properties
	}
	return f.add(p)
}

// OffloadImage is one image of an offload binary to be written.
type OffloadImage struct {
	// Triple and Arch tell what the image is for: "amdgcn-amd-amdhsa" and
	// "gfx90a:xnack+". An empty Arch is left out.
	Triple, Arch string
	// Model is "openmp", "cuda", "hip", "sycl" or empty.
	Model string
	// Properties are further pairs of name and value.
	Properties map[string]string
	Data       []byte
}

// EncodeOffloadBinary writes images as the records of LLVM's offload packager,
// one after the other. Readers of LLVM 16 to 22 take them, but for the model
// "hip", whose number LLVM changed in between: a reader of LLVM 19 and before
// sees no model there.
func EncodeOffloadBinary(images []OffloadImage) ([]byte, error) {
	var out []byte
	for i := range images {
		record, err := images[i].encode()
		if err != nil {
			return nil, fmt.Errorf("writing image %d of an offload binary: %w", i, err)
		}
		out = append(out, record...)
	}
	return out, nil
}

func (im *OffloadImage) encode() ([]byte, error) {
	model, ok := map[string]uint16{"": 0, "openmp": modelOpenMP, "cuda": modelCUDA, "hip": modelHIP, "sycl": modelSYCL}[im.Model]
	if !ok {
		return nil, fmt.Errorf("model %q is none of openmp, cuda, hip and sycl", im.Model)
	}
	if im.Triple == "" {
		return nil, errors.New("it has no triple")
	}
	properties := maps.Clone(im.Properties)
	if properties == nil {
		properties = map[string]string{}
	}
	properties["triple"] = im.Triple
	if im.Arch != "" {
		properties["arch"] = im.Arch
	}
	names := slices.Sorted(maps.Keys(properties))
	texts := offloadHeaderBytes + offloadEntryBytes + uint64(len(names))*offloadStringBytes
	var table, text []byte
	le := binary.LittleEndian
	for _, name := range names {
		for _, s := range [...]string{name, properties[name]} {
			if len(s) >= maxName || bytes.IndexByte([]byte(s), 0) >= 0 {
				return nil, fmt.Errorf("property %q holds a zero byte or is too long", name)
			}
			table = le.AppendUint64(table, texts+uint64(len(text)))
			text = append(append(text, s...), 0)
		}
	}
	offset := alignUp(texts+uint64(len(text)), offloadAlign)
	total := alignUp(offset+uint64(len(im.Data)), offloadAlign)

	out := make([]byte, 0, total)
	out = append(out, magicOffload...)
	out = le.AppendUint32(out, offloadVersion)
	for _, v := range [...]uint64{total, offloadHeaderBytes, offloadEntryBytes} {
		out = le.AppendUint64(out, v)
	}
	out = le.AppendUint16(out, offloadKinds[kindOf(im.Data)])
	out = le.AppendUint16(out, model)
	out = le.AppendUint32(out, 0)
	for _, v := range [...]uint64{offloadHeaderBytes + offloadEntryBytes, uint64(len(names)), offset, uint64(len(im.Data))} {
		out = le.AppendUint64(out, v)
	}
	out = append(append(out, table...), text...)
	out = append(out, make([]byte, offset-uint64(len(out)))...)
	out = append(out, im.Data...)
	return append(out, make([]byte, total-uint64(len(out)))...), nil
}
