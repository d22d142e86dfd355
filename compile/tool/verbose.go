package tool

import (
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/image"
)

// Usage is what a verbose assembler says: of each function what it takes, by
// the function's name in the PTX, and its warnings, one line each.
type Usage struct {
	Functions map[string]image.Resources
	Warnings  []string
}

// ParseUsage reads what ptxas and libnvJitLink print with -v. Lines it does not
// know count for nothing.
func ParseUsage(log string) Usage {
	u := Usage{Functions: map[string]image.Resources{}}
	name := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		if n, ok := usageName(line); ok {
			name = n
			continue
		}
		if strings.Contains(line, "warning") || strings.Contains(line, "Performance Loss") {
			u.Warnings = append(u.Warnings, line)
			continue
		}
		if name == "" {
			continue
		}
		r := u.Functions[name]
		known := count(line, " registers", &r.Registers)
		known = count(line, " bytes stack frame", &r.LocalBytes) || known
		known = count(line, " bytes spill stores", &r.SpillBytes) || known
		known = count(line, " bytes smem", &r.SharedBytes) || known
		if known {
			u.Functions[name] = r
		}
	}
	return u
}

// usageName reads the line that begins what is said of a function.
func usageName(line string) (string, bool) {
	for _, before := range [...]string{"Compiling entry function '", "Function properties for "} {
		if _, rest, ok := strings.Cut(line, before); ok {
			name, _, _ := strings.Cut(rest, "'")
			return strings.TrimSpace(name), true
		}
	}
	return "", false
}

// count reads the number before the unit, where it stands in the line.
func count(line, unit string, to *uint32) bool {
	before, _, ok := strings.Cut(line, unit)
	if !ok {
		return false
	}
	digits := before[strings.LastIndexAny(before, " ,")+1:]
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return false
	}
	*to = uint32(n)
	return true
}
