// Package specialize says, as plain data, what is fixed about a kernel at run
// time. It applies nothing: package compile rewrites the IR.
package specialize

// Spec is everything fixed for one compile. The zero value fixes nothing. It
// is part of the compile request and so of the cache key.
type Spec struct {
	// Constants are the arguments with a known value, in ascending order of index.
	Constants []Constant
	// Block holds the work-items of a group in x, y and z when they are fixed, else zeros.
	Block [3]uint32
	// Grid holds the groups of a launch in x, y and z when they are fixed, else zeros.
	Grid [3]uint32
	// MaxBlock promises that no launch has more work-items a block; 0 promises
	// nothing. It matters to GPUs, whose registers it shares out.
	MaxBlock uint32
	// MinBlocks asks for code of which so many blocks fit on a multiprocessor of
	// NVIDIA's at once, or so many waves on an execution unit of AMD's; 0 leaves
	// that to the compiler.
	MinBlocks uint32
}

// Constant is the value of one argument.
type Constant struct {
	// Index is the argument's position, from 0.
	Index int
	// Bytes is the value as it lies in memory, little endian, as many bytes as
	// the parameter has. Floats compare by their bits.
	Bytes []byte
}
