//go:build !race

package ffi_test

const raceEnabled = false
