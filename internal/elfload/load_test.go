package elfload

import (
	"os"
	"testing"
)

func parseFile(t testing.TB, path string) (*Object, error) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Parse(b)
}

func loadFile(t testing.TB, path string, opts Options) (*Image, error) {
	t.Helper()
	o, err := parseFile(t, path)
	if err != nil {
		return nil, err
	}
	return o.Load(opts)
}
