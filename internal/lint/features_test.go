package lint

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var (
	featureRow = regexp.MustCompile(`(?m)^\| ([PLM]\d+) \| (.+) \| (.+) \| (.+) \| (.+) \|$`)
	namedTest  = regexp.MustCompile("^`([\\w/]+): (Test\\w+)`$")
)

// featureFaults: every row has a known state, rows are counted through, and
// what works names a test that exists. exists is asked with a folder below the
// root and a test's name.
func featureFaults(text string, exists func(folder, test string) bool) []string {
	var faults []string
	next := map[byte]int{}
	for _, row := range featureRow.FindAllStringSubmatch(text, -1) {
		name, state, shown := row[1], row[4], row[5]
		next[name[0]]++
		if want := fmt.Sprintf("%c%d", name[0], next[name[0]]); name != want {
			faults = append(faults, fmt.Sprintf("row %s stands where %s should", name, want))
		}
		word, _, _ := strings.Cut(state, " ")
		test := namedTest.FindStringSubmatch(shown)
		switch {
		case word == "planned":
			if shown != "—" {
				faults = append(faults, name+" is planned and names a test")
			}
		case word != "works" && word != "partly":
			faults = append(faults, fmt.Sprintf("%s: state %q is none of works, partly and planned", name, state))
		case test == nil:
			faults = append(faults, fmt.Sprintf("%s works and names no test: %s", name, shown))
		case !exists(test[1], test[2]):
			faults = append(faults, fmt.Sprintf("%s: %s has no %s", name, test[1], test[2]))
		}
	}
	return faults
}

func TestFeatures(t *testing.T) {
	tests := map[string]bool{}
	text := ""
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, f := range tree(t) {
		switch {
		case f.path == "docs/features.md":
			text = string(f.text)
		case f.isTest():
			folder := f.dir()
			if folder == "." {
				folder = "kiln"
			}
			for _, m := range declared.FindAllSubmatch(f.text, -1) {
				tests[folder+": "+string(m[1])] = true
			}
		}
	}
	if rows := len(featureRow.FindAllString(text, -1)); rows < 150 {
		t.Errorf("%d rows in docs/features.md, want more than 150", rows)
	}
	for _, fault := range featureFaults(text, func(folder, test string) bool { return tests[folder+": "+test] }) {
		t.Errorf("docs/features.md: %s", fault)
	}
}

func TestFeaturesRule(t *testing.T) {
	text := `
| P1 | a | b | planned | — |
| P2 | a | b | works | ` + "`kiln: TestA`" + ` |
| P4 | a | b | partly (half) | ` + "`kiln: TestB`" + ` |
| L1 | a | b | works | — |
| L2 | a | b | planned | ` + "`kiln: TestA`" + ` |
| L3 | a | b | done | — |
`
	got := featureFaults(text, func(folder, test string) bool { return folder == "kiln" && test == "TestA" })
	if len(got) != 5 {
		t.Errorf("%d faults, want 5: %q", len(got), got)
	}
}
