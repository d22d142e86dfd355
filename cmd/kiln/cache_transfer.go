package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kilnjit/kiln/cache/disk"
	"github.com/kilnjit/kiln/internal/envconf"
)

type cacheExportCommand struct {
	File string `arg:"" help:"Where the entries go; - is the output."`
}

type cacheImportCommand struct {
	File string `arg:"" help:"What export wrote; - is the input."`
}

type transferResult struct {
	Dir  string `json:"dir"`
	File string `json:"file"`
	disk.Transferred
}

// Run writes the entries into one file.
func (c *cacheExportCommand) Run(s *session) error {
	return s.withCache(func(ctx context.Context, store *disk.Store) error {
		end := s.progress.begin("exporting " + store.Dir())
		done, err := c.export(ctx, s, store)
		end()
		if err != nil {
			return err
		}
		return s.printTransferred(transferResult{store.Dir(), c.File, done}, c.File == "-")
	})
}

func (c *cacheExportCommand) export(ctx context.Context, s *session, store *disk.Store) (disk.Transferred, error) {
	if c.File == "-" {
		return store.Export(ctx, s.stdout)
	}
	file, err := os.Create(c.File)
	if err != nil {
		return disk.Transferred{}, &inputError{err}
	}
	done, err := store.Export(ctx, file)
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(c.File)
	}
	return done, err
}

// Run takes the entries of a file into the cache.
func (c *cacheImportCommand) Run(s *session) error {
	if s.config.Cache == envconf.CacheReadOnly {
		return usage("the cache is read only by KILN_CACHE=ro")
	}
	var from io.Reader = s.stdin
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return &inputError{err}
		}
		defer file.Close()
		from = file
	}
	store, err := s.openCache()
	if err != nil {
		return &inputError{err}
	}
	defer store.Close()
	end := s.progress.begin("importing " + c.File)
	done, err := store.Import(context.Background(), from)
	end()
	if err != nil {
		return &inputError{err}
	}
	return s.printTransferred(transferResult{store.Dir(), c.File, done}, false)
}

// printTransferred says what was done, beside the output where that is taken.
func (s *session) printTransferred(r transferResult, beside bool) error {
	if s.json && !beside {
		return s.printJSON(r)
	}
	out := s.stdout
	if beside {
		out = s.stderr
	}
	fmt.Fprintf(out, "%d entries, %s", r.Entries, size(r.Bytes))
	if r.Present > 0 {
		fmt.Fprintf(out, "; %d were there", r.Present)
	}
	if r.Bad > 0 {
		fmt.Fprintf(out, "; %d left out, which are no good entries", r.Bad)
	}
	_, err := fmt.Fprintln(out)
	return err
}
