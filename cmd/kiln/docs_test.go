package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/target"
)

// block is a fenced block of a page: a file to be written, where a name
// follows the language, or a session to be run, where the language is console.
type block struct {
	line       int
	name, text string // name is empty for a session
}

var fence = regexp.MustCompile("^```([a-z+]*)(?: (\\S+))?$")

// blocks returns those of a page that are a file or a session.
func blocks(page string) []block {
	var list []block
	var current *block
	for i, line := range strings.SplitAfter(page, "\n") {
		m := fence.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case m != nil && current == nil:
			current = &block{line: i + 1, name: m[2]}
			if m[1] == "console" {
				current.name = "$"
			}
		case m != nil:
			if current.name == "$" {
				current.name = ""
				list = append(list, *current)
			} else if current.name != "" {
				list = append(list, *current)
			}
			current = nil
		case current != nil:
			current.text += line
		}
	}
	return list
}

// shown is one command of a session, with what the page shows of its output.
type shown struct {
	command string
	output  []string
}

// sessionSteps parses "$ command" with continued lines, and the lines below it.
func sessionSteps(text string) []shown {
	var steps []shown
	continued := false
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		command, begins := strings.CutPrefix(line, "$ ")
		switch {
		case begins:
			steps = append(steps, shown{command: command})
		case continued:
			steps[len(steps)-1].command += "\n" + line
		case len(steps) > 0:
			steps[len(steps)-1].output = append(steps[len(steps)-1].output, line)
		}
		continued = (begins || continued) && strings.HasSuffix(line, `\`)
	}
	return steps
}

var (
	measured = regexp.MustCompile(`[0-9][0-9.,]*( ?(ns|µs|ms|s|B|KiB|MiB|GiB)\b)?`)
	digest   = regexp.MustCompile(`\b[0-9a-f]{12,}\b`)
	spaces   = regexp.MustCompile(`[ \t]+`)
)

// likeness is a line without what differs from machine to machine and from run
// to run: numbers, times, digests, the processor.
func likeness(line, processor string) string {
	line = strings.ReplaceAll(line, processor, "CPU")
	line = strings.ReplaceAll(line, "znver4", "CPU")
	line = digest.ReplaceAllString(line, "DIGEST")
	line = measured.ReplaceAllString(line, "N")
	return strings.TrimSpace(spaces.ReplaceAllString(line, " "))
}

// check tells whether the shown lines stand in the output in their order, with
// others between them only where the page shows an ellipsis.
func (s *shown) check(output, processor string) error {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	at, free := 0, false
	for _, want := range s.output {
		if strings.TrimSpace(want) == "..." {
			free = true
			continue
		}
		found := slices.IndexFunc(lines[at:], func(line string) bool { return likeness(line, processor) == likeness(want, processor) })
		if found < 0 || found > 0 && !free {
			return fmt.Errorf("the page shows %q, which is not printed there:\n%s", want, output)
		}
		at, free = at+found+1, false
	}
	return nil
}

// checkout copies the repository, so that pages may write where they like.
func checkout(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "kiln")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	copying := exec.Command("sh", "-c", `tar cf - --exclude=./.git --exclude=./bin . | tar xf - -C "$0"`, root)
	copying.Dir = "../.."
	if said, err := copying.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return root
}

// TestPages runs the sessions of every page, each page in a copy of the
// repository and from its top, with an empty cache.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	native, err := target.Native()
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		list := blocks(string(text))
		if !slices.ContainsFunc(list, func(b block) bool { return b.name == "" }) {
			continue
		}
		name, steps := filepath.Base(page), 0
		for _, b := range list {
			if b.name == "" {
				steps += len(sessionSteps(b.text))
			}
		}
		ran[name] = steps
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, dir := checkout(t), ""
			cache := t.TempDir()
			for _, b := range list {
				if b.name != "" {
					if err := os.WriteFile(filepath.Join(folder, dir, b.name), []byte(b.text), 0o644); err != nil {
						t.Fatal(err)
					}
					continue
				}
				for _, step := range sessionSteps(b.text) {
					// Built with -trimpath, a package is the same in every copy, and
					// the second build finds it. The folder a command leaves the shell in is the next one's.
					shell := exec.Command("bash", "-c", "set -o pipefail\n"+step.command+"\nstatus=$?\nrealpath --relative-to="+folder+" . >&3\nexit $status")
					shell.Dir = filepath.Join(folder, dir)
					shell.Env = append(os.Environ(), "KILN_CACHE_DIR="+cache, "HOME="+cache, "GOFLAGS=-trimpath", "GOPROXY="+goEnv(t, "GOPROXY"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"), "GOCACHE="+goEnv(t, "GOCACHE"))
					reader, writer, err := os.Pipe()
					if err != nil {
						t.Fatal(err)
					}
					shell.ExtraFiles = []*os.File{writer}
					output, err := shell.CombinedOutput()
					writer.Close()
					where := make([]byte, 4096)
					n, _ := reader.Read(where)
					reader.Close()
					if err != nil {
						t.Fatalf("%s:%d: $ %s\n%v\n%s", name, b.line, step.command, err, output)
					}
					dir = strings.TrimSpace(string(where[:n]))
					if err := step.check(string(output), native.Processor); err != nil {
						t.Errorf("%s:%d: $ %s\n%v", name, b.line, step.command, err)
					}
				}
			}
		})
	}
	for name, least := range map[string]int{"README.md": 4, "tutorial.md": 8} {
		if ran[name] < least {
			t.Errorf("%s: %d commands were run, want %d or more", name, ran[name], least)
		}
	}
}

// goEnv returns a setting of the go command, which the pages' HOME would hide.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestShown: what the test of the pages takes for the same, and what not.
func TestShown(t *testing.T) {
	output := "saxpy  grid 4096  block 256  on znver4\n  sum       1572863.98193  (y, f32[1048576])\n  first     105 ms, of which compiling 103 ms\n"
	for text, good := range map[string]bool{
		"saxpy  grid 1  block 2  on zebra\n  sum  7  (y, f32[3])":                   true,
		"saxpy  grid 1  block 2  on zebra\n  first  7 µs, of which compiling 6.1 s": false,
		"...\n  first  7 µs, of which compiling 6.1 s":                              true,
		"saxpy  grid 1  block 2  on zebra\n  sum  7  (x, f32[3])":                   false,
		"  sum  7  (y, f32[3])": false,
		"":                      true,
	} {
		s := &shown{output: strings.Split(text, "\n")}
		if text == "" {
			s.output = nil
		}
		if err := s.check(strings.ReplaceAll(output, "znver4", "zebra"), "zebra"); (err == nil) != good {
			t.Errorf("%q: %v, want good %v", text, err, good)
		}
	}
	got := sessionSteps("$ a \\\n    b\nout\n$ c\n")
	if len(got) != 2 || got[0].command != "a \\\n    b" || len(got[0].output) != 1 || got[1].command != "c" {
		t.Errorf("%+v", got)
	}
}
