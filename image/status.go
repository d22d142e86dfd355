package image

import "fmt"

// Status is what a kernel's entry on the CPU device returns: 0 for success,
// or why it stopped.
type Status int32

const (
	// Stuck is for a group whose work-items wait for each other forever, such
	// as at a barrier that only some of them reach.
	Stuck Status = 1 + iota
	// BlockTooLarge is for a block of more work-items than the image has
	// context memory for.
	BlockTooLarge
)

// String says in words why the kernel stopped.
func (s Status) String() string {
	switch s {
	case 0:
		return "success"
	case Stuck:
		return "work-items of a group wait for each other forever: a barrier or warp operation that only some of them reach"
	case BlockTooLarge:
		return "the block has more work-items than the kernel was compiled for"
	}
	return fmt.Sprintf("code %d", int32(s))
}
