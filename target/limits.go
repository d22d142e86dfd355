package target

import (
	"strconv"
	"strings"
)

// Limits are what a processor or a device bounds. A zero is a bound that is
// not known, which nothing is checked against.
type Limits struct {
	// PTX is the newest version that the device's driver takes.
	PTX PTXVersion
	// ParamBytes is the most that a kernel's parameters take.
	ParamBytes uint32
	// StaticShared is the most shared memory in bytes that a kernel may declare,
	// SharedBytes the most of a block with what is added at launch.
	StaticShared, SharedBytes uint32
	// Block is the most work-items of a block, BlockDims those along x, y and z.
	Block     uint32
	BlockDims [3]uint32
	// Registers is the most of a work-item.
	Registers uint32
	// Cluster is the most blocks of a cluster, 0 for processors without any.
	Cluster uint32
}

// WithDevice returns the limits with those that the device at hand has instead.
func (l Limits) WithDevice(device Limits) Limits {
	or := func(to *uint32, from uint32) {
		if from != 0 {
			*to = from
		}
	}
	if device.PTX != 0 {
		l.PTX = device.PTX
	}
	or(&l.ParamBytes, device.ParamBytes)
	or(&l.StaticShared, device.StaticShared)
	or(&l.SharedBytes, device.SharedBytes)
	or(&l.Block, device.Block)
	for i := range l.BlockDims {
		or(&l.BlockDims[i], device.BlockDims[i])
	}
	or(&l.Registers, device.Registers)
	or(&l.Cluster, device.Cluster)
	return l
}

const (
	// ShortParamBytes is what parameters may take before PTX 8.1 or sm_70, in bytes.
	ShortParamBytes = 4096
	longParams      = 32764
	// LongParamsPTX is the first version with room for large parameter blocks.
	LongParamsPTX PTXVersion = 81

	kib = 1024
)

// Limits returns the bounds of the target's processor, for PTX of any version;
// zeros for a CPU, which has none.
func (t Target) Limits() Limits {
	switch t.Arch() {
	case NVPTX:
		return nvidiaLimits(SM(t.Processor))
	case AMDGPU:
		return amdLimits(t.Processor)
	}
	return Limits{}
}

func nvidiaLimits(sm int) Limits {
	l := Limits{
		ParamBytes:   ShortParamBytes,
		StaticShared: 48 * kib,
		SharedBytes:  48 * kib,
		Block:        1024,
		BlockDims:    [3]uint32{1024, 1024, 64},
		Registers:    255,
	}
	if sm >= 70 {
		l.ParamBytes = longParams
	}
	if sm < 32 {
		l.Registers = 63
	}
	if sm >= 90 {
		l.Cluster = 16
	}
	for _, s := range &sharedOptIn {
		if sm == s.sm {
			l.SharedBytes = s.kib * kib
		}
	}
	return l
}

// sharedOptIn is the most shared memory of a block, in KiB, for kernels that
// ask for more than 48.
var sharedOptIn = [...]struct {
	sm  int
	kib uint32
}{
	{70, 96}, {72, 96}, {75, 64}, {80, 163}, {86, 99}, {87, 163}, {88, 99}, {89, 99},
	{90, 227}, {100, 227}, {101, 227}, {103, 227}, {110, 227}, {120, 99}, {121, 99},
}

func amdLimits(processor string) Limits {
	l := Limits{
		StaticShared: 64 * kib,
		SharedBytes:  64 * kib,
		Block:        1024,
		BlockDims:    [3]uint32{1024, 1024, 1024},
		Registers:    256,
	}
	shared := uint32(64)
	switch {
	case strings.HasPrefix(processor, "gfx6"):
		shared = 32
	case processor == "gfx950":
		shared = 160
	case processor == "gfx1250", processor == "gfx1251":
		shared = 320
	}
	l.StaticShared, l.SharedBytes = shared*kib, shared*kib
	if processor == "gfx908" || processor == "gfx90a" || processor == "gfx942" || processor == "gfx950" {
		// With the accumulators.
		l.Registers = 512
	}
	return l
}

// SM returns the number of an NVIDIA processor: 90 for sm_90a; 0 for others.
func SM(processor string) int {
	digits, ok := strings.CutPrefix(processor, "sm_")
	n, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	if !ok || err != nil || n < 0 {
		return 0
	}
	return n
}
