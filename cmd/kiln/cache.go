package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/cache/disk"
	"github.com/kilnjit/kiln/internal/envconf"
)

type cacheCommand struct {
	Stat   cacheStatCommand   `cmd:"" help:"Show where the cache is and how full."`
	Ls     cacheLsCommand     `cmd:"" help:"List the entries, last used first."`
	Verify cacheVerifyCommand `cmd:"" help:"Read and check every entry."`
	Trim   cacheTrimCommand   `cmd:"" help:"Remove what was not used for the longest time."`
	Clear  cacheClearCommand  `cmd:"" help:"Remove all entries."`
	Warm   cacheWarmCommand   `cmd:"" help:"Compile what a manifest or a recorded run names, before it is needed."`
	Why    cacheWhyCommand    `cmd:"" help:"Say why a kernel was compiled again: what differs from the nearest entry."`
	Export cacheExportCommand `cmd:"" help:"Write all entries into one file."`
	Import cacheImportCommand `cmd:"" help:"Take the entries from a file that export wrote."`
}

type (
	cacheStatCommand   struct{}
	cacheLsCommand     struct{}
	cacheVerifyCommand struct {
		Remove bool `help:"Remove the entries that are no good."`
	}
	cacheTrimCommand struct {
		Max string `placeholder:"SIZE" help:"What is to stay at most, such as 512MiB. Default: the cache's own bound."`
	}
	cacheClearCommand struct{}
)

// withCache runs work on the cache, wherever KILN_CACHE says it may be used:
// looking after the cache is not using it. A cache that is not there is empty.
func (s *session) withCache(work func(context.Context, *disk.Store) error) error {
	dir, err := s.cacheDir()
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return s.reportNoCache(dir)
	}
	store, err := disk.Open(disk.Options{Dir: dir, MaxBytes: s.config.CacheMax, ReadOnly: s.config.Cache == envconf.CacheReadOnly})
	if err != nil {
		return &inputError{err}
	}
	return errors.Join(work(context.Background(), store), store.Close())
}

func (s *session) reportNoCache(dir string) error {
	if s.json {
		return s.printJSON(struct {
			Dir     string `json:"dir"`
			Entries []any  `json:"entries"`
		}{dir, []any{}})
	}
	fmt.Fprintf(s.stdout, "%s is not there: the cache is empty\n", dir)
	return nil
}

// Run prints where the cache is and how full.
func (*cacheStatCommand) Run(s *session) error {
	return s.withCache(func(ctx context.Context, store *disk.Store) error {
		usage, err := store.Usage(ctx)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(struct {
				Dir string `json:"dir"`
				cache.Usage
			}{store.Dir(), usage})
		}
		fmt.Fprintf(s.stdout, "%s\n%d entries, %s of %s", store.Dir(), usage.Entries, size(usage.Bytes), size(usage.MaxBytes))
		if usage.Leftovers > 0 {
			fmt.Fprintf(s.stdout, ", %d unfinished files", usage.Leftovers)
		}
		if usage.Foreign > 0 {
			fmt.Fprintf(s.stdout, ", %d things that are not kiln's", usage.Foreign)
		}
		_, err = fmt.Fprintln(s.stdout)
		return err
	})
}

// entryResult is one cache entry as ls and verify show it.
type entryResult struct {
	Key    string    `json:"key"`
	Label  string    `json:"label"`
	Bytes  int64     `json:"bytes"`
	Stored time.Time `json:"stored"`
	Used   time.Time `json:"used"`
	Path   string    `json:"path"`
	Fault  string    `json:"fault,omitempty"`
}

// collect gathers entries, last used first, and ends at an error that is not
// an entry's own.
func collect(entries func(func(cache.Info, error) bool)) ([]entryResult, error) {
	list := []entryResult{}
	for info, err := range entries {
		entry := entryResult{info.Key.String(), info.Label, info.Bytes, info.Stored, info.Used, info.Place, ""}
		if err != nil {
			if !errors.Is(err, cache.ErrMiss) {
				return list, err
			}
			entry.Fault = err.Error()
		}
		list = append(list, entry)
	}
	slices.SortStableFunc(list, func(a, b entryResult) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Key, b.Key)) })
	return list, nil
}

// Run lists the entries.
func (*cacheLsCommand) Run(s *session) error {
	return s.withCache(func(ctx context.Context, store *disk.Store) error {
		list, err := collect(store.List(ctx))
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(struct {
				Dir     string        `json:"dir"`
				Entries []entryResult `json:"entries"`
			}{store.Dir(), list})
		}
		out := tabwriter.NewWriter(s.stdout, 0, 8, 2, ' ', 0)
		for _, entry := range list {
			label := entry.Label
			if entry.Fault != "" {
				label = "BAD: " + entry.Fault
			}
			fmt.Fprintf(out, "%.12s\t%s\t%s\t%s\n", entry.Key, size(entry.Bytes), entry.Used.Format(time.DateTime), label)
		}
		return out.Flush()
	})
}

// Run checks every entry; a bad one makes the exit code 1.
func (c *cacheVerifyCommand) Run(s *session) error {
	return s.withCache(func(ctx context.Context, store *disk.Store) error {
		list, err := collect(store.Verify(ctx))
		if err != nil {
			return err
		}
		bad := slices.DeleteFunc(slices.Clone(list), func(e entryResult) bool { return e.Fault == "" })
		for _, entry := range bad {
			if c.Remove {
				err = errors.Join(err, os.Remove(entry.Path))
			}
		}
		if err != nil {
			return err
		}
		if s.json {
			err = s.printJSON(struct {
				Dir     string        `json:"dir"`
				Checked int           `json:"checked"`
				Bad     []entryResult `json:"bad"`
				Removed bool          `json:"removed"`
			}{store.Dir(), len(list), bad, c.Remove && len(bad) > 0})
		} else {
			err = printVerified(s, list, bad, c.Remove)
		}
		if err == nil && len(bad) > 0 && !c.Remove {
			err = errReported
		}
		return err
	})
}

func printVerified(s *session, list, bad []entryResult, removed bool) error {
	word := "bad"
	if removed {
		word = "removed"
	}
	for _, entry := range bad {
		fmt.Fprintf(s.stdout, "%s  %s: %s\n", word, entry.Path, entry.Fault)
	}
	_, err := fmt.Fprintf(s.stdout, "%d entries checked, %d bad\n", len(list), len(bad))
	return err
}

// Run trims the cache.
func (c *cacheTrimCommand) Run(s *session) error {
	limit := cmp.Or(s.config.CacheMax, disk.DefaultMaxBytes)
	if c.Max != "" {
		var err error
		if limit, err = envconf.ParseSize(c.Max); err != nil {
			return usage("--max: %v", err)
		}
	}
	return s.trim(limit)
}

// Run removes all entries.
func (*cacheClearCommand) Run(s *session) error { return s.trim(0) }

func (s *session) trim(limit int64) error {
	return s.withCache(func(ctx context.Context, store *disk.Store) error {
		if s.config.Cache == envconf.CacheReadOnly {
			return usage("the cache is read only by KILN_CACHE=ro")
		}
		trimmed, err := store.Trim(ctx, limit)
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(struct {
				Dir string `json:"dir"`
				cache.Trimmed
			}{store.Dir(), trimmed})
		}
		_, err = fmt.Fprintf(s.stdout, "removed %d entries, %s; %d stay, %s\n",
			trimmed.Entries, size(trimmed.Bytes), trimmed.Kept, size(trimmed.KeptBytes))
		return err
	})
}
