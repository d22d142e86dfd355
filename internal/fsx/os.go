package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// OS is the file system of the operating system.
type OS struct{}

var _ FS = OS{}

// The read path uses the calls of package syscall: a file of package os costs a
// finalizer, a poll descriptor and an extra read, ten microseconds together.

// Read implements FS.
func (OS) Read(path string, max int64) ([]byte, Stat, error) {
	fd, stat, err := open(path)
	if err != nil {
		return nil, Stat{}, err
	}
	defer syscall.Close(fd)
	if stat.Size > max {
		return nil, stat, &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	// A file whose size is 0 may be one that the kernel makes up while it is read.
	data, err := fill(fd, make([]byte, stat.Size), path)
	if err != nil || stat.Size > 0 {
		return data, stat, err
	}
	for {
		part, err := fill(fd, make([]byte, 4096), path)
		data = append(data, part...)
		switch {
		case err != nil:
			return nil, stat, err
		case int64(len(data)) > max:
			return nil, stat, &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
		case len(part) == 0:
			return data, stat, nil
		}
	}
}

// ReadHead implements FS.
func (OS) ReadHead(path string, n int) ([]byte, Stat, error) {
	fd, stat, err := open(path)
	if err != nil {
		return nil, Stat{}, err
	}
	defer syscall.Close(fd)
	data, err := fill(fd, make([]byte, min(int64(n), stat.Size)), path)
	return data, stat, err
}

// open opens a regular file for reading. O_NONBLOCK keeps a pipe that lies in
// the way from holding up the caller for ever.
func open(path string) (int, Stat, error) {
	var fd int
	err := retry(func() (err error) {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
		return err
	})
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENXIO) {
		err = ErrNotRegular
	}
	if err != nil {
		return -1, Stat{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	var st syscall.Stat_t
	if err := retry(func() error { return syscall.Fstat(fd, &st) }); err != nil {
		syscall.Close(fd)
		return -1, Stat{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		syscall.Close(fd)
		return -1, Stat{}, &fs.PathError{Op: "read", Path: path, Err: ErrNotRegular}
	}
	return fd, Stat{
		Size:    st.Size,
		Mode:    fs.FileMode(st.Mode & 0o777),
		ModTime: time.Unix(st.Mtim.Unix()),
		UID:     int(st.Uid),
	}, nil
}

// fill reads into buf until it is full or the file ends.
func fill(fd int, buf []byte, path string) ([]byte, error) {
	n := 0
	for n < len(buf) {
		var part int
		err := retry(func() (err error) {
			part, err = syscall.Read(fd, buf[n:])
			return err
		})
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if part <= 0 {
			break
		}
		n += part
	}
	return buf[:n], nil
}

func retry(call func() error) error {
	for {
		if err := call(); err != syscall.EINTR {
			return err
		}
	}
}

// Create implements FS.
func (OS) Create(path string, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Rename implements FS.
func (OS) Rename(from, to string) error {
	if err := retry(func() error { return syscall.Rename(from, to) }); err != nil {
		return &fs.PathError{Op: "rename", Path: to, Err: err}
	}
	return nil
}

// Remove implements FS.
func (OS) Remove(path string) error { return os.Remove(path) }

// Mkdir implements FS.
func (OS) Mkdir(path string, perm fs.FileMode) error { return os.Mkdir(path, perm) }

// ReadDir implements FS.
func (OS) ReadDir(path string) ([]string, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// Stat implements FS.
func (OS) Stat(path string) (Stat, error) { return statOf(os.Stat(path)) }

// Lstat implements FS.
func (OS) Lstat(path string) (Stat, error) { return statOf(os.Lstat(path)) }

func statOf(info fs.FileInfo, err error) (Stat, error) {
	if err != nil {
		return Stat{}, err
	}
	stat := Stat{Size: info.Size(), Mode: info.Mode(), ModTime: info.ModTime(), UID: -1}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		stat.UID = int(st.Uid)
	}
	return stat, nil
}

// Touch implements FS.
func (OS) Touch(path string, at time.Time) error { return os.Chtimes(path, at, at) }

// MkdirAll makes the folder at path and those above it that are missing.
func MkdirAll(fsys FS, path string, perm fs.FileMode) error {
	err := fsys.Mkdir(path, perm)
	if errors.Is(err, fs.ErrNotExist) {
		parent := filepath.Dir(path)
		if parent == path {
			return err
		}
		if err := MkdirAll(fsys, parent, perm); err != nil {
			return err
		}
		err = fsys.Mkdir(path, perm)
	}
	if errors.Is(err, fs.ErrExist) {
		// A file may stand there as well, or a link to a folder; the first use
		// of the folder tells.
		return nil
	}
	return err
}
