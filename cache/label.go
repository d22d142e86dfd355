package cache

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLabel is the length in bytes to which a label is cut.
const MaxLabel = 512

// CleanLabel returns label as stores keep it: valid UTF-8, no control or other
// unprintable characters (each becomes a '?'), at most MaxLabel bytes. It is
// safe to print on a terminal, wherever the label came from.
func CleanLabel(label string) string {
	if len(label) > MaxLabel {
		end := MaxLabel
		for end > MaxLabel-utf8.UTFMax && !utf8.RuneStart(label[end]) {
			end--
		}
		label = label[:end]
	}
	clean := true
	for i := range len(label) {
		if c := label[i]; c < ' ' || c > '~' {
			clean = false
			break
		}
	}
	if clean {
		return label
	}
	// A stray byte decodes to U+FFFD, which is three bytes long and could pass
	// the limit; '?' is never longer than what it replaces.
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, label)
}
