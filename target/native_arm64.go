//go:build linux

package target

import (
	"strings"

	"golang.org/x/sys/cpu"
)

// detect reports features over the generic processor: which model it is the
// kernel tells only in a file.
func detect() (Target, error) {
	has := &cpu.ARM64
	var features []string
	add := func(name string, on bool) {
		if on {
			features = append(features, "+"+name)
		}
	}
	add("aes", has.HasAES && has.HasPMULL)
	add("crc", has.HasCRC32)
	add("fp-armv8", has.HasFP)
	add("lse", has.HasATOMICS)
	add("neon", has.HasASIMD)
	add("sha2", has.HasSHA1 && has.HasSHA2)
	add("sha3", has.HasSHA3)
	add("sm4", has.HasSM4)
	add("sve", has.HasSVE)
	add("sve2", has.HasSVE2)
	return Target{Triple: tripleAArch64, Processor: "generic", Features: strings.Join(features, ",")}, nil
}
