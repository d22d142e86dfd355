package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFile is the most bytes that are read of a program, container or module: a
// device such as /dev/zero has no end.
const maxFile = 2 << 30

var errTooLarge = errors.New("more than 2 GiB, which is the most that kiln reads")

// readBounded returns what is left of r.
func readBounded(r io.Reader, max int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, max+1))
	if int64(len(data)) > max {
		return nil, errTooLarge
	}
	return data, err
}

// readNamed returns the bytes of a file, or of a pipe until it ends.
func readNamed(path string, max int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Mode().IsRegular() && info.Size() > max:
		return nil, fmt.Errorf("reading %s: %w", path, errTooLarge)
	case err != nil || info.Mode().IsRegular():
		return os.ReadFile(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := readBounded(file, max)
	if errors.Is(err, errTooLarge) {
		err = fmt.Errorf("reading %s: %w", path, err)
	}
	return data, err
}
