//go:build !race

package capi

const raceEnabled = false
