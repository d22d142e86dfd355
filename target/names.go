package target

import (
	"fmt"
	"slices"
	"strings"
)

// The LLVM versions whose listings the tables hold.
const (
	oldestListed = 19
	newestListed = 22
)

// listing is one generated table: names in ascending order, separated by
// spaces, those of a single version with the version behind a colon. A string
// searched in place costs a process nothing until it is used.
type listing string

// find returns the version suffix of name, empty where every listed version has it.
func (l listing) find(name string) (only string, ok bool) {
	low, high := 0, len(l)
	for low < high {
		start := strings.LastIndexByte(string(l[low:(low+high)/2]), ' ') + 1 + low
		end := len(l)
		if i := strings.IndexByte(string(l[start:]), ' '); i >= 0 {
			end = start + i
		}
		entry, only, _ := strings.Cut(string(l[start:end]), ":")
		switch {
		case entry == name:
			return only, true
		case entry < name:
			low = min(end+1, high)
		default:
			high = start
		}
	}
	return "", false
}

// has tells whether a version knows name. The versions between the listed ones
// are taken to know what both of them do.
func (l listing) has(name string, llvmMajor int) bool {
	only, ok := l.find(name)
	return ok && (only == "" || only == fmt.Sprint(llvmMajor))
}

// all yields the names that a version knows.
func (l listing) all(llvmMajor int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for entry := range strings.FieldsSeq(string(l)) {
			name, only, _ := strings.Cut(entry, ":")
			if only != "" && only != fmt.Sprint(llvmMajor) {
				continue
			}
			if !yield(name) {
				return
			}
		}
	}
}

func processorsOf(a Arch) listing {
	switch a {
	case X86_64:
		return x86Processors
	case AArch64:
		return aarch64Processors
	case NVPTX:
		return nvptxProcessors
	case AMDGPU:
		return amdgpuProcessors
	}
	return ""
}

func featuresOf(a Arch) listing {
	switch a {
	case X86_64:
		return x86Features
	case AArch64:
		return aarch64Features
	case NVPTX:
		return nvptxFeatures
	case AMDGPU:
		return amdgpuFeatures
	}
	return ""
}

const (
	maxNear = 3
	// A longer name has no near match worth the time: it is no slip of the hand.
	maxNearLength = 64
)

// near returns up to three names that a slip of the hand may have meant, the
// likeliest first.
func near(name string, names func(yield func(string) bool)) []string {
	type match struct {
		name     string
		distance int
	}
	if len(name) > maxNearLength {
		return nil
	}
	limit := max(1, min(len(name)/2, 3))
	var matches []match
	for candidate := range names {
		if d := distance(strings.ToLower(name), candidate); d <= limit {
			matches = append(matches, match{candidate, d})
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return a.distance - b.distance })
	var best []string
	for _, m := range matches[:min(len(matches), maxNear)] {
		best = append(best, m.name)
	}
	return best
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
