package target

import (
	"fmt"
	"strings"
)

// Parse returns the target that s names, in one of these forms:
//
//   - "native": this machine, see [Native]
//   - a processor: "znver4", "x86-64-v3", "sm_90a", "gfx90a"
//   - an AMD target ID: "gfx90a:xnack-:sramecc+"
//   - "triple/processor" or "triple/processor/features", as [Target.String] writes it
//   - a triple: its generic processor, which is x86-64, generic, sm_30 or generic-hsa
//   - a triple and a target ID, as offload bundles spell it:
//     "amdgcn-amd-amdhsa--gfx90a:xnack-", "hipv4-amdgcn-amd-amdhsa--gfx906",
//     "openmp-nvptx64-nvidia-cuda--sm_80"
//
// The result is in normal form: strings that mean the same target give equal
// values. Triples lose their vendor where it changes nothing, aliases become
// the processor's first name, the settings of a target ID become features.
//
// A name behind a triple is taken as it is: whether a given LLVM knows it is
// for [Target.Validate] to say. A lone processor must be one that some LLVM
// knows, else the error matches [ErrUnknownProcessor] and gives near matches.
// The target is zero for every error.
func Parse(s string) (Target, error) {
	if s == "native" {
		return Native()
	}
	if s == "" {
		return Target{}, fmt.Errorf("an empty target: write native, a processor or triple/processor")
	}
	if strings.Contains(s, "/") {
		return parseFields(s)
	}
	base, settings, hasSettings := strings.Cut(s, ":")
	for _, kind := range [...]string{"hip-", "hipv4-", "openmp-"} {
		if rest, ok := strings.CutPrefix(base, kind); ok {
			base = rest
			break
		}
	}
	first, _, _ := strings.Cut(base, "-")
	if arch, _ := codegenArch(first); arch == AMDGPU || arch == NVPTX {
		return parseBundled(base, settings, hasSettings)
	} else if arch != Unknown || ArchOf(base) != Unknown || strings.Count(base, "-") > 2 {
		if hasSettings {
			return Target{}, fmt.Errorf("target %q has target-ID settings, which only AMD processors have", s)
		}
		triple, arch, err := canonicalTriple(base)
		if err != nil {
			return Target{}, err
		}
		return Target{Triple: triple, Processor: defaultProcessor(arch, triple)}, nil
	}
	arch, err := archOfProcessor(base)
	if err != nil {
		return Target{}, err
	}
	return assemble(tripleOf(arch), arch, s, "")
}

// parseFields reads "triple/processor/features".
func parseFields(s string) (Target, error) {
	parts := strings.Split(s, "/")
	if len(parts) > 3 {
		return Target{}, fmt.Errorf("target %q has %d parts: write triple/processor/features", s, len(parts))
	}
	triple, arch, err := canonicalTriple(parts[0])
	if err != nil {
		return Target{}, err
	}
	features := ""
	if len(parts) == 3 {
		features = parts[2]
	}
	return assemble(triple, arch, parts[1], features)
}

// parseBundled reads a GPU triple and, behind the fourth dash, a target ID. The
// environment between the third dash and the fourth may be missing altogether.
func parseBundled(base, settings string, hasSettings bool) (Target, error) {
	parts := strings.SplitN(base, "-", 5)
	n := min(len(parts), 4)
	processor := ""
	switch {
	case len(parts) == 5:
		processor = parts[4]
	case len(parts) == 4 && (strings.HasPrefix(parts[3], "sm_") || strings.HasPrefix(parts[3], "gfx")):
		processor, n = parts[3], 3
	}
	triple, arch, err := canonicalTriple(strings.Join(parts[:n], "-"))
	if err != nil {
		return Target{}, err
	}
	if processor == "" {
		if hasSettings {
			return Target{}, fmt.Errorf("target %q has settings but no processor", base+":"+settings)
		}
		return Target{Triple: triple, Processor: defaultProcessor(arch, triple)}, nil
	}
	if hasSettings {
		processor += ":" + settings
	}
	return assemble(triple, arch, processor, "")
}

// assemble makes a target of a canonical triple, a target ID and a feature list.
func assemble(triple string, arch Arch, id, features string) (Target, error) {
	processor, settings, hasSettings := strings.Cut(id, ":")
	if !isName(processor) {
		return Target{}, fmt.Errorf("%q is no processor: letters, digits and . _ -", processor)
	}
	set := ""
	if hasSettings {
		if arch != AMDGPU {
			return Target{}, fmt.Errorf("processor %q has target-ID settings, which only AMD processors have", id)
		}
		var err error
		if set, err = parseSettings(id, settings); err != nil {
			return Target{}, err
		}
	}
	merged, err := MergeFeatures(set, features)
	if err != nil {
		return Target{}, err
	}
	return Target{Triple: triple, Processor: canonicalProcessor(arch, processor), Features: merged}, nil
}

// parseSettings turns "xnack-:sramecc+" into "-xnack,+sramecc".
func parseSettings(id, settings string) (string, error) {
	var features []string
	seen := map[string]bool{}
	for setting := range strings.SplitSeq(settings, ":") {
		name, sign := setting, ""
		if n := len(setting); n > 0 {
			name, sign = setting[:n-1], setting[n-1:]
		}
		if sign != "+" && sign != "-" || name != "xnack" && name != "sramecc" {
			return "", fmt.Errorf("target ID %q: %q is not xnack or sramecc with + or - behind it", id, setting)
		}
		if seen[name] {
			return "", fmt.Errorf("target ID %q sets %s twice", id, name)
		}
		seen[name] = true
		features = append(features, sign+name)
	}
	return strings.Join(features, ","), nil
}

// archOfProcessor finds the one architecture that has a processor of this name.
func archOfProcessor(name string) (Arch, error) {
	found := Unknown
	for _, arch := range [...]Arch{X86_64, AArch64, NVPTX, AMDGPU} {
		if _, ok := processorsOf(arch).find(name); !ok {
			continue
		}
		if found != Unknown {
			return Unknown, fmt.Errorf("several architectures have a processor %q: write its triple before it, such as %s/%s", name, tripleOf(found), name)
		}
		found = arch
	}
	if found != Unknown {
		return found, nil
	}
	every := func(yield func(string) bool) {
		for _, arch := range [...]Arch{X86_64, AArch64, NVPTX, AMDGPU} {
			for p := range processorsOf(arch).all(newestListed) {
				if p != "generic" && !yield(p) {
					return
				}
			}
		}
	}
	return Unknown, fmt.Errorf("%w %q%s", ErrUnknownProcessor, name, didYouMean(near(name, every)))
}
