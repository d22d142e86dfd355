package main

import (
	"encoding/json"
	"math"
	"strconv"
)

// number64 is a float that JSON takes whatever it is: what is no finite number
// becomes a string, "NaN", "+Inf" or "-Inf".
type number64 float64

// MarshalJSON implements json.Marshaler.
func (n number64) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return json.Marshal(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return json.Marshal(float64(n))
}
