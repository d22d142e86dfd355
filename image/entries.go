package image

import (
	"encoding/binary"
	"fmt"
)

// OffloadEntry is one function or variable that a program announces to the
// run time of its offload model.
type OffloadEntry struct {
	Name string
	// Model is "openmp", "cuda", "hip" or "sycl".
	Model string
	// Bytes is the size of a variable, 0 for a function.
	Bytes uint64
	Flags uint32
}

var entrySections = [...]struct{ name, model string }{
	{"omp_offloading_entries", "openmp"},
	{"cuda_offloading_entries", "cuda"},
	{"hip_offloading_entries", "hip"},
	{"llvm_offload_entries", ""},
}

// Entries returns the table of offloaded functions and variables of a program
// that LLVM built, nil where there is none. Errors match [ErrFormat].
func (f *File) Entries() ([]OffloadEntry, error) {
	if f.elf == nil {
		return nil, nil
	}
	var entries []OffloadEntry
	var pointers *pointers
	for i := range f.elf.sections {
		for _, known := range &entrySections {
			if string(f.elf.sections[i].name) != known.name {
				continue
			}
			if pointers == nil {
				pointers = f.elf.pointers()
			}
			more, err := pointers.entries(i, known.model)
			if err != nil {
				return nil, fmt.Errorf("section %s: %w: %w", known.name, err, ErrFormat)
			}
			entries = append(entries, more...)
		}
	}
	return entries, nil
}

// entries reads one table. Up to LLVM 19 an entry is address, name,
// size, flags and data of 32 bytes; later ones have 56 and say their model.
func (p *pointers) entries(section int, model string) ([]OffloadEntry, error) {
	s := &p.elf.sections[section]
	size, name, bytes, flags := uint64(32), uint64(8), uint64(16), uint64(24)
	if model == "" {
		size, name, bytes, flags = 56, 24, 32, 12
	}
	if uint64(len(s.data))%size != 0 {
		return nil, fmt.Errorf("its %d bytes are no multiple of an entry's %d", len(s.data), size)
	}
	le := binary.LittleEndian
	var entries []OffloadEntry
	for at := uint64(0); at < uint64(len(s.data)); at += size {
		b := s.data[at:]
		entry := OffloadEntry{Model: model, Bytes: le.Uint64(b[bytes:]), Flags: le.Uint32(b[flags:])}
		if model == "" {
			entry.Model = modelName(le.Uint16(b[10:]))
		}
		to, ok := p.at(section, at+name)
		if !ok {
			return nil, fmt.Errorf("the name of entry %d lies nowhere in the file", at/size)
		}
		entry.Name = p.elf.text(to)
		entries = append(entries, entry)
	}
	return entries, nil
}
