package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kilnjit/kiln/image"
)

// TestInspectEveryImage: each file of testdata is shown, with as many images
// as package image finds in it.
func TestInspectEveryImage(t *testing.T) {
	env := []string{"KILN_CACHE_DIR=" + t.TempDir(), "KILN_COMPILER=in-process"}
	files := 0
	err := filepath.WalkDir("../../testdata/images", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "/src/") || strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".sh") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := image.Open(data)
		if err != nil {
			return err
		}
		want := 0
		for range file.All() {
			want++
		}
		files++
		var stdout, stderr bytes.Buffer
		if code := run([]string{"inspect", path}, nil, &stdout, &stderr, env); code != exitOK || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d, %s", path, code, &stderr)
			return nil
		}
		stdout.Reset()
		run([]string{"inspect", "--json", path}, nil, &stdout, &stderr, env)
		var result inspectResult
		if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
			return err
		}
		if result.Kind != file.Kind.String() || len(result.Images) != want || strings.Contains(stdout.String(), `"fault"`) {
			t.Errorf("%s: %s with %d images, want %s with %d\n%s", path, result.Kind, len(result.Images), file.Kind, want, &stdout)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("%d files, want 50 or more", files)
	}
}
