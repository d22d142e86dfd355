package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// ReadSource returns the bytes of a file that a person has named, of at most
// max bytes: links are followed, and pipes and devices are read until they end.
// More is an error that matches [ErrTooLarge].
func ReadSource(path string, max int64) ([]byte, error) {
	data, err := ReadFile(path, max)
	if !errors.Is(err, ErrNotRegular) {
		return data, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && info.Size() > max {
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	if data, err = ReadAll(file, max); errors.Is(err, ErrTooLarge) {
		err = &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, err
}

// ReadAll is [io.ReadAll] for at most max bytes. More is an error that matches
// [ErrTooLarge].
func ReadAll(r io.Reader, max int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, max+1))
	if int64(len(data)) > max {
		return nil, ErrTooLarge
	}
	return data, err
}
