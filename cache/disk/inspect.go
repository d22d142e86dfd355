package disk

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"strings"

	"github.com/kilnjit/kiln/cache"
)

// walk yields what is in the folder, the files that explain it left out. An error
// comes with what could not be looked at; the walk goes on, but for that of ctx.
func (s *Store) walk(ctx context.Context) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		names, err := s.fs.ReadDir(s.dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(found{path: s.dir}, err)
			}
			return
		}
		for _, name := range names {
			switch {
			case isPrefix(name):
				if !s.walkPrefix(ctx, name, yield) {
					return
				}
			case name == readmeName || name == tagName || name == trimmedName || name == locksName:
			default:
				if !yield(found{kind: foreignFile, path: s.dir + "/" + name}, nil) {
					return
				}
			}
		}
	}
}

func (s *Store) walkPrefix(ctx context.Context, prefix string, yield func(found, error) bool) bool {
	if err := ctx.Err(); err != nil {
		yield(found{}, err)
		return false
	}
	folder := s.dir + "/" + prefix
	names, err := s.fs.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		return yield(found{path: folder}, err)
	}
	for _, name := range names {
		f := found{path: folder + "/" + name}
		f.stat, err = s.fs.Lstat(f.path)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if !yield(f, err) {
				return false
			}
			continue
		}
		f.kind = foreignFile
		if f.stat.Mode.IsRegular() {
			if key, ok := entryKey(prefix, name); ok {
				f.kind, f.key = entryFile, key
			} else if strings.HasPrefix(name, tempPrefix) {
				f.kind = tempFile
			}
		}
		if !yield(f, nil) {
			return false
		}
	}
	return true
}

// List implements cache.Lister. It reads the first 576 bytes of every entry.
func (s *Store) List(ctx context.Context) iter.Seq2[cache.Info, error] {
	return s.each(ctx, func(f found, info *cache.Info) *flaw {
		start, stat, err := s.fs.ReadHead(f.path, headSize+cache.MaxLabel)
		if err != nil {
			return unread(err)
		}
		h, bad := decodeHead(start)
		switch {
		case bad != nil:
			return bad
		case h.size() != stat.Size:
			return damaged("%d bytes long, %d promised", stat.Size, h.size())
		case h.key != f.key:
			return otherKey(h.key)
		}
		info.Label, info.Bytes, info.Stored = h.label, h.valueLen, h.stored
		return nil
	})
}

// Verify implements cache.Verifier. It reads and checks every entry as Get does.
func (s *Store) Verify(ctx context.Context) iter.Seq2[cache.Info, error] {
	return s.each(ctx, func(f found, info *cache.Info) *flaw {
		file, _, err := s.fs.Read(f.path, maxEntry)
		if err != nil {
			return unread(err)
		}
		item, bad := decode(file, f.key)
		if bad != nil {
			return bad
		}
		// decode has checked what decodeHead reads.
		h, _ := decodeHead(file)
		info.Label, info.Bytes, info.Stored = item.Label, int64(len(item.Value)), h.stored
		return nil
	})
}

func (s *Store) each(ctx context.Context, look func(found, *cache.Info) *flaw) iter.Seq2[cache.Info, error] {
	return func(yield func(cache.Info, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(cache.Info{}, err)
			return
		}
		for f, err := range s.walk(ctx) {
			info := cache.Info{Key: f.key, Footprint: footprint(f.stat.Size), Used: f.stat.ModTime, Place: f.path}
			switch {
			case err != nil && f.path == "":
				// ctx is done.
			case err != nil:
				err = s.miss(f.key, &flaw{cache.Unreadable, err})
			case f.kind == tempFile:
				continue
			case f.kind == foreignFile:
				err = s.miss(f.key, &flaw{cache.Foreign, errNoMagic})
			default:
				bad := look(f, &info)
				if bad != nil && bad.reason == cache.Absent {
					continue
				}
				if bad != nil {
					err = s.miss(f.key, bad)
				}
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// Usage implements cache.Sizer. It passes over what it cannot look at and
// returns the first such error.
func (s *Store) Usage(ctx context.Context) (cache.Usage, error) {
	u := cache.Usage{MaxBytes: s.max}
	var first error
	for f, err := range s.walk(ctx) {
		if err != nil && first == nil {
			first = err
		}
		switch f.kind {
		case entryFile:
			u.Entries++
			u.Bytes += footprint(f.stat.Size)
		case tempFile:
			u.Leftovers++
		case foreignFile:
			u.Foreign++
		}
	}
	return u, first
}
