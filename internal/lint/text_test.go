package lint

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const maxLines = 400

// lengthFaults: no hand-written Go file grows over the limit.
func lengthFaults(f *file) []string {
	if !f.isGo() || f.isGenerated() {
		return nil
	}
	if lines := bytes.Count(f.text, []byte("\n")); lines > maxLines {
		return []string{fmt.Sprintf("%s: %d lines, the limit is %d: split it by idea", f.path, lines, maxLines)}
	}
	return nil
}

func TestLength(t *testing.T) {
	check(t, lengthFaults)
	long := "package p\n" + strings.Repeat("\n", maxLines)
	try(t, lengthFaults, []sample{
		{"a.go", long[:len(long)-1], 0},
		{"a.go", long, 1},
		{"zz_a.go", long, 0},
		{"a.md", long, 0},
	})
}

var vague = regexp.MustCompile(`^(utils?|common|managers?|helpers?)$`)

// nameFaults: no folder, file or package has a name that says nothing.
func nameFaults(f *file) []string {
	var faults []string
	parts := strings.FieldsFunc(f.path, func(r rune) bool { return strings.ContainsRune("/._-", r) })
	if f.isGo() {
		parts = append(parts, f.syntax.Name.Name)
	}
	for _, part := range parts {
		if vague.MatchString(part) {
			faults = append(faults, fmt.Sprintf("%s: %q says nothing: name the idea", f.path, part))
		}
	}
	return faults
}

func TestNames(t *testing.T) {
	check(t, nameFaults)
	try(t, nameFaults, []sample{
		{"internal/fsx/rename.go", "package fsx\n", 0},
		{"internal/util/rename.go", "package util\n", 2},
		{"cache/disk_helper.go", "package cache\n", 1},
		{"scripts/common.sh", "", 1},
		{"a.go", "package helpers\n", 1},
	})
}

// unfinished finds reminders; the words are put together here so that this
// file does not hold them. Command-line tags of the name are no reminders.
var (
	reminders  = []string{"TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"}
	phrases    = []string{"place" + "holder", "not imple" + "mented", "not yet imple" + "mented", "for no" + "w", "coming so" + "on", "lorem ip" + "sum"}
	unfinished = regexp.MustCompile(`\b(` + strings.Join(reminders, "|") + `)\b|(?i)\b(` + strings.Join(phrases, "|") + `)\b`)
	tag        = []byte("place" + `holder:"`)
)

// suspect tells quickly whether text may hold a reminder.
func suspect(text []byte) bool {
	for _, word := range reminders {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	lower := bytes.ToLower(text)
	for _, phrase := range phrases {
		if bytes.Contains(lower, []byte(phrase)) {
			return true
		}
	}
	return false
}

// textFaults: nothing committed says that it is unfinished.
func textFaults(f *file) []string {
	if f.path == "LICENSE" || f.isGenerated() || !suspect(f.text) {
		return nil
	}
	var faults []string
	number := 0
	for line := range bytes.Lines(f.text) {
		number++
		if word := unfinished.Find(bytes.ReplaceAll(line, tag, nil)); word != nil {
			faults = append(faults, fmt.Sprintf("%s:%d: %q: finish it, or open an issue", f.path, number, word))
		}
	}
	return faults
}

func TestFinished(t *testing.T) {
	check(t, textFaults)
	try(t, textFaults, []sample{
		{"a.go", "package p // TO" + "DO: all\n", 1},
		{"README.md", "Streams are not imple" + "mented.\nEnough for no" + "w.\n", 2},
		{"a.md", "A todo list and a hacksaw.\n", 0},
		{"a.go", "package p\n\ntype t struct {\n\tf int `place" + "holder:\"N\"` // a place" + "holder\n}\n", 1},
	})
}
