// Package compile turns one request into one device image: a pure function,
// the same wherever it runs. It never sees a device; a device's limits travel
// in the request.
package compile

import (
	"github.com/kilnjit/kiln/specialize"
	"github.com/kilnjit/kiln/target"
)

// Request is all that decides the output of one compile.
type Request struct {
	// Module is bitcode (raw or wrapped) or textual IR.
	Module []byte
	// ModuleDigest is the SHA-256 of Module; zero means: computed when needed.
	ModuleDigest [32]byte
	Kernel       string
	// Variables asks for the module's variables instead of a kernel: Kernel and
	// Spec are then empty.
	Variables bool
	Target    target.Target
	Spec      specialize.Spec
	Options   Options
	// Limits are those of the device at hand, where they are known: they stand
	// in for what its processor's are taken to be.
	Limits target.Limits
	// Toolchain identifies the LLVM that compiles.
	Toolchain Toolchain
	// Tools identifies what makes code for GPUs beside LLVM, as
	// [Compiler.Tools] tells; zero for a CPU.
	Tools Tools
}

// Toolchain identifies the code generator without opening it.
type Toolchain struct {
	// BuildID is libLLVM's GNU build id in hex.
	BuildID string
	// Version is "major.minor" as the library's name has it, such as "22.1".
	Version string
}

// Options steer optimisation and code generation. The zero value is -O3.
type Options struct {
	// Opt is the middle-end level.
	Opt OptLevel
	// Codegen is the code generator's level.
	Codegen CodegenLevel
	// Pipeline replaces Opt's pass pipeline, in LLVM's textual form.
	Pipeline string
	// Debug keeps debug information in the image.
	Debug bool
	// CodeObject is the version of AMD's format, 4 to 6; 0 takes that of the
	// module, or 5.
	CodeObject uint8
}

// OptLevel is a middle-end level; the zero value is O3.
type OptLevel uint8

// The levels, spelled as on a compiler's command line.
const (
	O3 OptLevel = iota
	O0
	O1
	O2
	Os
	Oz
)

// CodegenLevel is the code generator's level; the zero value is aggressive.
type CodegenLevel uint8

// The levels of LLVM's code generator.
const (
	CodegenAggressive CodegenLevel = iota
	CodegenDefault
	CodegenLess
	CodegenNone
)
