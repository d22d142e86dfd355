// Package manifest reads files that say which kernels to compile, so that a cache
// can be filled before it is needed. Package recorder writes them of a run; people
// can write the same by hand.
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kilnjit/kiln/compile/recorder"
)

// ErrManifest is matched where a file is no manifest.
var ErrManifest = errors.New("bad manifest")

// Kernel is one compile of a manifest.
type Kernel = recorder.Kernel

// Manifest is a list of kernels.
type Manifest struct {
	Kernels []Kernel `json:"kernels"`
}

// Read returns what a manifest asks for, with the modules' whole paths. A folder
// stands for all manifests in it, such as those of a recorded run.
func Read(path string) ([]Kernel, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading a manifest: %w", err)
	}
	files := []string{path}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(escapeGlob(path), "*.json")); err != nil {
			return nil, fmt.Errorf("reading a manifest: %w", err)
		}
	}
	var kernels []Kernel
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading a manifest: %w", err)
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		var m Manifest
		if err := decoder.Decode(&m); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrManifest, file, err)
		}
		for _, k := range m.Kernels {
			if k.Module == "" || (k.Kernel == "") != k.Variables {
				return nil, fmt.Errorf("%w: %s: each kernel needs a module, and either a name or variables", ErrManifest, file)
			}
			if !filepath.IsAbs(k.Module) {
				k.Module = filepath.Join(filepath.Dir(file), k.Module)
			}
			kernels = append(kernels, k)
		}
	}
	if len(kernels) == 0 {
		return nil, fmt.Errorf("%w: %s names no kernel", ErrManifest, path)
	}
	return kernels, nil
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
