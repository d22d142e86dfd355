package lint

import (
	"bytes"
	"fmt"
	"path"
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
// file does not hold them.
var unfinished = regexp.MustCompile(strings.Join([]string{
	`\bTO` + `DO\b`, `\bFIX` + `ME\b`, `\bXX` + `X\b`, `\bHA` + `CK\b`, `(?i)\bplace` + `holder\b`,
	`(?i)\bnot (yet )?imple` + `mented\b`, `(?i)\bfor no` + `w\b`, `(?i)\bcoming so` + `on\b`, `(?i)\blorem ip` + `sum\b`,
}, "|"))

// textFaults: nothing committed says that it is unfinished.
func textFaults(f *file) []string {
	if f.path == "LICENSE" || f.isGenerated() || path.Ext(f.path) == ".bc" {
		return nil
	}
	var faults []string
	number := 0
	for line := range bytes.Lines(f.text) {
		number++
		if word := unfinished.Find(line); word != nil {
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
	})
}
