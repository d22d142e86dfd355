//go:build race

package kiln_test

const raceEnabled = true
