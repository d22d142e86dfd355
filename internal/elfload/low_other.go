//go:build !amd64

package elfload

// mapLow is nothing: only x86-64 has relocations that need an address below
// 2 GiB.
const mapLow = 0
