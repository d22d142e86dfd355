package fsxtest

import (
	"errors"
	"io/fs"
	"maps"

	"github.com/kilnjit/kiln/internal/fsx"
)

// OpenLocks implements fsx.FS.
func (m *Mem) OpenLocks(path string, perm fs.FileMode) (fsx.Locks, error) {
	file, err := m.Create(path, perm)
	if err == nil {
		err = file.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.nodes[path]
	if n.locked == nil {
		n.locked = map[int64]*memLocks{}
	}
	return &memLocks{m, n}, nil
}

type memLocks struct {
	fs   *Mem
	node *node
}

func (l *memLocks) Try(n int64) (bool, error) {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	if l.node.locked[n] != nil {
		return false, nil
	}
	l.node.locked[n] = l
	return true, nil
}

func (l *memLocks) Unlock(n int64) error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	if l.node.locked[n] == l {
		delete(l.node.locked, n)
	}
	return nil
}

func (l *memLocks) Close() error {
	l.fs.mu.Lock()
	defer l.fs.mu.Unlock()
	maps.DeleteFunc(l.node.locked, func(_ int64, holder *memLocks) bool { return holder == l })
	return nil
}
