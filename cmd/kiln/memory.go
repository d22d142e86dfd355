package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/cmd/kiln/internal/argument"
)

// checkMemory refuses buffers that the machine has no room for: filling them
// would end this process or another in the middle.
func checkMemory(args []argument.Argument) error {
	var whole int64
	largest, most := "", int64(0)
	for i := range args {
		if args[i].Kind != argument.Buffer {
			continue
		}
		bytes, err := args[i].Bytes()
		if err != nil {
			continue // told with the argument's position when it is read
		}
		if whole += bytes; bytes > most {
			largest, most = args[i].Text, bytes
		}
	}
	if free := freeMemory(); free > 0 && whole > free {
		return usage("the buffers take %s, the largest is %s, and %s of memory are free: make them smaller", size(whole), largest, size(free))
	}
	return nil
}

// freeMemory returns the bytes that this process can still have, 0 where the
// system does not say.
func freeMemory() int64 {
	text, _ := os.ReadFile("/proc/meminfo")
	free := int64(0)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			free = kib << 10
		}
	}
	limit, used := readNumber("/sys/fs/cgroup/memory.max"), readNumber("/sys/fs/cgroup/memory.current")
	if limit > 0 && (free == 0 || limit-used < free) {
		free = max(limit-used, 1)
	}
	return free
}

// readNumber returns the number a file holds, 0 for anything else.
func readNumber(path string) int64 {
	text, _ := os.ReadFile(path)
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}
