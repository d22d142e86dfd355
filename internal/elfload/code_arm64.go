package elfload

// syncCode makes the processor's instruction fetches see what was written to
// [lo, hi).
func syncCode(lo, hi uintptr)
