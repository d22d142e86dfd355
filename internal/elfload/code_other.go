//go:build !arm64

package elfload

// syncCode is nothing where instruction fetches see what was written before.
func syncCode(lo, hi uintptr) {}
