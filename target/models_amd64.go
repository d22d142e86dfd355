//go:build linux

package target

// model gives LLVM's processor for a range of a family's models. In a table the
// first entry that fits counts.
type model struct {
	family, first, last uint8
	name                string
}

const (
	vendorIntel = "GenuineIntel"
	vendorAMD   = "AuthenticAMD"
)

var intelModels = [...]model{
	{6, 0x0F, 0x0F, "core2"},
	{6, 0x16, 0x16, "core2"},
	{6, 0x17, 0x17, "penryn"},
	{6, 0x1D, 0x1D, "penryn"},
	{6, 0x1A, 0x1A, "nehalem"},
	{6, 0x1E, 0x1F, "nehalem"},
	{6, 0x2E, 0x2E, "nehalem"},
	{6, 0x25, 0x25, "westmere"},
	{6, 0x2C, 0x2C, "westmere"},
	{6, 0x2F, 0x2F, "westmere"},
	{6, 0x2A, 0x2A, "sandybridge"},
	{6, 0x2D, 0x2D, "sandybridge"},
	{6, 0x3A, 0x3A, "ivybridge"},
	{6, 0x3E, 0x3E, "ivybridge"},
	{6, 0x3C, 0x3C, "haswell"},
	{6, 0x3F, 0x3F, "haswell"},
	{6, 0x45, 0x46, "haswell"},
	{6, 0x3D, 0x3D, "broadwell"},
	{6, 0x47, 0x47, "broadwell"},
	{6, 0x4F, 0x4F, "broadwell"},
	{6, 0x56, 0x56, "broadwell"},
	{6, 0x4E, 0x4E, "skylake"},
	{6, 0x5E, 0x5E, "skylake"},
	{6, 0x8E, 0x8E, "skylake"},
	{6, 0x9E, 0x9E, "skylake"},
	{6, 0xA5, 0xA6, "skylake"},
	{6, 0xA7, 0xA7, "rocketlake"},
	{6, 0x55, 0x55, "skylake-avx512"},
	{6, 0x66, 0x66, "cannonlake"},
	{6, 0x7D, 0x7E, "icelake-client"},
	{6, 0x6A, 0x6A, "icelake-server"},
	{6, 0x6C, 0x6C, "icelake-server"},
	{6, 0x8C, 0x8D, "tigerlake"},
	{6, 0x97, 0x97, "alderlake"},
	{6, 0x9A, 0x9A, "alderlake"},
	{6, 0xBE, 0xBE, "gracemont"},
	{6, 0xB7, 0xB7, "raptorlake"},
	{6, 0xBA, 0xBA, "raptorlake"},
	{6, 0xBF, 0xBF, "raptorlake"},
	{6, 0xAA, 0xAA, "meteorlake"},
	{6, 0xAC, 0xAC, "meteorlake"},
	{6, 0xB5, 0xB5, "arrowlake"},
	{6, 0xC5, 0xC5, "arrowlake"},
	{6, 0xC6, 0xC6, "arrowlake-s"},
	{6, 0xBD, 0xBD, "lunarlake"},
	{6, 0xCC, 0xCC, "pantherlake"},
	{6, 0xD5, 0xD5, "wildcatlake"},
	{6, 0x8F, 0x8F, "sapphirerapids"},
	{6, 0xCF, 0xCF, "emeraldrapids"},
	{6, 0xAD, 0xAD, "graniterapids"},
	{6, 0xAE, 0xAE, "graniterapids-d"},
	{6, 0x1C, 0x1C, "bonnell"},
	{6, 0x26, 0x27, "bonnell"},
	{6, 0x35, 0x36, "bonnell"},
	{6, 0x37, 0x37, "silvermont"},
	{6, 0x4A, 0x4A, "silvermont"},
	{6, 0x4C, 0x4D, "silvermont"},
	{6, 0x5A, 0x5A, "silvermont"},
	{6, 0x5D, 0x5D, "silvermont"},
	{6, 0x5C, 0x5C, "goldmont"},
	{6, 0x5F, 0x5F, "goldmont"},
	{6, 0x7A, 0x7A, "goldmont-plus"},
	{6, 0x86, 0x86, "tremont"},
	{6, 0x8A, 0x8A, "tremont"},
	{6, 0x96, 0x96, "tremont"},
	{6, 0x9C, 0x9C, "tremont"},
	{6, 0xAF, 0xAF, "sierraforest"},
	{6, 0xB6, 0xB6, "grandridge"},
	{6, 0xDD, 0xDD, "clearwaterforest"},
	{6, 0x57, 0x57, "knl"},
	{6, 0x85, 0x85, "knm"},
	{15, 0x00, 0xFF, "nocona"},
	{18, 0x01, 0x01, "novalake"},
	{18, 0x03, 0x03, "novalake"},
	{19, 0x01, 0x01, "diamondrapids"},
}

var amdModels = [...]model{
	{15, 0x00, 0xFF, "k8-sse3"},
	{16, 0x00, 0xFF, "amdfam10"},
	{18, 0x00, 0xFF, "amdfam10"},
	{20, 0x00, 0xFF, "btver1"},
	{21, 0x60, 0x7F, "bdver4"},
	{21, 0x30, 0x3F, "bdver3"},
	{21, 0x10, 0x1F, "bdver2"},
	{21, 0x02, 0x02, "bdver2"},
	{21, 0x00, 0xFF, "bdver1"},
	{22, 0x00, 0xFF, "btver2"},
	{23, 0x30, 0x3F, "znver2"},
	{23, 0x47, 0x47, "znver2"},
	{23, 0x60, 0x7F, "znver2"},
	{23, 0x84, 0x87, "znver2"},
	{23, 0x90, 0xAF, "znver2"},
	{23, 0x00, 0xFF, "znver1"},
	{25, 0x10, 0x1F, "znver4"},
	{25, 0x60, 0x7F, "znver4"},
	{25, 0xA0, 0xAF, "znver4"},
	{25, 0x00, 0xFF, "znver3"},
	{26, 0x00, 0xFF, "znver5"},
}

// processor returns LLVM's name for the machine, or its x86-64 level.
func (m *machine) processor() string {
	var models []model
	switch m.vendor {
	case vendorIntel:
		models = intelModels[:]
	case vendorAMD:
		models = amdModels[:]
	}
	name := ""
	for i := range models {
		if e := &models[i]; m.family == uint32(e.family) && m.model >= uint32(e.first) && m.model <= uint32(e.last) {
			name = e.name
			break
		}
	}
	switch {
	case name == "":
		return levelX86(m.hasNamed)
	// Three generations of servers share one model number.
	case name == "skylake-avx512" && m.hasNamed("avx512bf16"):
		return "cooperlake"
	case name == "skylake-avx512" && m.hasNamed("avx512vnni"):
		return "cascadelake"
	case name == "k8-sse3" && !m.hasNamed("sse3"):
		return "k8"
	}
	return name
}
