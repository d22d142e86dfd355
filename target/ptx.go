package target

import (
	"strconv"
	"strings"
)

// PTXVersion is a version of NVIDIA's assembly language as ten times its
// number: 78 is 7.8. Zero is none.
type PTXVersion uint32

// String returns the version as PTX text has it, such as "7.8".
func (v PTXVersion) String() string {
	return strconv.Itoa(int(v)/10) + "." + strconv.Itoa(int(v)%10)
}

// Feature returns the version as LLVM's feature, such as "+ptx78".
func (v PTXVersion) Feature() string { return "+ptx" + strconv.Itoa(int(v)) }

// leastPTX lists the versions that first knew a processor.
var leastPTX = map[string]PTXVersion{
	"sm_20": 32, "sm_21": 32, "sm_30": 60, "sm_32": 40, "sm_35": 32, "sm_37": 41,
	"sm_50": 40, "sm_52": 41, "sm_53": 42, "sm_60": 50, "sm_61": 50, "sm_62": 50,
	"sm_70": 60, "sm_72": 61, "sm_75": 63,
	"sm_80": 70, "sm_86": 71, "sm_87": 74, "sm_88": 90, "sm_89": 78,
	"sm_90": 78, "sm_90a": 80,
	"sm_100": 86, "sm_100a": 86, "sm_100f": 88, "sm_101": 86, "sm_101a": 86, "sm_101f": 88,
	"sm_103": 88, "sm_103a": 88, "sm_103f": 88, "sm_110": 90, "sm_110a": 90, "sm_110f": 90,
	"sm_120": 87, "sm_120a": 87, "sm_120f": 88, "sm_121": 88, "sm_121a": 88, "sm_121f": 88,
}

// LeastPTX returns the first PTX version that knows an NVIDIA processor, 0 for
// a processor kiln does not know.
func LeastPTX(processor string) PTXVersion { return leastPTX[processor] }

// releases are the PTX versions by the first CUDA release that takes them, in
// ascending order. A release is ten times its number.
var releases = [...]struct {
	release int
	ptx     PTXVersion
}{
	{60, 40}, {65, 41}, {70, 42}, {75, 43}, {80, 50}, {90, 60}, {91, 61}, {92, 62},
	{100, 63}, {101, 64}, {102, 65},
	{110, 70}, {111, 71}, {112, 72}, {113, 73}, {114, 74}, {115, 75}, {116, 76}, {117, 77}, {118, 78},
	{120, 80}, {121, 81}, {122, 82}, {123, 83}, {124, 84}, {125, 85}, {127, 86}, {128, 87}, {129, 88},
	{130, 90}, {131, 91},
}

// PTXOfCUDA returns the newest PTX version that the tools and the driver of a
// CUDA release take: 8.5 for 12.6. Of releases later than the table's last it
// returns that one's. It is 0 for releases before 6.0.
func PTXOfCUDA(major, minor int) PTXVersion {
	newest := PTXVersion(0)
	for _, r := range &releases {
		if r.release <= major*10+min(minor, 9) {
			newest = r.ptx
		}
	}
	return newest
}

// PTXOfLLVM returns the newest PTX version that LLVM of a major version writes.
func PTXOfLLVM(llvmMajor int) PTXVersion {
	newest := PTXVersion(0)
	for f := range listing(nvptxFeatures).all(llvmMajor) {
		newest = max(newest, parsePTX(f))
	}
	return newest
}

// PTX returns the version that the target's features ask for, 0 where they
// leave it open.
func (t Target) PTX() PTXVersion {
	asked := PTXVersion(0)
	for f := range strings.SplitSeq(t.Features, ",") {
		if name, on := strings.CutPrefix(f, "+"); on {
			asked = max(asked, parsePTX(name))
		}
	}
	return asked
}

func parsePTX(feature string) PTXVersion {
	digits, ok := strings.CutPrefix(feature, "ptx")
	n, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil {
		return 0
	}
	return PTXVersion(n)
}

// OldestSM returns the number of the oldest processor that the tools of a CUDA
// release make code for.
func OldestSM(cudaMajor int) int {
	switch {
	case cudaMajor >= 13:
		return 75
	case cudaMajor == 12:
		return 50
	case cudaMajor == 11:
		return 35
	case cudaMajor >= 9:
		return 30
	}
	return 20
}
