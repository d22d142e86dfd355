//go:build race

package elfload

const raceEnabled = true
