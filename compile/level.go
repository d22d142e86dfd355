package compile

import "fmt"

var optNames = [...]string{O3: "O3", O0: "O0", O1: "O1", O2: "O2", Os: "Os", Oz: "Oz"}

// String returns the level as a compiler's command line spells it, without the dash.
func (l OptLevel) String() string {
	if int(l) < len(optNames) {
		return optNames[l]
	}
	return fmt.Sprintf("OptLevel(%d)", uint8(l))
}

// ParseOptLevel returns the level that s ("O0" to "O3", "Os", "Oz") spells,
// or an error that lists the spellings.
func ParseOptLevel(s string) (OptLevel, error) {
	for l, name := range optNames {
		if s == name {
			return OptLevel(l), nil
		}
	}
	return 0, fmt.Errorf("optimisation level %q: want one of O0, O1, O2, O3, Os, Oz", s)
}

var codegenNames = [...]string{
	CodegenAggressive: "aggressive",
	CodegenDefault:    "default",
	CodegenLess:       "less",
	CodegenNone:       "none",
}

// String returns the level's name as LLVM has it: "none", "less", "default", "aggressive".
func (l CodegenLevel) String() string {
	if int(l) < len(codegenNames) {
		return codegenNames[l]
	}
	return fmt.Sprintf("CodegenLevel(%d)", uint8(l))
}

// ParseCodegenLevel returns the level that s names, or an error that lists the names.
func ParseCodegenLevel(s string) (CodegenLevel, error) {
	for l, name := range codegenNames {
		if s == name {
			return CodegenLevel(l), nil
		}
	}
	return 0, fmt.Errorf("code generation level %q: want one of none, less, default, aggressive", s)
}
