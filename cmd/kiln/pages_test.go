package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kilnjit/kiln/internal/envconf"
)

// TestPagesAreCurrent: the committed pages say what --help says.
func TestPagesAreCurrent(t *testing.T) {
	b, err := book()
	if err != nil {
		t.Fatal(err)
	}
	const remedy = "type: go generate ./cmd/kiln"
	files := b.Manual()
	committed, err := filepath.Glob("../../packaging/man/*.1")
	if err != nil || len(committed) != len(files) {
		t.Errorf("%d pages in packaging/man, %v, want %d; %s", len(committed), err, len(files), remedy)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../../packaging/man", name))
		if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
			t.Errorf("%s is not current, %v; %s (-want +got):\n%s", name, err, remedy, diff)
		}
	}
	got, err := os.ReadFile("../../docs/reference.md")
	if diff := cmp.Diff(b.Reference(), string(got)); err != nil || diff != "" {
		t.Errorf("docs/reference.md is not current, %v; %s (-want +got):\n%s", err, remedy, diff)
	}
}

// TestPagesHoldEverything: every command, flag and variable stands there once at least.
func TestPagesHoldEverything(t *testing.T) {
	b, err := book()
	if err != nil {
		t.Fatal(err)
	}
	whole, reference := strings.Builder{}, b.Reference()
	for _, page := range b.Manual() {
		whole.WriteString(strings.ReplaceAll(page, `\-`, "-"))
	}
	words := []string{"--json", "--help"}
	for _, level := range levels(b.Root, "", nil) {
		if level.path == "pages" || level.path == "remarks" {
			continue
		}
		for _, flag := range level.flags {
			words = append(words, flag.text)
		}
		if level.path != "" {
			words = append(words, "kiln "+level.path)
		}
	}
	names, _ := envconf.Names()
	for _, word := range append(words, names...) {
		if !strings.Contains(reference, word) {
			t.Errorf("%s is not in the reference", word)
		}
		if page := whole.String(); !strings.Contains(page, word) && !strings.Contains(page, strings.TrimPrefix(word, "kiln ")) {
			t.Errorf("%s is on no manual page", word)
		}
	}
	for _, name := range names {
		if purposes[name] == "" {
			t.Errorf("nothing says what %s is for", name)
		}
	}
	if strings.Contains(reference, "kiln pages") || strings.Contains(whole.String(), "kiln pages") {
		t.Error("a hidden command is shown")
	}
}

// TestManualFormats: groff takes every page without a warning.
func TestManualFormats(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	b, err := book()
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range b.Manual() {
		command := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
		command.Stdin = strings.NewReader(page)
		if said, err := command.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: %v %s", name, err, said)
		}
	}
}
