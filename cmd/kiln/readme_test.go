package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

var readmeCommand = regexp.MustCompile(`(?m)^\$ kiln ((?:.*\\\n)*.*)$`)

// TestReadme runs every kiln command of the README from the repository's root.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := readmeCommand.FindAllStringSubmatch(string(text), -1)
	if len(found) < 4 {
		t.Errorf("%d commands found in the README, want 4 or more", len(found))
	}
	env := []string{"KILN_CACHE_DIR=" + t.TempDir()}
	for _, match := range found {
		var stdout, stderr bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(match[1], "\\\n", " "))
		if code := run(args, nil, &stdout, &stderr, env); code != exitOK || stderr.Len() > 0 {
			t.Errorf("kiln %s\nexit code %d: %s", strings.Join(args, " "), code, &stderr)
		}
	}
}
