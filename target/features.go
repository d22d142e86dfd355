package target

import (
	"fmt"
	"slices"
	"strings"
)

// MergeFeatures joins LLVM feature strings into one in normal form: each name
// once, in ascending order, with the sign it was given last. Empty strings and
// empty elements count for nothing. A name without + or - before it, or with
// characters no feature has, is an error.
//
// LLVM applies features in the order it gets them, and enabling one enables
// what it needs. In normal form that order is by name, so a list that turns off
// what another of its features needs means what that order makes of it.
func MergeFeatures(lists ...string) (string, error) {
	var signed []string
	size := 0
	for _, list := range lists {
		for f := range strings.SplitSeq(list, ",") {
			if f == "" {
				continue
			}
			if err := checkFeature(f); err != nil {
				return "", err
			}
			signed = append(signed, f)
			size += len(f) + 1
		}
	}
	if len(signed) == 0 {
		return "", nil
	}
	slices.SortStableFunc(signed, func(a, b string) int { return strings.Compare(a[1:], b[1:]) })
	var out strings.Builder
	out.Grow(size)
	for i, f := range signed {
		if i+1 < len(signed) && signed[i+1][1:] == f[1:] {
			continue
		}
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		out.WriteString(f)
	}
	return out.String(), nil
}

func checkFeature(f string) error {
	if f[0] != '+' && f[0] != '-' {
		return fmt.Errorf("feature %q has no sign: write +%s or -%s", f, f, f)
	}
	if !isName(f[1:]) {
		return fmt.Errorf("%q is no feature: a sign and then letters, digits and . _ -", f)
	}
	return nil
}

// isName tells whether s is made of the characters that processors, features
// and the components of triples are made of.
func isName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case c == '.', c == '_', c == '-' && i > 0:
		default:
			return false
		}
	}
	return s != ""
}
