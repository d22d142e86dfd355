package elfload

import "golang.org/x/sys/unix"

// mapLow asks for an address below 2 GiB.
const mapLow = unix.MAP_32BIT
