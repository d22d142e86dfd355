package argument

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseCount reads a whole number with an optional suffix: k, M, G for powers
// of 1000, Ki, Mi, Gi for powers of 1024.
func ParseCount(s string) (int64, error) {
	digits := strings.TrimRight(s, "kKMGi")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a count: it takes a whole number with k, M, G, Ki, Mi or Gi, such as 64Ki", s)
	}
	scale, ok := map[string]int64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "Ki": 1 << 10, "ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}[s[len(digits):]]
	if !ok {
		return 0, fmt.Errorf("%q is not a count: %q is none of k, M, G, Ki, Mi and Gi", s, s[len(digits):])
	}
	if n > math.MaxInt64/scale {
		return 0, fmt.Errorf("%q is too large", s)
	}
	return n * scale, nil
}
