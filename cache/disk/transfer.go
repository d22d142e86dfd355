package disk

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"github.com/kilnjit/kiln/cache"
)

// Transferred reports what an Export or Import did.
type Transferred struct {
	// Entries and Bytes are the values written, before compression.
	Entries int   `json:"entries"`
	Bytes   int64 `json:"bytes"`
	// Present counts the entries that Import left alone since they were there.
	Present int `json:"present"`
	// Bad counts those passed over: damaged, of another format, or no entries.
	Bad int `json:"bad"`
}

// Export writes every good entry into one file, which Import reads: a tar archive
// of the entries' own files, in the order of their keys. The same entries give
// the same file.
func (s *Store) Export(ctx context.Context, w io.Writer) (Transferred, error) {
	var done Transferred
	var keys []cache.Key
	for f, err := range s.walk(ctx) {
		if err != nil {
			return done, fmt.Errorf("exporting %s: %w", s.dir, err)
		}
		if f.kind == entryFile {
			keys = append(keys, f.key)
		}
	}
	slices.SortFunc(keys, func(a, b cache.Key) int { return bytes.Compare(a[:], b[:]) })
	archive := tar.NewWriter(w)
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		file, _, err := s.fs.Read(s.entryPath(key), maxEntry)
		if err != nil {
			done.Bad++
			continue
		}
		if _, f := decode(file, key); f != nil {
			done.Bad++
			continue
		}
		h, _ := decodeHead(file)
		name := path.Join(path.Base(s.prefixPath(key)), path.Base(s.entryPath(key)))
		err = archive.WriteHeader(&tar.Header{
			Typeflag: tar.TypeReg, Name: name, Size: int64(len(file)), Mode: 0o644,
			ModTime: h.stored.Truncate(time.Second), Format: tar.FormatPAX,
		})
		if err == nil {
			_, err = archive.Write(file)
		}
		if err != nil {
			return done, fmt.Errorf("exporting %s: %w", s.dir, err)
		}
		done.Entries++
		done.Bytes += h.valueLen
	}
	if err := archive.Close(); err != nil {
		return done, fmt.Errorf("exporting %s: %w", s.dir, err)
	}
	return done, nil
}

var errNoArchive = errors.New("no export of a kiln cache")

// Import stores what Export has written, but for what is there already. Every
// entry is checked whole. It ends at the first that cannot be read or stored;
// those before it are in the store.
func (s *Store) Import(ctx context.Context, r io.Reader) (Transferred, error) {
	var done Transferred
	if s.readOnly {
		return done, cache.ErrReadOnly
	}
	archive := tar.NewReader(r)
	for {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		header, err := archive.Next()
		if err == io.EOF {
			return done, nil
		}
		if err != nil {
			return done, fmt.Errorf("importing: %w: %w", errNoArchive, err)
		}
		folder, name := path.Split(header.Name)
		key, ok := entryKey(path.Base(folder), name)
		if !ok || header.Typeflag != tar.TypeReg || header.Size > maxEntry {
			done.Bad++
			continue
		}
		file, err := io.ReadAll(io.LimitReader(archive, maxEntry))
		if err != nil {
			return done, fmt.Errorf("importing: %w: %w", errNoArchive, err)
		}
		if err := s.importEntry(ctx, key, file, &done); err != nil {
			return done, err
		}
	}
}

func (s *Store) importEntry(ctx context.Context, key cache.Key, file []byte, done *Transferred) error {
	item, f := decode(file, key)
	if f != nil {
		done.Bad++
		return nil
	}
	if _, _, f := s.load(s.entryPath(key), key); f == nil {
		done.Present++
		return nil
	}
	if err := s.Put(ctx, key, item); err != nil {
		return err
	}
	done.Entries++
	done.Bytes += int64(len(item.Value))
	return nil
}
