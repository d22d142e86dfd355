// Package fsxtest has file systems for tests: Faulty makes chosen calls fail,
// Mem lives in memory and can crash.
package fsxtest

import (
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/kilnjit/kiln/internal/fsx"
)

// Call is one call of a file system.
type Call struct {
	// N counts from 1 since the Faulty was made.
	N int
	// Op is read, create, write, sync, close, rename, remove, mkdir, readdir,
	// stat, lstat, touch, openlocks, lock or unlock.
	Op string
	// Path is that of the file; of a rename, where it goes.
	Path string
}

// Writes reports whether the call changes something on the medium.
func (c Call) Writes() bool {
	switch c.Op {
	case "read", "readdir", "stat", "lstat", "close", "lock", "unlock":
		return false
	}
	return true
}

// Fault is what becomes of a call. The zero Fault lets it pass.
type Fault struct {
	// Err is returned, wrapped as the file system does.
	Err error
	// Short makes a read or write do half of its bytes, with or without Err.
	Short bool
	// Done makes the call take effect before Err is returned.
	Done bool
}

// Faulty passes calls on to FS and makes some of them fail. It is safe for
// concurrent use.
type Faulty struct {
	FS fsx.FS
	// Rule decides for each call; nil lets all pass. It is called by one
	// goroutine at a time.
	Rule func(Call) Fault

	mu    sync.Mutex
	calls []Call
}

var _ fsx.FS = (*Faulty)(nil)

// Nth returns a rule by which the n-th call meets the fault and no other does.
func Nth(n int, fault Fault) func(Call) Fault {
	return func(c Call) Fault {
		if c.N == n {
			return fault
		}
		return Fault{}
	}
}

// From returns a rule by which the n-th call and all later ones fail with err.
func From(n int, err error) func(Call) Fault {
	return func(c Call) Fault {
		if c.N >= n {
			return Fault{Err: err}
		}
		return Fault{}
	}
}

// Calls returns the calls so far whose Op is among ops, or all if ops is empty.
func (f *Faulty) Calls(ops ...string) []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	var calls []Call
	for _, c := range f.calls {
		if len(ops) == 0 || strings.Contains(" "+strings.Join(ops, " ")+" ", " "+c.Op+" ") {
			calls = append(calls, c)
		}
	}
	return calls
}

// Reset forgets the calls so far and sets the rule for those to come.
func (f *Faulty) Reset(rule func(Call) Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls, f.Rule = nil, rule
}

func (f *Faulty) next(op, path string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := Call{N: len(f.calls) + 1, Op: op, Path: path}
	f.calls = append(f.calls, c)
	if f.Rule == nil {
		return Fault{}
	}
	fault := f.Rule(c)
	if fault.Err != nil {
		fault.Err = &fs.PathError{Op: op, Path: path, Err: fault.Err}
	}
	return fault
}

func (f *Faulty) do(op, path string, call func() error) error {
	fault := f.next(op, path)
	if fault.Err == nil {
		return call()
	}
	if fault.Done {
		_ = call()
	}
	return fault.Err
}

func (f *Faulty) read(path string, call func() ([]byte, fsx.Stat, error)) ([]byte, fsx.Stat, error) {
	fault := f.next("read", path)
	if fault.Err != nil {
		return nil, fsx.Stat{}, fault.Err
	}
	data, stat, err := call()
	if fault.Short {
		data = data[:len(data)/2]
	}
	return data, stat, err
}

// Read implements fsx.FS.
func (f *Faulty) Read(path string, max int64) ([]byte, fsx.Stat, error) {
	return f.read(path, func() ([]byte, fsx.Stat, error) { return f.FS.Read(path, max) })
}

// ReadHead implements fsx.FS.
func (f *Faulty) ReadHead(path string, n int) ([]byte, fsx.Stat, error) {
	return f.read(path, func() ([]byte, fsx.Stat, error) { return f.FS.ReadHead(path, n) })
}

// Create implements fsx.FS.
func (f *Faulty) Create(path string, perm fs.FileMode) (fsx.File, error) {
	var file fsx.File
	err := f.do("create", path, func() (err error) {
		file, err = f.FS.Create(path, perm)
		return err
	})
	if err != nil {
		if file != nil {
			file.Close()
		}
		return nil, err
	}
	return &faultyFile{file, f, path}, nil
}

// Rename implements fsx.FS.
func (f *Faulty) Rename(from, to string) error {
	return f.do("rename", to, func() error { return f.FS.Rename(from, to) })
}

// Remove implements fsx.FS.
func (f *Faulty) Remove(path string) error {
	return f.do("remove", path, func() error { return f.FS.Remove(path) })
}

// Mkdir implements fsx.FS.
func (f *Faulty) Mkdir(path string, perm fs.FileMode) error {
	return f.do("mkdir", path, func() error { return f.FS.Mkdir(path, perm) })
}

// ReadDir implements fsx.FS.
func (f *Faulty) ReadDir(path string) (names []string, err error) {
	err = f.do("readdir", path, func() (err error) {
		names, err = f.FS.ReadDir(path)
		return err
	})
	return names, err
}

// Stat implements fsx.FS.
func (f *Faulty) Stat(path string) (stat fsx.Stat, err error) {
	err = f.do("stat", path, func() (err error) {
		stat, err = f.FS.Stat(path)
		return err
	})
	return stat, err
}

// Lstat implements fsx.FS.
func (f *Faulty) Lstat(path string) (stat fsx.Stat, err error) {
	err = f.do("lstat", path, func() (err error) {
		stat, err = f.FS.Lstat(path)
		return err
	})
	return stat, err
}

// Touch implements fsx.FS.
func (f *Faulty) Touch(path string, at time.Time) error {
	return f.do("touch", path, func() error { return f.FS.Touch(path, at) })
}

// OpenLocks implements fsx.FS.
func (f *Faulty) OpenLocks(path string, perm fs.FileMode) (locks fsx.Locks, err error) {
	err = f.do("openlocks", path, func() (err error) {
		locks, err = f.FS.OpenLocks(path, perm)
		return err
	})
	if err != nil {
		if locks != nil {
			locks.Close()
		}
		return nil, err
	}
	return &faultyLocks{locks, f, path}, nil
}

type faultyLocks struct {
	fsx.Locks
	fs   *Faulty
	path string
}

func (l *faultyLocks) Try(n int64) (got bool, err error) {
	err = l.fs.do("lock", l.path, func() (err error) {
		got, err = l.Locks.Try(n)
		return err
	})
	return got && err == nil, err
}

func (l *faultyLocks) Unlock(n int64) error {
	return l.fs.do("unlock", l.path, func() error { return l.Locks.Unlock(n) })
}

type faultyFile struct {
	fsx.File
	fs   *Faulty
	path string
}

func (f *faultyFile) Write(p []byte) (int, error) {
	fault := f.fs.next("write", f.path)
	if fault.Err != nil && !fault.Short && !fault.Done {
		return 0, fault.Err
	}
	if fault.Short {
		p = p[:len(p)/2]
	}
	n, err := f.File.Write(p)
	if fault.Err != nil {
		err = fault.Err
	}
	return n, err
}

func (f *faultyFile) Sync() error {
	return f.fs.do("sync", f.path, f.File.Sync)
}

// Close closes the file whatever the rule says, as the system does.
func (f *faultyFile) Close() error {
	err := f.File.Close()
	if fault := f.fs.next("close", f.path); fault.Err != nil {
		return fault.Err
	}
	return err
}
