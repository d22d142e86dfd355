package envconf

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads a whole number with an optional suffix: k, M, G and T are
// powers of 1000, Ki, Mi, Gi and Ti powers of 1024; a B may follow, as in
// "512MiB". The result is never negative.
func ParseSize(s string) (int64, error) {
	digits := strings.TrimRight(s, "kKMGTiB")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || digits[0] == '+' {
		return 0, fmt.Errorf("%q is not a size: it takes a whole number with k, M, G, T, Ki, Mi, Gi or Ti, such as 64Ki", s)
	}
	suffix := strings.TrimSuffix(s[len(digits):], "B")
	scale := int64(1)
	switch suffix {
	case "":
	case "k", "K":
		scale = 1e3
	case "M":
		scale = 1e6
	case "G":
		scale = 1e9
	case "T":
		scale = 1e12
	case "Ki", "ki":
		scale = 1 << 10
	case "Mi":
		scale = 1 << 20
	case "Gi":
		scale = 1 << 30
	case "Ti":
		scale = 1 << 40
	default:
		return 0, fmt.Errorf("%q is not a size: %q is none of k, M, G, T, Ki, Mi, Gi and Ti", s, suffix)
	}
	if n > math.MaxInt64/scale {
		return 0, fmt.Errorf("%q is too large: the limit is %d", s, int64(math.MaxInt64))
	}
	return n * scale, nil
}
