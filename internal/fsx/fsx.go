// Package fsx is the seam between kiln and the file system: an interface as
// narrow as its users, so that tests can make every single call of it fail.
// The package fsxtest has file systems that do so.
package fsx

import (
	"errors"
	"io/fs"
	"time"
)

var (
	// ErrNotRegular is matched when a read meets a folder, link, pipe or device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge is matched when a file is larger than its reader takes.
	ErrTooLarge = errors.New("file too large")
)

// Stat describes what is at a path.
type Stat struct {
	// Size is in bytes, of a regular file. It is a hint: the file may change.
	Size    int64
	Mode    fs.FileMode
	ModTime time.Time
	// UID is the owner's number.
	UID int
}

// FS is a file system. Paths are those of the operating system. Errors are
// *fs.PathError with the errno of the call, so that errors.Is finds both
// fs.ErrNotExist and syscall.EIO. Implementations are safe for concurrent use.
type FS interface {
	// Read returns the bytes of a regular file of at most max bytes, and what
	// it is. It never waits on a pipe and does not follow a link at the path.
	Read(path string, max int64) ([]byte, Stat, error)
	// ReadHead returns at most the first n bytes of a regular file. Otherwise
	// it does what Read does.
	ReadHead(path string, n int) ([]byte, Stat, error)
	// Create makes a file for writing. It is an error if anything is at path.
	Create(path string, perm fs.FileMode) (File, error)
	// Rename moves what is at from to to, in place of a file that is there.
	Rename(from, to string) error
	// Remove removes a file, link or empty folder.
	Remove(path string) error
	// Mkdir makes one folder.
	Mkdir(path string, perm fs.FileMode) error
	// ReadDir returns the names in a folder, in no particular order.
	ReadDir(path string) ([]string, error)
	// Stat says what is at path, or where a link at path leads.
	Stat(path string) (Stat, error)
	// Lstat says what is at path and does not follow a link.
	Lstat(path string) (Stat, error)
	// Touch sets the time at which the file was last modified, and used.
	Touch(path string, at time.Time) error
	// OpenLocks returns the locks that are kept in the file at path, which it
	// makes where there is none.
	OpenLocks(path string, perm fs.FileMode) (Locks, error)
}

// Locks are any number of locks that the users of one file share, told apart by
// number. A holder that dies gives up its locks, and so does Close. It is safe
// for concurrent use.
type Locks interface {
	// Try takes lock number n, which is not negative, and reports whether it
	// has. It does not wait. The same Locks never holds a lock twice.
	Try(n int64) (bool, error)
	// Unlock gives up lock number n.
	Unlock(n int64) error
	// Close gives up all and must be called once.
	Close() error
}

// File is a file being written. It is not safe for concurrent use.
type File interface {
	// Write writes all of p, or returns an error and how much it wrote.
	Write(p []byte) (int, error)
	// Sync returns when the bytes are on the medium.
	Sync() error
	// Close must be called once, also after an error.
	Close() error
}

// ReadFile returns the bytes of a regular file of at most max bytes. It does not
// follow a link at path and never waits. It takes a third of the time that
// os.ReadFile does, for small files.
func ReadFile(path string, max int64) ([]byte, error) {
	data, _, err := OS{}.Read(path, max)
	return data, err
}
