package main

import (
	"fmt"
	"os"
)

// temporaryFolder makes a folder, to be removed by the caller.
func temporaryFolder(pattern string) (string, error) {
	folder, err := os.MkdirTemp("", pattern)
	if err != nil {
		return "", &inputError{fmt.Errorf("a temporary folder is needed; point TMPDIR at one you may write to: %w", err)}
	}
	return folder, nil
}
