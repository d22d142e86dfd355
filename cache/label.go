package cache

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxLabel is the length in bytes to which a label is cut.
const MaxLabel = 512

// MaxDetail is the length in bytes to which a detail is cut.
const MaxDetail = 16 << 10

// CleanDetail returns detail as stores keep it: what CleanLabel makes of each
// line, but for its length, and at most MaxDetail bytes.
func CleanDetail(detail string) string {
	return clean(detail, MaxDetail, "\n")
}

// CleanLabel returns label as stores keep it: valid UTF-8, no control or other
// unprintable characters (each becomes a '?'), at most MaxLabel bytes. It is
// safe to print on a terminal, wherever the label came from.
func CleanLabel(label string) string { return clean(label, MaxLabel, "") }

func clean(text string, most int, allowed string) string {
	if len(text) > most {
		end := most
		for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	plain := true
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && strings.IndexByte(allowed, c) < 0 {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	// A stray byte decodes to U+FFFD, which is three bytes long and could pass
	// the limit; '?' is never longer than what it replaces.
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) && !strings.ContainsRune(allowed, r) {
			return '?'
		}
		return r
	}, text)
}
