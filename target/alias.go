package target

// aliases are names that the compilers take for another processor, beside the
// name that kiln keeps.
var aliases = [...]struct {
	arch        Arch
	alias, name string
}{
	{X86_64, "athlon-fx", "k8"},
	{X86_64, "athlon64", "k8"},
	{X86_64, "athlon64-sse3", "k8-sse3"},
	{X86_64, "atom", "bonnell"},
	{X86_64, "barcelona", "amdfam10"},
	{X86_64, "core-avx-i", "ivybridge"},
	{X86_64, "core-avx2", "haswell"},
	{X86_64, "corei7", "nehalem"},
	{X86_64, "corei7-avx", "sandybridge"},
	{X86_64, "opteron", "k8"},
	{X86_64, "opteron-sse3", "k8-sse3"},
	{X86_64, "skx", "skylake-avx512"},
	{X86_64, "slm", "silvermont"},
	{AArch64, "apple-m1", "apple-a14"},
	{AArch64, "apple-m2", "apple-a15"},
	{AArch64, "apple-m3", "apple-a16"},
	{AArch64, "cyclone", "apple-a7"},
	{AMDGPU, "bonaire", "gfx704"},
	{AMDGPU, "carrizo", "gfx801"},
	{AMDGPU, "fiji", "gfx803"},
	{AMDGPU, "hainan", "gfx602"},
	{AMDGPU, "hawaii", "gfx701"},
	{AMDGPU, "iceland", "gfx802"},
	{AMDGPU, "kabini", "gfx703"},
	{AMDGPU, "kaveri", "gfx700"},
	{AMDGPU, "mullins", "gfx703"},
	{AMDGPU, "oland", "gfx602"},
	{AMDGPU, "pitcairn", "gfx601"},
	{AMDGPU, "polaris10", "gfx803"},
	{AMDGPU, "polaris11", "gfx803"},
	{AMDGPU, "stoney", "gfx810"},
	{AMDGPU, "tahiti", "gfx600"},
	{AMDGPU, "tonga", "gfx802"},
	{AMDGPU, "tongapro", "gfx805"},
	{AMDGPU, "verde", "gfx601"},
}

func canonicalProcessor(a Arch, name string) string {
	for i := range aliases {
		if aliases[i].alias == name && aliases[i].arch == a {
			return aliases[i].name
		}
	}
	return name
}

// The AMD processors whose target IDs may fix xnack, and those that may fix
// sramecc as well.
const (
	xnackProcessors   listing = "gfx10-1-generic gfx1010 gfx1011 gfx1012 gfx1013 gfx801 gfx810 gfx9-4-generic gfx9-generic gfx900 gfx902 gfx904 gfx906 gfx908 gfx909 gfx90a gfx90c gfx940:19 gfx941:19 gfx942 gfx950"
	srameccProcessors listing = "gfx9-4-generic gfx906 gfx908 gfx90a gfx940:19 gfx941:19 gfx942 gfx950"
)

// hasSetting tells whether an AMD processor has a choice about a setting of
// target IDs. It holds for every other feature.
func hasSetting(processor, setting string) bool {
	var ok bool
	switch setting {
	case "xnack":
		_, ok = xnackProcessors.find(processor)
	case "sramecc":
		_, ok = srameccProcessors.find(processor)
	default:
		return true
	}
	return ok
}
