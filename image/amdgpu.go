package image

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	noteMetadata = 32

	abiHSA    = 64
	abiPAL    = 65
	abiMesa3D = 66

	// firstSettingsABI is the header's version of code object 4, the first one
	// whose flags tell a setting that is off from one that is left open.
	firstSettingsABI = 2
)

// openAMDGPU reads the target out of the header's flags.
func (f *File) openAMDGPU() error {
	e, err := readELF(f.data)
	if err != nil {
		return err
	}
	f.elf, f.Producer = e, e.comment()
	system := "amdhsa"
	switch e.osABI {
	case abiHSA:
		// The header counts code object versions from 2.
		f.Version = strconv.Itoa(int(e.abiVersion) + 2)
	case abiPAL:
		system = "amdpal"
	case abiMesa3D:
		system = "mesa3d"
	}
	if name := amdMachine(e.flags & 0xFF); name != "" {
		features := ""
		for _, s := range &amdSettings {
			switch value := e.flags >> s.shift & 3; {
			case e.osABI == abiHSA && e.abiVersion < firstSettingsABI:
				// Before that a bit says on, and its absence does not say off.
				if e.flags>>(s.oldBit)&1 != 0 {
					features += ",+" + s.name
				}
			case value == settingOn:
				features += ",+" + s.name
			case value == settingOff:
				features += ",-" + s.name
			}
		}
		f.Target = parseTarget("amdgcn-amd-" + system + "/" + name + "/" + strings.TrimPrefix(features, ","))
	}
	return f.embedded()
}

// The values of a setting: unsupported, left open, off, on.
const (
	settingOff = 2
	settingOn  = 3
)

var amdSettings = [...]struct {
	name          string
	shift, oldBit int
}{
	{"xnack", 8, 8},
	{"sramecc", 10, 9},
}

// amdMachines are the processors by their number in the flags, from 0x20 on.
var amdMachines = [...]string{
	"gfx600", "gfx601", "gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "",
	"gfx801", "gfx802", "gfx803", "gfx810", "gfx900", "gfx902", "gfx904", "gfx906",
	"gfx908", "gfx909", "gfx90c", "gfx1010", "gfx1011", "gfx1012", "gfx1030", "gfx1031",
	"gfx1032", "gfx1033", "gfx602", "gfx705", "gfx805", "gfx1035", "gfx1034", "gfx90a",
	"gfx940", "gfx1100", "gfx1013", "gfx1150", "gfx1103", "gfx1036", "gfx1101", "gfx1102",
	"gfx1200", "gfx1250", "gfx1151", "gfx941", "gfx942", "", "gfx1201", "gfx950",
	"", "gfx9-generic", "gfx10-1-generic", "gfx10-3-generic", "gfx11-generic", "gfx1152", "", "",
	"gfx1153", "gfx12-generic", "gfx1251", "", "", "", "", "gfx9-4-generic",
}

func amdMachine(number uint32) string {
	if i := int(number) - 0x20; i >= 0 && i < len(amdMachines) {
		return amdMachines[i]
	}
	return ""
}

// amdgpuKernels reads the metadata note of code object 3 and later. Objects
// without one have no kernels.
func (f *File) amdgpuKernels() ([]KernelCode, error) {
	kernels := []KernelCode{}
	for note := range f.elf.notes("AMDGPU", noteMetadata) {
		r := packReader{note}
		head, err := r.next()
		if err == nil {
			err = r.fields(head, func(name string, v packValue) error {
				if name != "amdhsa.kernels" {
					return r.skip(v, 0)
				}
				return r.elements(v, func(v packValue) error {
					k, err := r.kernel(v)
					kernels = append(kernels, k)
					return err
				})
			})
		}
		if err != nil {
			return nil, fmt.Errorf("AMDGPU object: %w: %w", err, ErrFormat)
		}
		break
	}
	return kernels, nil
}

func (r *packReader) kernel(head packValue) (KernelCode, error) {
	var k KernelCode
	numbers := map[string]*uint32{
		".kernarg_segment_size":       &k.ParamBytes,
		".group_segment_fixed_size":   &k.SharedBytes,
		".private_segment_fixed_size": &k.PrivateBytes,
		".vgpr_count":                 &k.Registers,
		".sgpr_count":                 &k.Scalars,
		".agpr_count":                 &k.Accumulators,
		".wavefront_size":             &k.Wavefront,
		".max_flat_workgroup_size":    &k.MaxBlock,
	}
	err := r.fields(head, func(name string, v packValue) error {
		switch to := numbers[name]; {
		case to != nil && v.shape == packInteger:
			*to = uint32(v.number)
			return nil
		case name == ".name" && v.shape == packText:
			k.Name = string(v.text)
		case name == ".symbol" && v.shape == packText:
			k.Symbol = string(v.text)
		case (name == ".vgpr_spill_count" || name == ".sgpr_spill_count") && v.shape == packInteger:
			k.Spills += uint32(v.number)
		case name == ".reqd_workgroup_size" && v.shape == packList:
			i := 0
			return r.elements(v, func(v packValue) error {
				if i < len(k.ReqdBlock) && v.shape == packInteger {
					k.ReqdBlock[i] = uint32(v.number)
				}
				i++
				return r.skip(v, 0)
			})
		case name == ".args" && v.shape == packList:
			return r.elements(v, func(v packValue) error {
				p, err := r.param(v)
				k.Params = append(k.Params, p)
				return err
			})
		}
		return r.skip(v, 0)
	})
	return k, err
}

func (r *packReader) param(head packValue) (CodeParam, error) {
	var p CodeParam
	err := r.fields(head, func(name string, v packValue) error {
		switch {
		case name == ".name" && v.shape == packText:
			p.Name = string(v.text)
		case name == ".value_kind" && v.shape == packText:
			p.Kind = string(v.text)
			p.Hidden = strings.HasPrefix(p.Kind, "hidden_")
		case name == ".offset" && v.shape == packInteger:
			p.Offset = uint32(v.number)
		case name == ".size" && v.shape == packInteger:
			p.Size = uint32(v.number)
		}
		return r.skip(v, 0)
	})
	return p, err
}
