package main

import (
	"fmt"
	"strconv"
	"strings"
)

// extent is a grid or block as typed: X[,Y[,Z]].
type extent struct {
	given bool
	dims  [3]uint32
}

// UnmarshalText reads X[,Y[,Z]]; dimensions left out are 1.
func (e *extent) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ",")
	if len(parts) > 3 {
		return fmt.Errorf("%q has %d dimensions, 3 are the most", text, len(parts))
	}
	e.given, e.dims = true, [3]uint32{1, 1, 1}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil {
			return fmt.Errorf("%q is not X[,Y[,Z]] with numbers from 0 to 4294967295", text)
		}
		e.dims[i] = uint32(n)
	}
	return nil
}

// String returns the extent without trailing ones: "64", "16,16".
func (e extent) String() string {
	text := strconv.FormatUint(uint64(e.dims[0]), 10)
	for i := 1; i < 3; i++ {
		if e.dims[1] == 1 && e.dims[2] == 1 || i == 2 && e.dims[2] == 1 {
			break
		}
		text += "," + strconv.FormatUint(uint64(e.dims[i]), 10)
	}
	return text
}
