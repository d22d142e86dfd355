package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/kilnjit/kiln/internal/llvm/capi"
	"github.com/kilnjit/kiln/target"
)

// repairNames gives everything in the module a name that the target's
// assembler takes. The image tells the kernel's own name from its symbol.
func (c *code) repairNames() {
	fine, longest := isPTXName, longestPTX
	if c.arch == target.AMDGPU {
		fine, longest = isELFName, 0
	}
	repair := func(g capi.Value) {
		name := capi.GetValueName2(g)
		if name == "" || strings.HasPrefix(name, "llvm.") || fine(name) {
			return
		}
		capi.SetValueName2(g, repaired(name, longest))
	}
	for f := range c.functions {
		repair(f)
	}
	for g := range c.globals {
		repair(g)
	}
	for a := capi.GetFirstGlobalAlias(c.module); a != 0; a = capi.GetNextGlobalAlias(a) {
		repair(a)
	}
}

const (
	// repairPrefix begins repaired names, and no name that is left as it is.
	repairPrefix = "kiln$"
	// longestPTX is the most bytes of a repaired name; NVIDIA promises 1024 with
	// what LLVM puts behind it.
	longestPTX = 900
)

// isPTXName tells whether an assembler of PTX takes a name for a symbol of the
// program's, and none of its own.
func isPTXName(name string) bool {
	if name == "_" || name == "$" || name == "WARP_SZ" || strings.HasPrefix(name, repairPrefix) {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$':
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != ""
}

// isELFName tells whether a linker takes a name as a whole: an @ begins a
// version.
func isELFName(name string) bool {
	if strings.HasPrefix(name, repairPrefix) {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c == '@' || c == 0x7f {
			return false
		}
	}
	return true
}

// repaired spells a name in the letters that every assembler takes, each name
// differently. One longer than longest, if that is not 0, is told by its digest.
func repaired(name string, longest int) string {
	var b strings.Builder
	b.WriteString(repairPrefix)
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "$%02x", c)
		}
	}
	if longest != 0 && b.Len() > longest {
		digest := sha256.Sum256([]byte(name))
		return repairPrefix + "$" + hex.EncodeToString(digest[:])
	}
	return b.String()
}
