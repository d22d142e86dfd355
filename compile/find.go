package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kilnjit/kiln/internal/llvm/capi"
)

// mostNamed is how many names an error lists.
const mostNamed = 10

// find returns the kernel's function. The error matches ErrNoKernel and names
// what is near, or what there is.
func (c *code) find(name string) (capi.Value, error) {
	if name == "" {
		return 0, faultf(ErrNoKernel, "the request names no kernel%s", c.offer(name))
	}
	f := capi.GetNamedFunction(c.module, name)
	switch {
	case f == 0 && capi.GetNamedGlobal(c.module, name) != 0:
		return 0, faultf(ErrNoKernel, "%q is a variable, not a function%s", name, c.offer(name))
	case f == 0 && capi.GetNamedGlobalAlias(c.module, name) != 0:
		aliasee := capi.GetValueName2(capi.AliasGetAliasee(capi.GetNamedGlobalAlias(c.module, name)))
		return 0, faultf(ErrNoKernel, "%q is an alias: name its function, %q", name, aliasee)
	case f == 0:
		return 0, faultf(ErrNoKernel, "the module has no kernel %q%s", name, c.offer(name))
	case capi.IsDeclaration(f) || capi.GetLinkage(f) == capi.AvailableExternallyLinkage:
		return 0, faultf(ErrNoKernel, "kernel %q is only declared in the module: link in the module that defines it", name)
	}
	return f, nil
}

// offer says which kernels there are, those with names near to name first.
func (c *code) offer(name string) string {
	var names []string
	for _, k := range c.summarise("").Kernels {
		names = append(names, k.Name)
	}
	if len(names) == 0 {
		return "; it has none"
	}
	if name != "" {
		slices.SortStableFunc(names, func(a, b string) int {
			return cmp.Compare(distance(name, a), distance(name, b))
		})
	}
	more := ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	return "; it has " + strings.Join(names, ", ") + more
}

// distance counts the bytes to change, insert or delete between two names;
// names longer than 128 bytes are compared by their beginnings.
func distance(a, b string) int {
	a, b = a[:min(len(a), 128)], b[:min(len(b), 128)]
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, above+1, row[j]+1)
			diagonal = above
		}
	}
	return row[len(b)]
}
