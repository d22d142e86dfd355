package target

import "strings"

// WaveSizes returns how many work-items an AMD processor's waves may have: its
// own size first, and another that code can be made for, 0 where there is none.
// Both are 0 for processors that kiln does not know.
func WaveSizes(processor string) (own, other int) {
	number, ok := strings.CutPrefix(processor, "gfx")
	if !ok {
		if processor == "generic" || processor == "generic-hsa" {
			return 64, 0
		}
		return 0, 0
	}
	number, _, _ = strings.Cut(number, "-")
	switch {
	case strings.HasPrefix(number, "125"):
		return 32, 0
	case len(number) == 4, number == "10", number == "11", number == "12":
		return 32, 64
	}
	return 64, 0
}

// WaveSize returns the wave size of an AMD target: its processor's own, or what
// its features set. It is 0 where kiln does not know the processor.
func (t Target) WaveSize() int {
	own, other := WaveSizes(t.Processor)
	if other == 0 {
		return own
	}
	size := own
	for f := range strings.SplitSeq(t.Features, ",") {
		switch f {
		case "+wavefrontsize32":
			size = 32
		case "+wavefrontsize64":
			size = 64
		}
	}
	return size
}
