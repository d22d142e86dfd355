package main

import (
	"slices"
	"time"
)

// sample is repeated measurements of one thing, in the unit of its row.
type sample struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	N      int     `json:"n"`
}

func sampleOf(values []float64) sample {
	if len(values) == 0 {
		return sample{}
	}
	sorted := slices.Sorted(slices.Values(values))
	return sample{sorted[0], sorted[len(sorted)/2], len(sorted)}
}

// The units of rows, in nanoseconds; KiB stands alone.
var units = map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6}

// interleave measures each function once a round, in a turning order, so that
// whatever else the machine does meets all of them alike. It returns the
// durations in ns, by function.
func interleave(rounds int, functions ...func() error) ([][]float64, error) {
	times := make([][]float64, len(functions))
	for round := range rounds {
		for i := range functions {
			i = (i + round) % len(functions)
			began := time.Now()
			if err := functions[i](); err != nil {
				return nil, err
			}
			times[i] = append(times[i], float64(time.Since(began)))
		}
	}
	return times, nil
}

func scaled(values []float64, unit string) sample {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / units[unit]
	}
	return sampleOf(out)
}
