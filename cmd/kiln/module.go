package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kilnjit/kiln/cmd/kiln/internal/source"
	"github.com/kilnjit/kiln/image"
)

// readFile returns a file's bytes, or the bitcode clang makes of a source. The
// name - stands for the input.
func (s *session) readFile(ctx context.Context, path string) ([]byte, error) {
	if path == "-" {
		data, err := readBounded(s.stdin, maxFile)
		if err != nil {
			return nil, &inputError{fmt.Errorf("reading the input: %w", err)}
		}
		return data, nil
	}
	if source.LanguageOf(path) != source.Module {
		end := s.progress.begin("clang " + path)
		defer end()
		bitcode, err := source.Compile(ctx, path, s.target, func(text string) { fmt.Fprint(s.stderr, text) })
		if errors.Is(err, fs.ErrNotExist) {
			err = &inputError{fmt.Errorf("%w%s", err, nearbyFile(path))}
		}
		return bitcode, err
	}
	data, err := readNamed(path, maxFile)
	if err != nil {
		return nil, &inputError{fmt.Errorf("%w%s", err, nearbyFile(path))}
	}
	return data, nil
}

// nearbyFile names a file of the same folder whose name is near, if there is
// one, for a path that is not there.
func nearbyFile(path string) string {
	if _, err := os.Stat(path); err == nil {
		return ""
	}
	entries, _ := os.ReadDir(filepath.Dir(path))
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if near := nearest(filepath.Base(path), names); near != "" {
		return fmt.Sprintf("; did you mean %s?", filepath.Join(filepath.Dir(path), near))
	}
	return ""
}

// readModule returns the module in a file: its bytes, or the one module that a
// program or container holds.
func (s *session) readModule(ctx context.Context, path string) ([]byte, error) {
	data, err := s.readFile(ctx, path)
	if err != nil {
		return nil, err
	}
	switch kind, err := image.Recognise(data); {
	case err != nil:
		return nil, &inputError{fmt.Errorf("%s: %w%s", path, err, sourceHint(path))}
	case isModule(kind):
		return data, nil
	}
	modules, others, err := modulesIn(data)
	switch {
	case err != nil:
		return nil, &inputError{fmt.Errorf("%s: %w", path, err)}
	case len(modules) == 1:
		return modules[0].File.Bytes(), nil
	case len(modules) == 0:
		return nil, &inputError{fmt.Errorf("%s holds no bitcode, only %s: build it so that the device code's bitcode stays in it, or give kiln the source", path, others)}
	}
	var list strings.Builder
	for i, found := range modules {
		fmt.Fprintf(&list, "\n  %d  %s", i+1, strings.Join(found.Path, ", "))
	}
	return nil, &inputError{fmt.Errorf("%s holds %d modules:%s\nTake one out; type: kiln inspect %s --extract FOLDER", path, len(modules), &list, path)}
}

func isModule(kind image.Kind) bool {
	return kind == image.Bitcode || kind == image.WrappedBitcode || kind == image.TextIR
}

// modulesIn returns the modules inside a file and says in words what else it holds.
func modulesIn(data []byte) (modules []*image.Found, others string, err error) {
	file, err := image.Open(data)
	if err != nil {
		return nil, "", err
	}
	kinds := []string{}
	for found, err := range file.All() {
		switch {
		case err != nil:
			return nil, "", err
		case found.File != nil && isModule(found.Part.Kind):
			modules = append(modules, found)
		case found.Part.Kind != 0:
			kinds = append(kinds, found.Part.Kind.String())
		}
	}
	if len(kinds) == 0 {
		return modules, file.Kind.String(), nil
	}
	return modules, strings.Join(kinds, ", "), nil
}

// sourceHint says how a source of another name is given.
func sourceHint(path string) string {
	if path == "-" {
		return ": the input takes bitcode or textual IR; sources are told apart by their names (.c, .cu, .hip, .cl)"
	}
	return "; sources are told by their names (.c, .cu, .hip, .cl)"
}
