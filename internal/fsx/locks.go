package fsx

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// OpenLocks implements FS. A lock is that of one byte of the file, by its open
// file description: the system gives it up with the last descriptor, and other
// descriptors of the same file do not matter.
func (OS) OpenLocks(path string, perm fs.FileMode) (Locks, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, perm)
	if err != nil {
		return nil, err
	}
	return &byteLocks{file: file, held: map[int64]bool{}}, nil
}

// byteLocks remembers what it holds, for the system lets one description take a
// lock again.
type byteLocks struct {
	file *os.File
	mu   sync.Mutex
	held map[int64]bool
}

func (l *byteLocks) set(kind int16, n int64) error {
	if l.held == nil {
		return &fs.PathError{Op: "lock", Path: l.file.Name(), Err: fs.ErrClosed}
	}
	lock := unix.Flock_t{Type: kind, Start: n, Len: 1}
	err := retry(func() error { return unix.FcntlFlock(l.file.Fd(), unix.F_OFD_SETLK, &lock) })
	if err != nil {
		return &fs.PathError{Op: "lock", Path: l.file.Name(), Err: err}
	}
	return nil
}

func (l *byteLocks) Try(n int64) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[n] {
		return false, nil
	}
	err := l.set(unix.F_WRLCK, n)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	l.held[n] = true
	return true, nil
}

func (l *byteLocks) Unlock(n int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, n)
	return l.set(unix.F_UNLCK, n)
}

func (l *byteLocks) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = nil
	return l.file.Close()
}
