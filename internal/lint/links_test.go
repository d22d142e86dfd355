package lint

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// fence is a block of code, in which brackets are no links.
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// anchor is a heading as links to it are spelled.
func anchor(title string) string {
	title = strings.ToLower(strings.ReplaceAll(title, " ", "-"))
	return regexp.MustCompile(`[^\p{L}\p{N}_-]`).ReplaceAllString(title, "")
}

// linkFaults: links within the repository lead somewhere. text returns a
// file's content, and false where there is no such file.
func linkFaults(f *file, text func(path string) (string, bool)) []string {
	if path.Ext(f.path) != ".md" || strings.Contains(f.path, "testdata/") {
		return nil
	}
	var faults []string
	for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(f.text), ""), -1) {
		if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
			continue
		}
		to, fragment, _ := strings.Cut(m[1], "#")
		if to = path.Join(path.Dir(f.path), to); strings.HasPrefix(m[1], "#") {
			to = f.path
		}
		content, ok := text(to)
		if !ok {
			faults = append(faults, fmt.Sprintf("%s: link to %s, which is not there", f.path, m[1]))
			continue
		}
		found := fragment == ""
		for _, h := range heading.FindAllStringSubmatch(content, -1) {
			found = found || anchor(h[1]) == fragment
		}
		if !found {
			faults = append(faults, fmt.Sprintf("%s: link to %s, which has no such heading", f.path, m[1]))
		}
	}
	return faults
}

func TestLinks(t *testing.T) {
	files := map[string]string{}
	for _, f := range tree(t) {
		files[f.path] = string(f.text)
		for dir := f.dir(); dir != "."; dir = path.Dir(dir) {
			files[dir] = ""
		}
	}
	check(t, func(f *file) []string {
		return linkFaults(f, func(path string) (string, bool) {
			content, ok := files[path]
			return content, ok
		})
	})
}

func TestLinksRule(t *testing.T) {
	files := map[string]string{"a.md": "# One, two (three)\n", "docs/b.md": ""}
	rule := func(f *file) []string {
		return linkFaults(f, func(path string) (string, bool) {
			content, ok := files[path]
			return content, ok
		})
	}
	try(t, rule, []sample{
		{"a.md", "[x](docs/b.md) [y](https://go.dev/none) [z](#one-two-three)", 0},
		{"docs/b.md", "```go\nf[int](x)\n```\n[x](a.md)\n```sh\n```\n", 1},
		{"docs/b.md", "[x](../a.md#one-two-three) [y](a.md) [z](../a.md#four)", 2},
		{"a.go", "package p // [x](none.md)\n", 0},
	})
}
