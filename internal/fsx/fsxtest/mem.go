package fsxtest

import (
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/kilnjit/kiln/internal/fsx"
)

// Mem is a file system in memory that can crash. It is safe for concurrent use.
type Mem struct {
	mu    sync.Mutex
	nodes map[string]*node
	// log holds the changes of names since the start, for Crash to cut.
	log []change
}

var _ fsx.FS = (*Mem)(nil)

type node struct {
	dir    bool
	mode   fs.FileMode
	mod    time.Time
	data   []byte
	synced int // length of data that is on the medium
	locked map[int64]*memLocks
}

// change is one change of names: new at to (from is ""), moved, or removed (to is "").
type change struct {
	from, to string
	node     *node
}

// NewMem returns a file system that holds an empty folder "/".
func NewMem() *Mem {
	return &Mem{nodes: map[string]*node{"/": {dir: true, mode: fs.ModeDir | 0o755}}}
}

// Crash returns the file system as it may be found after power was lost: of the
// changes of names an arbitrary number of the last are undone, and of each file
// whatever was not synced may be missing, cut, or zeros. Files still open on the
// old file system go on writing to that one.
func (m *Mem) Crash(rnd *rand.Rand) *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	after := NewMem()
	copies := map[*node]*node{}
	for _, c := range m.log[:rnd.IntN(len(m.log)+1)] {
		if c.node != nil && copies[c.node] == nil {
			copies[c.node] = c.node.afterCrash(rnd)
		}
		c.node = copies[c.node]
		after.apply(c)
	}
	return after
}

func (n *node) afterCrash(rnd *rand.Rand) *node {
	after := *n
	end := n.synced + rnd.IntN(len(n.data)-n.synced+1)
	after.data = slices.Clone(n.data[:end])
	if rnd.IntN(2) == 0 {
		clear(after.data[n.synced:])
	}
	if rnd.IntN(4) == 0 {
		after.data = append(after.data, make([]byte, len(n.data)-end)...)
	}
	after.synced = len(after.data)
	return &after
}

func (m *Mem) apply(c change) {
	switch {
	case c.from == "":
		m.nodes[c.to] = c.node
	case c.to == "":
		delete(m.nodes, c.from)
	default:
		m.nodes[c.to] = m.nodes[c.from]
		delete(m.nodes, c.from)
	}
	m.log = append(m.log, c)
}

func fail(op, path string, errno syscall.Errno) error {
	return &fs.PathError{Op: op, Path: path, Err: errno}
}

// parent returns an error unless the folder above path is there.
func (m *Mem) parent(op, path string) error {
	switch above := m.nodes[filepath.Dir(path)]; {
	case above == nil:
		return fail(op, path, syscall.ENOENT)
	case !above.dir:
		return fail(op, path, syscall.ENOTDIR)
	}
	return nil
}

// Read implements fsx.FS.
func (m *Mem) Read(path string, max int64) ([]byte, fsx.Stat, error) {
	data, stat, err := m.ReadHead(path, int(min(max, 1<<40)))
	if err == nil && stat.Size > max {
		return nil, stat, &fs.PathError{Op: "read", Path: path, Err: fsx.ErrTooLarge}
	}
	return data, stat, err
}

// ReadHead implements fsx.FS.
func (m *Mem) ReadHead(path string, n int) ([]byte, fsx.Stat, error) {
	stat, err := m.Lstat(path)
	if err != nil {
		return nil, fsx.Stat{}, err
	}
	if stat.Mode.IsDir() {
		return nil, fsx.Stat{}, &fs.PathError{Op: "read", Path: path, Err: fsx.ErrNotRegular}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	data := m.nodes[path].data
	return slices.Clone(data[:min(n, len(data))]), stat, nil
}

// Create implements fsx.FS.
func (m *Mem) Create(path string, perm fs.FileMode) (fsx.File, error) {
	n := &node{mode: perm, mod: time.Now()}
	if err := m.add("create", path, n); err != nil {
		return nil, err
	}
	return &memFile{m, n}, nil
}

// Mkdir implements fsx.FS.
func (m *Mem) Mkdir(path string, perm fs.FileMode) error {
	return m.add("mkdir", path, &node{dir: true, mode: perm | fs.ModeDir, mod: time.Now()})
}

func (m *Mem) add(op, path string, n *node) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.parent(op, path); err != nil {
		return err
	}
	if m.nodes[path] != nil {
		return fail(op, path, syscall.EEXIST)
	}
	m.apply(change{to: path, node: n})
	return nil
}

// Rename implements fsx.FS. Of folders it moves empty ones alone.
func (m *Mem) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.parent("rename", to); err != nil {
		return err
	}
	switch n, there := m.nodes[from], m.nodes[to]; {
	case n == nil:
		return fail("rename", from, syscall.ENOENT)
	case n.dir && len(m.names(from)) > 0:
		return fail("rename", from, syscall.ENOTSUP)
	case there != nil && there.dir:
		return fail("rename", to, syscall.EISDIR)
	}
	m.apply(change{from: from, to: to})
	return nil
}

// Remove implements fsx.FS.
func (m *Mem) Remove(path string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch n := m.nodes[path]; {
	case n == nil:
		return fail("remove", path, syscall.ENOENT)
	case n.dir && len(m.names(path)) > 0:
		return fail("remove", path, syscall.ENOTEMPTY)
	}
	m.apply(change{from: path})
	return nil
}

func (m *Mem) names(dir string) []string {
	var names []string
	for path := range m.nodes {
		if path != "/" && filepath.Dir(path) == dir {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}

// ReadDir implements fsx.FS.
func (m *Mem) ReadDir(path string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch n := m.nodes[path]; {
	case n == nil:
		return nil, fail("readdir", path, syscall.ENOENT)
	case !n.dir:
		return nil, fail("readdir", path, syscall.ENOTDIR)
	}
	return m.names(path), nil
}

// Stat implements fsx.FS.
func (m *Mem) Stat(path string) (fsx.Stat, error) { return m.Lstat(path) }

// Lstat implements fsx.FS.
func (m *Mem) Lstat(path string) (fsx.Stat, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.nodes[path]
	if n == nil {
		return fsx.Stat{}, fail("lstat", path, syscall.ENOENT)
	}
	return fsx.Stat{Size: int64(len(n.data)), Mode: n.mode, ModTime: n.mod}, nil
}

// Touch implements fsx.FS.
func (m *Mem) Touch(path string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.nodes[path]
	if n == nil {
		return fail("touch", path, syscall.ENOENT)
	}
	n.mod = at
	return nil
}

type memFile struct {
	fs   *Mem
	node *node
}

func (f *memFile) Write(p []byte) (int, error) {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.node.data = append(f.node.data, p...)
	f.node.mod = time.Now()
	return len(p), nil
}

func (f *memFile) Sync() error {
	f.fs.mu.Lock()
	defer f.fs.mu.Unlock()
	f.node.synced = len(f.node.data)
	return nil
}

func (f *memFile) Close() error { return nil }
