package cpu

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Node returns the processors of the machine's NUMA node n, ascending, for
// [Options]. The error matches [os.ErrNotExist] where there is no such node.
func Node(n int) ([]int, error) {
	list, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/node/node%d/cpulist", n))
	if err != nil {
		return nil, fmt.Errorf("processors of NUMA node %d: %w", n, err)
	}
	processors, err := parseProcessors(strings.TrimSpace(string(list)))
	if err != nil {
		return nil, fmt.Errorf("processors of NUMA node %d: %w", n, err)
	}
	return processors, nil
}

// mostProcessors is more than any machine has.
const mostProcessors = 1 << 16

// parseProcessors reads "0-3,8,10-11".
func parseProcessors(list string) ([]int, error) {
	var all []int
	if list == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		low, high, ranged := strings.Cut(part, "-")
		if !ranged {
			high = low
		}
		first, err := strconv.ParseUint(low, 10, 32)
		if err != nil {
			return nil, err
		}
		last, err := strconv.ParseUint(high, 10, 32)
		if err != nil {
			return nil, err
		}
		if last < first || last >= mostProcessors {
			return nil, fmt.Errorf("%q is no range of processors", part)
		}
		for p := first; p <= last; p++ {
			all = append(all, int(p))
		}
	}
	return all, nil
}

// processorMask returns the processors as the system's bit mask. Those that the
// process may not run on are an error.
func processorMask(processors []int) ([]uint64, error) {
	if len(processors) == 0 {
		return nil, nil
	}
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return nil, fmt.Errorf("asking which processors there are: %w", err)
	}
	var mask []uint64
	for _, p := range processors {
		if p < 0 || !allowed.IsSet(p) {
			return nil, fmt.Errorf("processor %d is none of the %d that the process may run on", p, allowed.Count())
		}
		for p/64 >= len(mask) {
			mask = append(mask, 0)
		}
		mask[p/64] |= 1 << (p % 64)
	}
	return mask, nil
}
