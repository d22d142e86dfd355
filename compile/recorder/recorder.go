package recorder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/kilnjit/kiln/compile"
)

// Recorder writes down which kernels are asked for: in a folder, with a
// manifest for each and their modules beside them. Any number of recorders, in
// any number of processes, may use one folder. It is safe for concurrent use.
type Recorder struct {
	dir  string
	made sync.Once
	mu   sync.Mutex
	seen map[[32]byte]bool
}

// New returns a recorder to a folder, which it makes when it is needed.
func New(dir string) *Recorder {
	return &Recorder{dir: dir, seen: map[[32]byte]bool{}}
}

// Record writes r down, unless that has been done.
func (w *Recorder) Record(r *compile.Request) error {
	key := r.Digest()
	w.mu.Lock()
	seen := w.seen[key]
	w.seen[key] = true
	w.mu.Unlock()
	if seen {
		return nil
	}
	digest := sha256.Sum256(r.Module)
	name := hex.EncodeToString(digest[:]) + ".bc"
	k, err := Of(r, name)
	if err != nil {
		return err
	}
	w.made.Do(func() { err = os.MkdirAll(w.dir, 0o755) })
	if err == nil {
		err = w.write(name, r.Module)
	}
	if err == nil {
		err = w.write(hex.EncodeToString(key[:])+".json", k.manifest())
	}
	if err != nil {
		return fmt.Errorf("recording kernel %q in %s: %w", r.Kernel, w.dir, err)
	}
	return nil
}

// write makes a file that is whole or not there, unless it is there already.
func (w *Recorder) write(name string, data []byte) error {
	place := filepath.Join(w.dir, name)
	if _, err := os.Lstat(place); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	temp, err := os.CreateTemp(w.dir, ".tmp-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(0o644), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), place)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}
