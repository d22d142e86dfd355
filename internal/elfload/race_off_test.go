//go:build !race

package elfload

const raceEnabled = false
