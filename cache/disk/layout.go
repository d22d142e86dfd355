package disk

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/kilnjit/kiln/cache"
	"github.com/kilnjit/kiln/internal/fsx"
)

// In the folder: 256 folders named by the first byte of the key, each with files
//
//	<64 hex digits of the key>.kiln    an entry
//	tmp-<process>-<random>             an entry being written
//	foreign-<random>                   what stood in an entry's way
const (
	entrySuffix   = ".kiln"
	tempPrefix    = "tmp-"
	foreignPrefix = "foreign-"

	readmeName  = "README"
	tagName     = "CACHEDIR.TAG"
	trimmedName = "last-trim"
	locksName   = "locks"
)

const readme = `This folder is the cache of kiln, a JIT engine: compiled kernels under the
SHA-256 of what they were made from. It can be removed at any time, also while
programs run; kernels are then compiled again.

    kiln cache stat      how much is in it
    kiln cache ls        what is in it
    kiln cache verify    check every entry
    kiln cache trim      remove what was not used for the longest time
    kiln cache clear     remove everything
    kiln cache why       what differs between two entries of a kernel
    kiln cache export    all entries as one file, which import reads
`

// tag makes backup programs leave the folder out; see bford.info/cachedir.
const tag = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is the cache of kiln.\n"

// makeDir makes the folder and the files that explain it.
func (s *Store) makeDir() error {
	if err := fsx.MkdirAll(s.fs, s.dir, s.dirMode); err != nil {
		return err
	}
	for _, note := range []struct{ name, text string }{{readmeName, readme}, {tagName, tag}} {
		if err := s.writeNote(note.name, note.text); err != nil {
			s.counters.UpkeepError()
		}
	}
	return nil
}

func (s *Store) writeNote(name, text string) error {
	f, err := s.fs.Create(s.dir+"/"+name, s.fileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(text))
	return errors.Join(err, f.Close())
}

func (s *Store) entryPath(key cache.Key) string {
	name := make([]byte, 0, len(s.dir)+len("/00/")+2*len(key)+len(entrySuffix))
	name = append(name, s.dir...)
	name = append(name, '/')
	name = hex.AppendEncode(name, key[:1])
	name = append(name, '/')
	name = hex.AppendEncode(name, key[:])
	name = append(name, entrySuffix...)
	return string(name)
}

// prefixPath returns the folder in which the entry of key is.
func (s *Store) prefixPath(key cache.Key) string {
	return s.dir + "/" + hex.EncodeToString(key[:1])
}

func tempName() string {
	return fmt.Sprintf("%s%d-%016x", tempPrefix, os.Getpid(), rand.Uint64())
}

// entryKey returns the key of the entry whose file has this name in a prefix folder.
func entryKey(prefix, name string) (cache.Key, bool) {
	digits, ok := strings.CutSuffix(name, entrySuffix)
	if !ok || !strings.HasPrefix(digits, prefix) {
		return cache.Key{}, false
	}
	key, err := cache.ParseKey(digits)
	// The name must be the one that Get looks for, which has no capitals.
	return key, err == nil && key.String() == digits
}

func isPrefix(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == 1 && hex.EncodeToString(b) == name
}
