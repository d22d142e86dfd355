package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

const (
	cubinABINew = 0x41

	// The old header has a flag for code that only its own architecture runs.
	cubinArchOnlyOld = 0x800
	cubinArchOnlyNew = 0x8

	// cubinEntry marks the symbols of kernels among those of functions.
	cubinEntry = 0x10

	noteToolkit = 2000
)

func (f *File) openCubin() error {
	e, err := readELF(f.data)
	if err != nil {
		return err
	}
	f.elf, f.Version = e, strconv.Itoa(int(e.abiVersion))
	number, only := e.flags&0xFF, e.flags&cubinArchOnlyOld != 0
	if e.osABI == cubinABINew {
		number, only = e.flags>>8&0xFF, e.flags&cubinArchOnlyNew != 0
	}
	processor := "sm_" + strconv.Itoa(int(number))
	producer, options := e.toolkit()
	f.Producer = producer
	if only {
		processor += "a"
	} else if named := archOption(options); strings.TrimRight(named, "af") == processor {
		// Newer headers have no letter; the options of ptxas do.
		processor = named
	}
	f.Target = parseTarget("nvptx64-nvidia-cuda/" + processor)
	return f.embedded()
}

// toolkit returns the version and the options of the ptxas that made a cubin of
// CUDA 13 or later: four numbers, then a table of offsets of texts.
func (e *elfFile) toolkit() (version, options string) {
	for note := range e.notes("NVIDIA Corp", noteToolkit) {
		if len(note) < 24 {
			return "", ""
		}
		le := binary.LittleEndian
		text := func(at int) string { return string(textAt(note[24:], uint64(le.Uint32(note[at:])))) }
		return text(12), text(20)
	}
	return "", ""
}

func archOption(options string) string {
	_, rest, _ := strings.Cut(options, "-arch ")
	name, _, _ := strings.Cut(rest, " ")
	return name
}

// The attributes of .nv.info sections that are read here: each has a format, a
// number and two bytes, which are the size where a value follows.
const (
	infoFormatShort = 3
	infoFormatSized = 4

	infoMaxThreads  = 0x05
	infoReqdThreads = 0x10
	infoFrameSize   = 0x11
	infoParam       = 0x17
	infoParamBytes  = 0x19
	infoRegisters   = 0x2F
	infoWideParam   = 0x45
)

func (f *File) cubinKernels() ([]KernelCode, error) {
	e := f.elf
	kernels := []KernelCode{}
	bySymbol := map[uint32]int{}
	sections := map[string]*elfSection{}
	for i := range e.sections {
		if s := &e.sections[i]; bytes.HasPrefix(s.name, []byte(".nv.")) {
			sections[string(s.name)] = s
		}
	}
	for n, s := range e.symbols {
		if s.kind() != symbolFunc || s.other&cubinEntry == 0 {
			continue
		}
		info := sections[".nv.info."+string(s.name)]
		if info == nil {
			continue
		}
		k := KernelCode{Name: string(s.name), Symbol: string(s.name), Wavefront: 32}
		if shared := sections[".nv.shared."+k.Name]; shared != nil {
			k.SharedBytes = uint32(shared.size)
		}
		// Another symbol of the same name would read the section again.
		delete(sections, ".nv.info."+string(s.name))
		err := eachInfo(info.data, func(attribute uint8, value []byte) { k.attribute(attribute, value, len(info.data)) })
		if err != nil {
			return nil, fmt.Errorf("cubin: .nv.info.%s: %w: %w", k.Name, err, ErrFormat)
		}
		bySymbol[uint32(n)] = len(kernels)
		kernels = append(kernels, k)
	}
	if info := sections[".nv.info"]; info != nil {
		err := eachInfo(info.data, func(attribute uint8, value []byte) {
			if len(value) != 8 {
				return
			}
			i, ok := bySymbol[binary.LittleEndian.Uint32(value)]
			amount := binary.LittleEndian.Uint32(value[4:])
			switch {
			case ok && attribute == infoRegisters:
				kernels[i].Registers = amount
			case ok && attribute == infoFrameSize:
				kernels[i].PrivateBytes = amount
			}
		})
		if err != nil {
			return nil, fmt.Errorf("cubin: .nv.info: %w: %w", err, ErrFormat)
		}
	}
	return kernels, nil
}

// attribute takes one attribute of a kernel's own section of so many bytes.
func (k *KernelCode) attribute(attribute uint8, value []byte, sectionBytes int) {
	le := binary.LittleEndian
	switch {
	case attribute == infoParamBytes && len(value) == 2:
		k.ParamBytes = uint32(le.Uint16(value))
	case attribute == infoMaxThreads && len(value) == 12:
		k.MaxBlock = le.Uint32(value) * le.Uint32(value[4:]) * le.Uint32(value[8:])
	case attribute == infoReqdThreads && len(value) == 12:
		k.ReqdBlock = [3]uint32{le.Uint32(value), le.Uint32(value[4:]), le.Uint32(value[8:])}
	case attribute == infoParam && len(value) == 12:
		k.setParam(le.Uint16(value[4:]), sectionBytes, CodeParam{Offset: uint32(le.Uint16(value[6:])), Size: le.Uint32(value[8:]) >> 18})
	case attribute == infoWideParam && len(value) == 12:
		k.setParam(le.Uint16(value[4:]), sectionBytes, CodeParam{Offset: uint32(le.Uint16(value[6:])), Size: uint32(le.Uint16(value[8:]))})
	}
}

// setParam puts a parameter at its place; they come in any order. Each takes 16
// bytes of the section, which bounds how many there are.
func (k *KernelCode) setParam(ordinal uint16, sectionBytes int, p CodeParam) {
	if int(ordinal) >= sectionBytes/16 {
		return
	}
	for len(k.Params) <= int(ordinal) {
		k.Params = append(k.Params, CodeParam{})
	}
	k.Params[ordinal] = p
}

// eachInfo calls f with each attribute that has a value.
func eachInfo(b []byte, f func(attribute uint8, value []byte)) error {
	for len(b) >= 4 {
		format, attribute, value := b[0], b[1], b[2:4]
		b = b[4:]
		switch format {
		case infoFormatSized:
			n := int(binary.LittleEndian.Uint16(value))
			if n > len(b) {
				return fmt.Errorf("attribute %#x has %d bytes, %d are left: damaged", attribute, n, len(b))
			}
			f(attribute, b[:n])
			b = b[n:]
		case infoFormatShort:
			f(attribute, value)
		}
	}
	return nil
}
