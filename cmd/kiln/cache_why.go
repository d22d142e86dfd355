package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/disk"
)

type cacheWhyCommand struct {
	What string `arg:"" name:"kernel|key" help:"A kernel's name, or the first digits of an entry's key as ls shows them."`
}

// made is an entry with what its key was made of.
type made struct {
	key    string
	stored time.Time
	kernel string
	fields []field
	fault  string
}

type field struct{ name, value string }

type whyResult struct {
	Dir     string     `json:"dir"`
	Entries []whyEntry `json:"entries"`
}

type whyEntry struct {
	Key    string    `json:"key"`
	Kernel string    `json:"kernel"`
	Stored time.Time `json:"stored"`
	Fault  string    `json:"fault,omitempty"`
	// Nearest is the older entry of the same kernel that differs least, empty
	// for the first.
	Nearest     string     `json:"nearest,omitempty"`
	Differences []contrast `json:"differences"`
}

type contrast struct {
	Field string `json:"field"`
	Here  string `json:"here"`
	There string `json:"there"`
}

// Run says of each entry that is meant what kept the older ones from being used.
func (c *cacheWhyCommand) Run(s *session) error {
	return s.withCache(func(ctx context.Context, store *disk.Store) error {
		// A store that is read-only leaves the times of use alone.
		reader, err := disk.Open(disk.Options{Dir: store.Dir(), ReadOnly: true})
		if err != nil {
			return err
		}
		defer reader.Close()
		entries, err := madeEntries(ctx, reader)
		if err != nil {
			return err
		}
		chosen := c.choose(entries)
		if len(chosen) == 0 {
			return c.notFound(store.Dir(), entries)
		}
		result := &whyResult{Dir: store.Dir(), Entries: []whyEntry{}}
		for _, i := range chosen {
			result.Entries = append(result.Entries, explainEntry(entries, i))
		}
		if s.json {
			return s.printJSON(result)
		}
		return printWhy(s, result)
	})
}

// madeEntries returns the entries of images, oldest first.
func madeEntries(ctx context.Context, store *disk.Store) ([]made, error) {
	var entries []made
	for info, err := range store.List(ctx) {
		m := made{key: info.Key.String(), stored: info.Stored}
		var item cache.Item
		if err == nil {
			if !strings.HasPrefix(info.Label, "image ") {
				continue
			}
			item, err = store.Get(ctx, info.Key)
		}
		switch {
		case err == nil:
			m.read(item)
		case cache.MissReason(err) == "":
			return nil, err
		default:
			m.fault = err.Error()
		}
		entries = append(entries, m)
	}
	slices.SortStableFunc(entries, func(a, b made) int { return a.stored.Compare(b.stored) })
	return entries, nil
}

// read takes in what the entry says of itself.
func (m *made) read(item cache.Item) {
	for line := range strings.Lines(item.Detail) {
		name, value, found := strings.Cut(line, ":")
		if !found || name == "digest" {
			continue
		}
		f := field{name, strings.TrimSpace(value)}
		m.fields = append(m.fields, f)
		if name == "kernel" {
			m.kernel = f.value
			if text, err := strconv.Unquote(f.value); err == nil {
				m.kernel = text
			}
		}
	}
}

// choose returns the indices of the entries that are meant.
func (c *cacheWhyCommand) choose(entries []made) []int {
	var kernels, keys []int
	for i := range entries {
		if entries[i].kernel == c.What {
			kernels = append(kernels, i)
		}
		if len(c.What) >= 4 && strings.HasPrefix(entries[i].key, strings.ToLower(c.What)) {
			keys = append(keys, i)
		}
	}
	if len(kernels) > 0 {
		return kernels
	}
	return keys
}

func (c *cacheWhyCommand) notFound(dir string, entries []made) error {
	names := map[string]bool{}
	for i := range entries {
		if entries[i].kernel != "" {
			names[entries[i].kernel] = true
		}
	}
	var near []string
	for name := range names {
		near = append(near, name)
	}
	hint := ""
	if name := nearest(c.What, near); name != "" {
		hint = fmt.Sprintf("; did you mean %q?", name)
	}
	return &inputError{fmt.Errorf("%s has no entry of a kernel or key %q: it was never stored, or was trimmed%s", dir, c.What, hint)}
}

// explainEntry compares an entry with the older one of its kernel that differs
// in the fewest fields, of several the youngest.
func explainEntry(entries []made, i int) whyEntry {
	e := &entries[i]
	result := whyEntry{Key: e.key, Kernel: e.kernel, Stored: e.stored, Fault: e.fault, Differences: []contrast{}}
	for j := range i {
		if entries[j].kernel != e.kernel || entries[j].fault != "" || e.fault != "" {
			continue
		}
		if d := differences(e.fields, entries[j].fields); result.Nearest == "" || len(d) <= len(result.Differences) {
			result.Nearest, result.Differences = entries[j].key, d
		}
	}
	return result
}

func differences(here, there []field) []contrast {
	all := []contrast{}
	for _, f := range here {
		i := slices.IndexFunc(there, func(g field) bool { return g.name == f.name })
		other := "(not said)"
		if i >= 0 {
			other = there[i].value
		}
		if other != f.value {
			all = append(all, contrast{f.name, f.value, other})
		}
	}
	return all
}

func printWhy(s *session, r *whyResult) error {
	out := tabwriter.NewWriter(s.stdout, 0, 8, 2, ' ', 0)
	for _, e := range r.Entries {
		line := "the first of its kernel"
		switch {
		case e.Fault != "":
			line = "BAD: " + e.Fault
		case e.Nearest != "" && len(e.Differences) == 0:
			line = fmt.Sprintf("like %.12s in all that the entries say", e.Nearest)
		case e.Nearest != "":
			var parts []string
			for _, d := range e.Differences {
				parts = append(parts, d.String())
			}
			line = fmt.Sprintf("not %.12s: %s", e.Nearest, strings.Join(parts, "; "))
		}
		fmt.Fprintf(out, "%.12s\t%s\t%s\t%s\n", e.Key, e.Kernel, e.Stored.Format(time.DateTime), line)
	}
	return out.Flush()
}

// String says what differs; of lists only what they do not share.
func (d *contrast) String() string {
	here, there := d.Here, d.There
	switch d.Field {
	case "features":
		here, there = unshared(here, there)
	case "module", "llvm build id":
		here, there = beginning(here), beginning(there)
	}
	return fmt.Sprintf("%s %s, there %s", d.Field, here, there)
}

// unshared returns what of two quoted lists is in one alone.
func unshared(a, b string) (onlyA, onlyB string) {
	split := func(s string) []string { return strings.Split(strings.Trim(s, `"`), ",") }
	without := func(list, other []string) string {
		rest := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
		if len(rest) == 0 {
			return "nothing more"
		}
		return strings.Join(rest, ",")
	}
	return without(split(a), split(b)), without(split(b), split(a))
}

func beginning(digest string) string {
	digest = strings.Trim(digest, `"`)
	return digest[:min(len(digest), 12)]
}
