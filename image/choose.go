package image

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kilnjit/kiln/target"
)

// ErrNoImage is matched by the error of [File.Choose] where a file holds
// nothing that the device can use.
var ErrNoImage = errors.New("no image for the target")

// mostNamed is how many images an error lists.
const mostNamed = 12

// Choose returns the image inside f that suits a device best: machine code made
// for it, then machine code it can run as well, then PTX, then bitcode, each as
// near to the device as there is. The target's processor and settings are the
// device's own. Scrambled parts and LTO IR are passed over.
//
// Where nothing fits, the error matches [ErrNoImage] and names the target and
// everything the file holds. A damaged part is an error only where nothing else
// fits.
func (f *File) Choose(t target.Target) (*Found, error) {
	var best *Found
	var top int
	var have []string
	var damage error
	for found, err := range f.All() {
		if err != nil {
			damage = cmp.Or(damage, err)
			continue
		}
		is := found.Part.Target
		if is.Triple == "" && found.File != nil {
			is = found.File.Target
		}
		if n := fit(found.Part.Kind, is, t); found.File != nil && n > top {
			best, top = found, n
		}
		what := found.Part.Kind.String() + " for " + targetOrLabel(is, found.Part.Label)
		if len(have) <= mostNamed && !slices.Contains(have, what) {
			have = append(have, what)
		}
	}
	if best != nil {
		return best, nil
	}
	text := "nothing"
	switch {
	case len(have) > mostNamed:
		text = strings.Join(have[:mostNamed], ", ") + " and more"
	case len(have) > 0:
		text = strings.Join(have, ", ")
	}
	err := fmt.Errorf("%w %s: this %s holds %s", ErrNoImage, t, f.Kind, text)
	if damage != nil {
		err = fmt.Errorf("%w, and what is damaged: %w", err, damage)
	}
	return nil, err
}

func targetOrLabel(t target.Target, label string) string {
	switch {
	case t.Processor != "" && t.Features != "":
		return t.Processor + "/" + t.Features
	case t.Processor != "":
		return t.Processor
	}
	return strconv.Quote(label)
}

// The least a fit is worth, by what the image is. Nearness adds less than a
// step between them.
const (
	fitBitcode = 1_000
	fitPTX     = 10_000
	fitCode    = 20_000
	fitExact   = 30_000
)

// fit tells how well an image of a kind, made for one target, suits another: 0
// where it does not.
func fit(kind Kind, is, want target.Target) int {
	if is.Arch() != want.Arch() || is.Arch() == target.Unknown {
		return 0
	}
	bitcode := kind == Bitcode || kind == WrappedBitcode || kind == TextIR
	switch {
	case is.Arch() == target.NVPTX:
		return fitNVIDIA(kind, bitcode, is.Processor, want.Processor)
	case is.Arch() == target.AMDGPU:
		return fitAMD(kind, bitcode, is, want)
	case bitcode:
		return fitBitcode
	case kind == ELF:
		return fitExact
	}
	return 0
}

// fitNVIDIA knows three promises. Code for sm_86 runs on devices of the same
// major number from 8.6 on, and so does what sm_100f says of a family; sm_90a
// runs on 9.0 alone. PTX and bitcode without a letter can be compiled for
// every later device.
func fitNVIDIA(kind Kind, bitcode bool, is, want string) int {
	number, letter, ok := smNumber(is)
	device, _, okDevice := smNumber(want)
	if !ok || !okDevice || number > device || letter == "a" && number != device || letter == "f" && number/10 != device/10 {
		return 0
	}
	switch {
	case kind == Cubin && number == device:
		return fitExact
	case kind == Cubin && number/10 == device/10:
		return fitCode + number
	case kind == PTXText:
		return fitPTX + number
	case bitcode:
		return fitBitcode + number
	}
	return 0
}

// smNumber splits "sm_90a" into 90 and "a".
func smNumber(processor string) (number int, letter string, ok bool) {
	digits, found := strings.CutPrefix(processor, "sm_")
	if !found {
		return 0, "", false
	}
	for _, l := range [...]string{"a", "f"} {
		if rest, found := strings.CutSuffix(digits, l); found {
			digits, letter = rest, l
		}
	}
	number, err := strconv.Atoi(digits)
	return number, letter, err == nil && number > 0 && number < fitBitcode
}

// genericMembers are the processors that code for a generic one runs on.
var genericMembers = map[string][]string{
	"gfx9-generic":    {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"},
	"gfx9-4-generic":  {"gfx940", "gfx941", "gfx942", "gfx950"},
	"gfx10-1-generic": {"gfx1010", "gfx1011", "gfx1012", "gfx1013"},
	"gfx10-3-generic": {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"},
	"gfx11-generic":   {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"},
	"gfx12-generic":   {"gfx1200", "gfx1201"},
}

// fitAMD wants the same processor, or a generic one that covers it, and no
// setting the other way round. What the image leaves open goes with both ways;
// the more it fixes rightly, the better.
func fitAMD(kind Kind, bitcode bool, is, want target.Target) int {
	settings := 0
	for feature := range strings.SplitSeq(is.Features, ",") {
		if feature == "" {
			continue
		}
		if features := strings.Split(want.Features, ","); slices.Contains(features, opposite(feature)) {
			return 0
		} else if slices.Contains(features, feature) {
			settings++
		}
	}
	exact := is.Processor == want.Processor
	if !exact && !slices.Contains(genericMembers[is.Processor], want.Processor) {
		return 0
	}
	switch {
	case kind == AMDGPUObject && exact:
		return fitExact + settings
	case kind == AMDGPUObject:
		return fitCode + settings
	case bitcode && exact:
		return fitBitcode + settings + 1
	case bitcode:
		return fitBitcode + settings
	}
	return 0
}

func opposite(feature string) string {
	if rest, on := strings.CutPrefix(feature, "+"); on {
		return "-" + rest
	}
	return "+" + feature[1:]
}
