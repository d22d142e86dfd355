package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"syscall"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/internal/fsx"
)

// Put stores item under key. It returns when the entry is on the medium, which
// takes some milliseconds. A Put may start a trim in the background.
func (s *Store) Put(ctx context.Context, key cache.Key, item cache.Item) error {
	err := s.ready(ctx)
	if err == nil && s.readOnly {
		return cache.ErrReadOnly
	}
	var size int64
	if err == nil {
		size, err = s.put(ctx, key, item)
	}
	if err != nil {
		s.counters.PutError()
		return err
	}
	s.counters.Put(len(item.Value))
	s.maintain(size)
	return nil
}

func (s *Store) put(ctx context.Context, key cache.Key, item cache.Item) (size int64, err error) {
	head, value, sum, err := parts(key, item, s.now())
	size = footprint(int64(len(head) + len(value) + len(sum)))
	if err == nil && size > s.max {
		err = fmt.Errorf("%w: %d bytes, the cache may hold %d", cache.ErrTooLarge, size, s.max)
	}
	if err != nil {
		return 0, fmt.Errorf("storing in %s: %w", s.Name(), err)
	}
	// The folder or the unfinished file may vanish below a writer: somebody
	// removed the folder, or a clock is far off and the file looked old.
	for try := 1; ; try++ {
		err = s.write(key, head, value, sum[:])
		if !errors.Is(err, fs.ErrNotExist) || try == 3 || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return 0, fmt.Errorf("storing in %s: %w", s.Name(), err)
	}
	return size, nil
}

// write makes the file of an entry and moves it to its place.
func (s *Store) write(key cache.Key, pieces ...[]byte) error {
	temp, file, err := s.createTemp(key)
	if err != nil {
		return err
	}
	for _, piece := range pieces {
		var n int
		n, err = file.Write(piece)
		if err == nil && n < len(piece) {
			err = &fs.PathError{Op: "write", Path: temp, Err: io.ErrShortWrite}
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = s.publish(temp, s.entryPath(key))
	}
	if err != nil {
		if removeErr := s.fs.Remove(temp); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			s.counters.UpkeepError()
		}
	}
	return err
}

// createTemp makes an unfinished file in the folder of key, and the folder.
func (s *Store) createTemp(key cache.Key) (string, fsx.File, error) {
	folder := s.prefixPath(key)
	temp := folder + "/" + tempName()
	file, err := s.fs.Create(temp, s.fileMode)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = s.fs.Mkdir(folder, s.dirMode)
		if errors.Is(err, fs.ErrNotExist) {
			if err = s.makeDir(); err == nil {
				err = s.fs.Mkdir(folder, s.dirMode)
			}
		}
	case errors.Is(err, syscall.ENOTDIR):
		// Make sure before a folder with good entries is moved.
		if stat, statErr := s.fs.Lstat(folder); statErr != nil || stat.Mode.IsDir() {
			return "", nil, err
		}
		if err = s.moveAside(s.dir, folder); err == nil {
			err = s.fs.Mkdir(folder, s.dirMode)
		}
	default:
		return temp, file, err
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", nil, err
	}
	file, err = s.fs.Create(temp, s.fileMode)
	return temp, file, err
}

// publish moves an unfinished file to the place of its entry.
func (s *Store) publish(temp, place string) error {
	err := s.fs.Rename(temp, place)
	if errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.EEXIST) || errors.Is(err, syscall.ENOTEMPTY) {
		if err := s.moveAside(path.Dir(place), place); err != nil {
			return err
		}
		err = s.fs.Rename(temp, place)
	}
	return err
}

// moveAside clears a place of a folder or file that should not be there. What it
// cannot remove in one step it keeps under another name in folder.
func (s *Store) moveAside(folder, place string) error {
	err := s.fs.Remove(place)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err = s.fs.Rename(place, fmt.Sprintf("%s/%s%016x", folder, foreignPrefix, rand.Uint64()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
