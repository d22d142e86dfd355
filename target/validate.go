package target

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnknownProcessor is matched by errors about a processor that the code
// generator does not have; the text gives near matches.
var ErrUnknownProcessor = errors.New("unknown processor")

// ErrUnknownFeature is matched by errors about a feature that the code
// generator, or the processor, does not have; the text gives near matches.
var ErrUnknownFeature = errors.New("unknown feature")

// Validate checks that LLVM of the given major version, 19 to 22, knows the
// triple's architecture, the processor and every feature: LLVM itself only
// warns about an unknown name and makes code for something else. Errors match
// [ErrUnknownTriple], [ErrUnknownProcessor] or [ErrUnknownFeature] and name
// what is near, or which version has it. Of the versions between 19 and 22
// kiln has no listing; they are taken to know what both of those do.
func (t Target) Validate(llvmMajor int) error {
	if llvmMajor < oldestListed || llvmMajor > newestListed {
		return fmt.Errorf("validating %s: LLVM %d is none of the versions kiln works with, %d to %d", t, llvmMajor, oldestListed, newestListed)
	}
	first, _, _ := strings.Cut(t.Triple, "-")
	arch, _ := codegenArch(first)
	if arch == Unknown {
		return fmt.Errorf("%w %q: kiln makes code for x86_64, aarch64, nvptx64 and amdgcn", ErrUnknownTriple, t.Triple)
	}
	if err := validateName(ErrUnknownProcessor, processorsOf(arch), t.Processor, llvmMajor, t.Triple); err != nil {
		return err
	}
	if t.Features == "" {
		return nil
	}
	features := featuresOf(arch)
	for f := range strings.SplitSeq(t.Features, ",") {
		if f == "" {
			return fmt.Errorf("%w: an empty name in %q", ErrUnknownFeature, t.Features)
		}
		if err := checkFeature(f); err != nil {
			return fmt.Errorf("%w: %w", ErrUnknownFeature, err)
		}
		if err := validateName(ErrUnknownFeature, features, f[1:], llvmMajor, t.Triple); err != nil {
			return err
		}
		switch {
		case arch == AMDGPU && !hasSetting(t.Processor, f[1:]):
			return fmt.Errorf("%w %q: %s has no choice of %s", ErrUnknownFeature, f, t.Processor, f[1:])
		case arch == X86_64 && f == "-64bit":
			return fmt.Errorf("%w %q: code for x86-64 needs it", ErrUnknownFeature, f)
		}
	}
	return nil
}

func validateName(unknown error, names listing, name string, llvmMajor int, triple string) error {
	if names.has(name, llvmMajor) {
		return nil
	}
	if only, ok := names.find(name); ok {
		if llvmMajor > oldestListed && llvmMajor < newestListed {
			return fmt.Errorf("%w %q of %s: known to LLVM %s, not for certain to %d", unknown, name, triple, only, llvmMajor)
		}
		return fmt.Errorf("%w %q of %s: known to LLVM %s, not %d", unknown, name, triple, only, llvmMajor)
	}
	if processor, _, ok := strings.Cut(name, ":"); ok && names.has(processor, llvmMajor) {
		return fmt.Errorf("%w %q of %s: it is a target ID; its settings belong into the features", unknown, name, triple)
	}
	return fmt.Errorf("%w %q of %s in LLVM %d%s", unknown, name, triple, llvmMajor, didYouMean(near(name, names.all(llvmMajor))))
}

func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; near it: " + strings.Join(names, ", ")
}

// Narrow returns the target as far as LLVM of the given major version knows it:
// features it does not have are dropped, and a processor it does not have
// becomes the x86-64 level its features reach, or the generic one. It is meant
// for a target that was found, by [Native], rather than asked for.
func (t Target) Narrow(llvmMajor int) Target {
	arch := t.Arch()
	if !processorsOf(arch).has(t.Processor, llvmMajor) {
		t.Processor = defaultProcessor(arch, t.Triple)
		if arch == X86_64 {
			t.Processor = levelX86(func(name string) bool { return strings.Contains(","+t.Features+",", ",+"+name+",") })
		}
	}
	features := featuresOf(arch)
	kept := make([]string, 0, 128)
	dropped := false
	for f := range strings.SplitSeq(t.Features, ",") {
		if f != "" && features.has(f[1:], llvmMajor) {
			kept = append(kept, f)
		} else {
			dropped = true
		}
	}
	if dropped {
		t.Features = strings.Join(kept, ",")
	}
	return t
}
