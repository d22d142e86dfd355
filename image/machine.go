package image

// KernelCode is what machine code or PTX says of one of its kernels.
type KernelCode struct {
	Name string
	// Symbol is what the driver looks for: the name, and on AMD its descriptor.
	Symbol string
	Params []CodeParam
	// ParamBytes is the size of all parameters in bytes, hidden ones included.
	ParamBytes uint32
	// SharedBytes is the static shared memory of a group, PrivateBytes the
	// memory of one work-item beside its registers, both in bytes. PTX gives
	// neither. From sm_90 on a kernel's share counts 1 KiB for the system.
	SharedBytes, PrivateBytes uint32
	// Registers are those of one work-item: VGPRs on AMD. Scalars and
	// Accumulators are AMD's SGPRs and AGPRs. All are 0 where not known, as in PTX.
	Registers, Scalars, Accumulators uint32
	// Spills counts the registers that had to be kept in memory.
	Spills uint32
	// Wavefront is the number of work-items that run in step, 0 where not said.
	Wavefront uint32
	// MaxBlock is the most work-items of a block, 0 where not said; ReqdBlock
	// is the only block size allowed, zeros where any is.
	MaxBlock  uint32
	ReqdBlock [3]uint32
}

// CodeParam is one parameter as the machine code takes it.
type CodeParam struct {
	// Name is empty where the compiler kept none.
	Name string
	// Kind is the format's own word: AMD's "global_buffer", "by_value" or
	// "hidden_block_count_x", PTX's ".u64". A cubin has none.
	Kind string
	// Offset and Size are in bytes.
	Offset, Size uint32
	// Hidden tells that the run time fills it in, not the caller.
	Hidden bool
}

// Kernels returns what the file says of its kernels, in its order, nil for a
// kind that does not. Errors match [ErrFormat].
func (f *File) Kernels() ([]KernelCode, error) {
	switch f.Kind {
	case PTXText:
		return f.ptxKernels()
	case Cubin:
		return f.cubinKernels()
	case AMDGPUObject:
		return f.amdgpuKernels()
	}
	return nil, nil
}
