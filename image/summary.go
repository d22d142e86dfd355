package image

// Summary is what a module says of itself: made once by LLVM, kept under the
// module's digest, and all that a warm process needs to know of the module.
type Summary struct {
	// Producer is the tool that wrote the module, such as "LLVM22.1.8" or
	// "clang version 22.1.8", empty where the module does not say.
	Producer string
	// Triple and DataLayout are the module's own.
	Triple, DataLayout string
	// Kernels are the functions that can be launched, in the module's order.
	Kernels []Kernel
	// Globals are the module's variables with external visibility or device storage.
	Globals []Global
}

// Convention tells how a kernel is meant to be entered.
type Convention uint8

const (
	// Host is a plain function of the host's C ABI: it runs once a launch.
	Host Convention = iota
	// Grid is a GPU kernel: it runs once for each work-item of a grid.
	Grid
)

// Kernel describes one launchable function.
type Kernel struct {
	Name       string
	Convention Convention
	Params     []Param
	// Result is the returned value of a host function; its Type is empty for void.
	Result Param
	// ParamBytes is the size of the parameter block: every parameter at its
	// Offset, then the result, padded to ParamAlign.
	ParamBytes, ParamAlign uint32
	// ReqdBlock is the only block size the kernel may have, zeros where free.
	ReqdBlock [3]uint32
	// MaxBlock is the most work-items of a block by the kernel's launch bounds, 0 where unbounded.
	MaxBlock uint32
	// SharedBytes is the static shared memory of a group.
	SharedBytes uint32
	// DynamicShared tells that the kernel names shared memory sized at launch.
	DynamicShared bool
}

// ParamKind tells how an argument is given.
type ParamKind uint8

const (
	// Scalar is an integer or float, or a vector of them.
	Scalar ParamKind = iota
	// Pointer is an address.
	Pointer
	// Aggregate is a struct or array by value (byval and byref in the IR): its
	// bytes lie in the parameter block.
	Aggregate
	// SharedPointer is an OpenCL __local argument: the caller gives a size in
	// bytes (u64 in the parameter block), the device the memory.
	SharedPointer
)

// Param describes one parameter and where it lies in the parameter block.
type Param struct {
	// Name is the source name where the module keeps it.
	Name string
	Kind ParamKind
	// Type is the LLVM spelling: "i32", "float", "ptr", "<4 x float>", "[2 x i64]".
	Type string
	// Size, Align and Offset are in bytes; the layout is that of a C struct
	// with the parameters as members, in order.
	Size, Align, Offset uint32
	// ReadOnly and WriteOnly tell what the pointee is used for, where the IR says so.
	ReadOnly, WriteOnly bool
}

// Global describes one module-level variable.
type Global struct {
	Name        string
	Bytes       uint64
	Align       uint32
	Constant    bool
	Initialised bool
	// AddressSpace is the IR's number, as the module's target counts them.
	AddressSpace uint32
}
