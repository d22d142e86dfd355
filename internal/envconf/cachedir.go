package envconf

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoCacheDir is returned by [CacheDir] when the environment names no place
// for a cache.
var ErrNoCacheDir = errors.New("no cache folder: neither KILN_CACHE_DIR, XDG_CACHE_HOME nor HOME is set to an absolute path")

// CacheDir returns kiln's cache folder by the XDG rules, without looking
// whether it is there: KILN_CACHE_DIR itself, else "kiln" in XDG_CACHE_HOME,
// else ".cache/kiln" in HOME. Relative paths are passed over, as the XDG
// specification asks.
func CacheDir(environ []string) (string, error) {
	for _, place := range []struct{ name, below string }{
		{"KILN_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "kiln"}, {"HOME", ".cache/kiln"},
	} {
		if dir := Get(environ, place.name); filepath.IsAbs(dir) {
			return filepath.Join(dir, place.below), nil
		}
	}
	return "", ErrNoCacheDir
}

// Get returns the value of one variable, empty where it is not set.
func Get(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
